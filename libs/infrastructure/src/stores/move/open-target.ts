import type { Sql } from '../../postgres/sql.js';
import { isCopied, tablesOfStores } from './moved-tables.js';
import type { Clusters } from './replication.js';

const STORE = `/* moves.closed_store */
  SELECT to_jsonb(stores) || jsonb_build_object('status', (
    SELECT details ->> 'status' FROM store_moves WHERE store_id = $1 AND step = 'draining')) AS profile,
    (SELECT jsonb_agg(change_branches) FROM change_branches) AS branches,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('branch', id, 'position', position)), '[]')
      FROM change_forks JOIN change_branches ON number = branch WHERE store_id = $1) AS forks
  FROM stores WHERE id = $1`;

// The sequences move past all ids of the source, not only those of the store, because no index finds the latter.
const SEQUENCES = `/* moves.sequences */
  SELECT relname AS table, attname AS column,
    coalesce(pg_sequence_last_value(pg_get_serial_sequence(relname, attname)::regclass), 1)::text AS last
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) AND attidentity <> ''`;

const PASS_IDS = `/* moves.pass_ids */
  SELECT setval(sequence, $3::bigint) FROM pg_get_serial_sequence($1, $2) AS sequence
  WHERE $3::bigint > coalesce(pg_sequence_last_value(sequence::regclass), 0)`;

interface ClosedStore {
  readonly profile: object;
  readonly branches: object;
  readonly forks: object;
}

/** Turns the copy into the store, in one transaction. The target serves the store afterwards. */
export async function openTarget({ storeId, source, target }: Clusters): Promise<void> {
  const store = (await source.query<ClosedStore>(STORE, [storeId]))[0] as ClosedStore;
  const tables = (await tablesOfStores(source)).filter(isCopied).map(({ name }) => name);
  const sequences = await source.query<{ table: string; column: string; last: string }>(SEQUENCES, [tables]);
  await target.transaction(null, async (sql) => {
    // @protects moved-sequences
    for (const { table, column, last } of sequences) await sql.query(PASS_IDS, [table, column, last]);
    await open(sql, storeId, store);
  });
}

async function open(sql: Sql, storeId: number, { profile, branches, forks }: ClosedStore): Promise<void> {
  const values = [storeId, JSON.stringify(branches), JSON.stringify(forks)];
  // @protects moved-forks
  await sql.query('/* moves.adopt_branches */ SELECT adopt_branches($1, $2, $3)', values);
  // The worker of the source no longer holds the webhooks.
  await sql.query(
    `/* moves.free_webhooks */ UPDATE webhooks SET holder = NULL, held_until = '-infinity' WHERE store_id = $1`,
    [storeId],
  );
  await sql.query('/* moves.drop_markers */ DELETE FROM store_moves WHERE store_id = $1', [storeId]);
  const columns = Object.keys(profile).filter((name) => name !== 'id');
  await sql.query(
    `/* moves.open */
     UPDATE stores SET (${columns.join(', ')}) = (SELECT ${columns.join(', ')} FROM jsonb_populate_record(NULL::stores, $2))
     WHERE id = $1`,
    [storeId, profile],
  );
}
