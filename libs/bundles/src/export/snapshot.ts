import { NotFound, type Currency } from '@app/domain';
import { withConnection, type Sql } from '@app/infrastructure';
import type { BundleKind } from '../bundle/schema/bundle.js';

export interface StoreSnapshot {
  readonly sql: Sql;
  readonly storeId: number;
  readonly subdomain: string;
  readonly currency: Currency;
  readonly takenAt: Date;
}

export interface Section<Row extends object = object> {
  readonly kind: BundleKind;
  readonly columns: string;
  /** The FROM and WHERE clauses. `$1` is the store. */
  readonly rows: string;
  /**
   * SQL for whether a row has changed since `$2`. When absent, the kind has no times, and all its rows are exported.
   */
  readonly changed?: string;
  /** The unique key that sorts the rows; by default, `item.id`. */
  readonly key?: readonly string[];
  readonly toFields?: (row: Row, store: StoreSnapshot) => object;
}

export type AnySection = Section<never>;

const FIND_STORE = `/* export.find_store */
  SELECT id AS "storeId", subdomain, currency, now() AS "takenAt" FROM stores WHERE subdomain = $1`;

/** Reads a snapshot without blocking other processes. @throws NotFound */
export function inSnapshot<T>(
  url: string,
  subdomain: string,
  work: (snapshot: StoreSnapshot) => Promise<T>,
): Promise<T> {
  return withConnection(url, 'store-commerce-export', (connection) =>
    connection.snapshot(async (sql) => {
      const [store] = await sql.query<Omit<StoreSnapshot, 'sql'>>(FIND_STORE, [subdomain]);
      if (!store) throw new NotFound(`Store ${subdomain}`);
      return work({ sql, ...store });
    }),
  );
}

const PAGE = 500;

/** @param since excludes rows that have not changed since then. */
export async function countRows({ sql, storeId }: StoreSnapshot, section: AnySection, since: Date | null) {
  const { condition, values } = changedSince(section, since);
  const count = `/* export.count */ SELECT count(*)::int AS count FROM ${section.rows}${condition}`;
  const [row] = await sql.query<{ count: number }>(count, [storeId, ...values]);
  return row?.count ?? 0;
}

/** Reads the rows in pages, so that memory holds only one page. */
export async function* linesOf(
  snapshot: StoreSnapshot,
  section: AnySection,
  since: Date | null,
): AsyncGenerator<object[]> {
  const { kind, columns, rows: source, key = ['item.id'] } = section;
  const { toFields = (row: object) => row } = section as unknown as Section;
  const { condition, values } = changedSince(section, since);
  const placeholders = key.map((_, index) => `$${values.length + 2 + index}`);
  const page = (after: string) => `/* export.${kind} */
    SELECT ${columns}, ARRAY[${key.map((column) => `${column}::text`).join(', ')}] AS key
    FROM ${source}${condition}${after}
    ORDER BY ${key.join(', ')} LIMIT ${PAGE}`;
  const first = page('');
  const next = page(` AND (${key.join(', ')}) > (${placeholders.join(', ')})`);
  const start = kind === 'store' ? { kind } : { kind, store: snapshot.subdomain };
  for (let after: readonly string[] = []; ;) {
    const parameters = [snapshot.storeId, ...values, ...after];
    const rows = await snapshot.sql.query<{ key: string[] }>(after.length === 0 ? first : next, parameters);
    yield rows.map(({ key: _, ...row }) => ({ ...start, ...withTexts(toFields(row, snapshot)) }));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.key;
  }
}

function withTexts(fields: object): object {
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, textOf(value)]));
}

function changedSince({ changed }: AnySection, since: Date | null) {
  return changed && since ? { condition: ` AND (${changed})`, values: [since] } : { condition: '', values: [] };
}
