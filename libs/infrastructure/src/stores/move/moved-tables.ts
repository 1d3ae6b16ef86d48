import type { Connection } from '../../postgres/connection.js';
import type { Sql } from '../../postgres/sql.js';

/** Tables with rows of a store that a move does not copy, with the reason. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  change_log: 'is empty after the drain: its ids mean nothing in another cluster',
  shared_changes: 'is empty after the drain',
  list_tally_changes: 'is empty after the drain',
  feed_snapshots: 'has transaction ids of the cluster: a count with an older cursor gets cursor_expired',
  change_forks: 'is written by adopt_branches, for the branches of the target',
};

export interface MovedTable {
  readonly name: string;
  /** The copied columns: all except transaction ids, which the target assigns again, and generated columns. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

const TABLES = `/* moves.tables */
  SELECT relname AS name,
    ARRAY(
      SELECT attname::text FROM pg_attribute
      /* @protects given-transactions */
      WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND atttypid <> 'xid8'::regtype
      ORDER BY attnum) AS columns,
    ARRAY(
      SELECT attname::text FROM pg_index CROSS JOIN unnest(indkey) AS part (number)
      JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number
      WHERE indrelid = pg_class.oid AND indisprimary) AS key
  FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'store_id' AND NOT attisdropped)
  ORDER BY relname`;

/** Returns all tables with rows of a store, except `stores`. */
export function tablesOfStores(sql: Sql): Promise<MovedTable[]> {
  return sql.query<MovedTable>(TABLES);
}

export const isCopied = ({ name }: MovedTable): boolean => !(name in NOT_COPIED);

/**
 * Deletes the rows of a store from every table, without triggers, because they are not changes of the store. @returns
 * the number of deleted rows.
 */
export async function deleteStore(connection: Connection, storeId: number): Promise<number> {
  const tables = (await tablesOfStores(connection)).map(({ name }) => `FROM ${name} WHERE store_id = $1`);
  return connection.transaction(null, async (sql) => {
    await sql.query('SET LOCAL session_replication_role = replica');
    let rows = 0;
    for (const theirs of [...tables, 'FROM stores WHERE id = $1']) {
      const [counted] = await sql.query<{ rows: number }>(`SELECT count(*)::float8 AS rows ${theirs}`, [storeId]);
      await sql.query(`DELETE ${theirs}`, [storeId]);
      rows += counted?.rows ?? 0;
    }
    return rows;
  });
}

export interface RowSum {
  readonly rows: number;
  readonly hash: string;
}

/** Sums up the rows of each copied table, in the snapshot of the connection. */
export async function sumsOf(sql: Sql, storeId: number): Promise<Map<string, RowSum>> {
  const sums = new Map<string, RowSum>();
  for (const table of (await tablesOfStores(sql)).filter(isCopied)) {
    if (table.name === 'store_moves') continue;
    const [sum] = await sql.query<RowSum>(
      `/* moves.sum */
       SELECT count(*)::float8 AS rows, coalesce(sum(hashtextextended(ROW (${table.columns.join(', ')})::text, 0)::numeric), 0)::text AS hash
       FROM ${table.name} WHERE store_id = $1`,
      [storeId],
    );
    if (sum) sums.set(table.name, sum);
  }
  return sums;
}
