import type pg from 'pg';

export const PURGE_TASK = 'purge-idempotency-keys';

export const PURGE_INTERVAL_MS = 600_000;

const BATCH = 1_000;

const PURGE = `
  DELETE FROM idempotency_keys
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_keys WHERE created_at < now() - interval '24 hours' LIMIT ${BATCH}))`;

/** Removes answers older than 24 hours, in small batches so that nobody waits for a long transaction. */
export async function purgeIdempotencyKeys(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(PURGE);
    if ((rowCount ?? 0) < BATCH) return;
  }
}
