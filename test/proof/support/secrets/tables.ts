import type { TestDatabase } from '../../../support/test-database.js';
import { CANARY_PATTERN, sightings, type Canaries, type Kind } from './canaries.js';

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

/** Searches every row of every table, in the form of a dump, for texts that must not be in it. */
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
