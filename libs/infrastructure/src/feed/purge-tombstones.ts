import { DELETIONS_KEPT_DAYS } from '@app/domain';
import type pg from 'pg';

const BATCH = 1_000;

// The newest change of a kind stays, because its position counts the next ones and identifies the state of a list.
const PURGE = `/* retention.changes */
  WITH purged AS (
    DELETE FROM changes
    WHERE ctid = ANY (ARRAY(
      SELECT tombstone.ctid FROM changes AS tombstone
      WHERE tombstone.deleted AND tombstone.changed_at < now() - interval '${DELETIONS_KEPT_DAYS} days'
        AND tombstone.position < newest_change(tombstone.store_id, ARRAY[tombstone.kind])
        AND is_home(tombstone.store_id)
      LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))
    RETURNING store_id, kind, position
  )
  INSERT INTO purged_changes (store_id, kind, through)
  SELECT store_id, kind, max(position) FROM purged GROUP BY store_id, kind
  ON CONFLICT (store_id, kind) DO UPDATE SET through = greatest(purged_changes.through, excluded.through)
  RETURNING (SELECT count(*)::int FROM purged) AS rows`;

/** Deletes tombstones of the feed after {@link DELETIONS_KEPT_DAYS}, in small batches. */
export async function purgeTombstones(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  while ((await pool.query<{ rows: number }>(PURGE)).rows[0]?.rows === BATCH);
}
