import type { BundleLine } from '../bundle/schema/bundle.js';
import type { BundleKind } from '../bundle/write/import-counts.js';
import type { StoreSnapshot } from './snapshot.js';

/** The rows of one kind, and how each becomes a line. `Row` has the columns. */
export interface Section<Row extends object = object> {
  readonly kind: BundleKind;
  /** The names of the columns, by their expressions. */
  readonly columns: string;
  /** FROM and WHERE. `$1` is the store. */
  readonly rows: string;
  /** Whether a row has changed since `$2`; null = the kind has no times, and all its rows are exported. */
  readonly changed: string | null;
  /** Columns of a unique key, in which the rows are sorted. */
  readonly key: readonly string[];
  readonly toLine: (row: Row, store: StoreSnapshot) => BundleLine;
}

/** A section whatever its rows are. */
export type AnySection = Section<never>;

/** A condition on the rows of a section, with the value of its `$2`. */
export interface Filter {
  readonly condition: string;
  readonly value: unknown;
}

const PAGE = 500;

/** The number of rows of a section. */
export async function countRows({ client, storeId }: StoreSnapshot, section: AnySection, filter: Filter | null) {
  const { condition, values } = conditionOf(filter);
  const sql = `/* export.count */ SELECT count(*)::int AS count FROM ${section.rows}${condition}`;
  const { rows } = await client.query<{ count: number }>(sql, [storeId, ...values]);
  return rows[0]?.count ?? 0;
}

/** The lines of a section, in pages. Memory holds one page. */
export async function* linesOf(
  snapshot: StoreSnapshot,
  section: AnySection,
  filter: Filter | null,
): AsyncGenerator<BundleLine[]> {
  const { kind, columns, rows: source, key, toLine } = section as unknown as Section;
  const { condition, values } = conditionOf(filter);
  const places = key.map((_, index) => `$${values.length + 2 + index}`);
  const page = (after: string) => `/* export.${kind} */
    SELECT ${columns}, ARRAY[${key.map((column) => `${column}::text`).join(', ')}] AS key
    FROM ${source}${condition}${after}
    ORDER BY ${key.join(', ')} LIMIT ${PAGE}`;
  const [first, next] = [page(''), page(` AND (${key.join(', ')}) > (${places.join(', ')})`)];
  for (let after: readonly string[] = []; ;) {
    const parameters = [snapshot.storeId, ...values, ...after];
    const { rows } = await snapshot.client.query<{ key: string[] }>(after.length === 0 ? first : next, parameters);
    yield rows.map((row) => toLine(row, snapshot));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.key;
  }
}

function conditionOf(filter: Filter | null) {
  return filter ? { condition: ` AND (${filter.condition})`, values: [filter.value] } : { condition: '', values: [] };
}
