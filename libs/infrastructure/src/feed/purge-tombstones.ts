import { DELETION_RETENTION_DAYS } from '@app/domain';
import type pg from 'pg';
import { storeByStore } from '../lists/store-by-store.js';

const BATCH = 1_000;
const OLD = `now() - interval '${DELETION_RETENTION_DAYS} days'`;

const WAITING = `/* retention.waiting_stores */
  SELECT id FROM stores
  WHERE status IN ('ACTIVE', 'INACTIVE') AND (SELECT min(changed_at) FROM changes WHERE store_id = stores.id AND deleted) < ${OLD}
  ORDER BY id`;

// The newest change of a kind stays, because its position numbers the next changes and identifies the state of a list.
const PURGE = `/* retention.changes */
  WITH purged AS (
    DELETE FROM changes
    WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM changes AS tombstone
      WHERE store_id = $1 AND deleted AND changed_at < ${OLD} AND position < newest_change($1, ARRAY[kind])
        AND (SELECT is_writable($1))
      ORDER BY changed_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))
    RETURNING kind, position
  )
  INSERT INTO purged_changes (store_id, kind, through)
  SELECT $1, kind, max(position) FROM purged GROUP BY kind
  ON CONFLICT (store_id, kind) DO UPDATE SET through = greatest(purged_changes.through, excluded.through)
  RETURNING (SELECT count(*)::int FROM purged) AS rows`;

/**
 * Deletes tombstones of the feed after {@link DELETION_RETENTION_DAYS}, one batch of each store at a time. It skips stores
 * that this cluster does not own.
 * @param signal stops the work between two batches. @throws the first failure, after one batch of each other store.
 */
export function purgeTombstones(pool: Pick<pg.Pool, 'query'>, signal?: AbortSignal): Promise<void> {
  const purge = async (storeId: number) =>
    (await pool.query<{ rows: number }>(PURGE, [storeId])).rows[0]?.rows === BATCH;
  return storeByStore(pool, WAITING, purge, signal);
}
