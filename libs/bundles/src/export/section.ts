import type { BundleKind } from '../bundle/schema/bundle.js';
import type { StoreSnapshot } from './snapshot.js';

export interface Section<Row extends object = object> {
  readonly kind: BundleKind;
  readonly columns: string;
  /** FROM and WHERE. `$1` is the store. */
  readonly rows: string;
  /** Whether a row has changed since `$2`; null = the kind has no times, and all its rows are exported. */
  readonly changed: string | null;
  /** A unique key, in which the rows are sorted. */
  readonly key: readonly string[];
  readonly toFields?: (row: Row, store: StoreSnapshot) => object;
}

export type AnySection = Section<never>;

const PAGE = 500;

/** @param since leaves out rows that have not changed since then. */
export async function countRows({ client, storeId }: StoreSnapshot, section: AnySection, since: Date | null) {
  const { condition, values } = changedSince(section, since);
  const sql = `/* export.count */ SELECT count(*)::int AS count FROM ${section.rows}${condition}`;
  const { rows } = await client.query<{ count: number }>(sql, [storeId, ...values]);
  return rows[0]?.count ?? 0;
}

/** In pages: memory holds one. */
export async function* linesOf(
  snapshot: StoreSnapshot,
  section: AnySection,
  since: Date | null,
): AsyncGenerator<object[]> {
  const { kind, columns, rows: source, key, toFields = (row: object) => row } = section as unknown as Section;
  const { condition, values } = changedSince(section, since);
  const places = key.map((_, index) => `$${values.length + 2 + index}`);
  const page = (after: string) => `/* export.${kind} */
    SELECT ${columns}, ARRAY[${key.map((column) => `${column}::text`).join(', ')}] AS key
    FROM ${source}${condition}${after}
    ORDER BY ${key.join(', ')} LIMIT ${PAGE}`;
  const first = page('');
  const next = page(` AND (${key.join(', ')}) > (${places.join(', ')})`);
  const start = kind === 'store' ? { kind } : { kind, store: snapshot.subdomain };
  for (let after: readonly string[] = []; ;) {
    const parameters = [snapshot.storeId, ...values, ...after];
    const { rows } = await snapshot.client.query<{ key: string[] }>(after.length === 0 ? first : next, parameters);
    yield rows.map(({ key: _, ...row }) => ({ ...start, ...withTexts(toFields(row, snapshot)) }));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.key;
  }
}

function withTexts(fields: object): object {
  const entries = Object.entries(fields) as [string, unknown][];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}

function changedSince({ changed }: AnySection, since: Date | null) {
  const isFiltered = changed !== null && since !== null;
  return isFiltered ? { condition: ` AND (${changed})`, values: [since] } : { condition: '', values: [] };
}
