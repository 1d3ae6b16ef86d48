import type { TestDatabase } from '../../support/test-database.js';

/**
 * The kinds of canaries, in sequence: settings, gateways, a national id, a hash or token of a customer, values that are
 * never stored, personal data.
 */
export type Kind = 'sett' | 'cred' | 'nati' | 'cust' | 'sent' | 'pers';

export const SECRETS: readonly Kind[] = ['sett', 'cred', 'nati', 'cust', 'sent'];

const PATTERN = 'zq(sett|cred|nati|cust|sent|pers)[0-9]{5}';
/** The database's notation for bytes. */
const PATTERN_IN_HEX = '7a71(73657474|63726564|6e617469|63757374|73656e74|70657273)(3[0-9]){5}';
const KIND_IN_HEX: Readonly<Record<string, Kind>> = Object.fromEntries(
  [...SECRETS, 'pers' as const].map((kind) => [Buffer.from(kind).toString('hex'), kind]),
);

const CANARY_PATTERN = `${PATTERN}|${PATTERN_IN_HEX}`;

export class Canaries {
  private readonly counts = new Map<Kind, number>();
  readonly others: string[] = [];

  /** Secrets that the service made. The database shows bytes in hexadecimal digits. */
  keep(...secrets: readonly string[]): void {
    this.others.push(...secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('hex')]));
  }

  mint(kind: Kind): string {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    return `zq${kind}${String(count).padStart(5, '0')}`;
  }

  count(kinds: readonly Kind[]): number {
    return kinds.reduce((sum, kind) => sum + (this.counts.get(kind) ?? 0), 0);
  }

  find(text: string, kinds: readonly Kind[]): string[] {
    const others = this.others.filter((other) => text.includes(other)).map((other) => `${other.slice(0, 12)}…`);
    const seen = sightings(text).filter(({ kind }) => kinds.includes(kind));
    return [...new Set([...seen.map((sighting) => sighting.text), ...others])];
  }
}

function sightings(text: string): { kind: Kind; text: string }[] {
  return Array.from(text.matchAll(new RegExp(CANARY_PATTERN, 'gi')), ([found, plain, hex]) => ({
    kind: plain ? (plain.toLowerCase() as Kind) : (KIND_IN_HEX[hex?.toLowerCase() ?? ''] ?? 'sett'),
    text: found,
  }));
}

/** The columns where each kind may stand in clear text. Sent-only and encrypted values may stand nowhere. */
const HOMES: Readonly<Record<Kind, (table: string) => boolean>> = {
  sett: (table) => table === 'public.stores',
  cust: (table) => table === 'public.customer_secrets',
  cred: () => false,
  nati: () => false,
  sent: () => false,
  // The queue stores only the class of an error.
  pers: (table) => table !== 'public.order_stages',
};

export async function dumpViolations(database: TestDatabase, canaries: Canaries): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const violations: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(
      `SELECT t::text AS row FROM ${name} AS t WHERE t::text ~* $1 OR t::text LIKE ANY ($2)`,
      [CANARY_PATTERN, canaries.others.map((other) => `%${other}%`)],
    );
    for (const { row } of rows) {
      const strays = sightings(row).filter(({ kind }) => !HOMES[kind](name));
      violations.push(...strays.map(({ text }) => `${text} in table ${name}`));
      violations.push(...canaries.find(row, []).map((other) => `${other} in table ${name}`));
    }
  }
  return violations;
}

/** The number of secrets found where they may stand. A search that finds none does not work. */
export async function countAtHome(database: TestDatabase): Promise<number> {
  const [row] = await database.query<{ count: number }>(`SELECT count(*)::int FROM stores AS t WHERE t::text ~* $1`, [
    CANARY_PATTERN,
  ]);
  return row?.count ?? 0;
}
