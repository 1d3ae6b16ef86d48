import type pg from 'pg';

/** A plan for at most this many rows is good for twice as many. */
const FEW_ROWS = 50;

// ANALYZE sets these two figures: a table that it has read is found again only after it has doubled. When the first is
// missing, as after a restore, only the number of pages is known.
const GROWN = `/* statistics.grown */
  SELECT pg_class.oid::regclass::text AS name FROM pg_class JOIN pg_stat_user_tables AS counted ON counted.relid = pg_class.oid
  WHERE counted.schemaname = current_schema AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
    AND (n_live_tup > 2 * greatest(reltuples, ${FEW_ROWS}) OR reltuples < 0 AND pg_relation_size(pg_class.oid) > 8 * 8192)`;

/**
 * Gathers the statistics of each table that has doubled since the last time. Connections plan a statement once, and
 * again after that: a plan for empty tables reads the whole store, and autovacuum looks for such tables only once a
 * minute.
 */
export async function analyzeGrown(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(GROWN);
  // A table is skipped while an autovacuum is processing it, because PostgreSQL would cancel the autovacuum.
  for (const { name } of rows) await pool.query(`/* statistics.analyze */ ANALYZE (SKIP_LOCKED) ${name}`);
}
