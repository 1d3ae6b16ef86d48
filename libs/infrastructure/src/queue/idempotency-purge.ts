import type pg from 'pg';

export const PURGE_TASK = 'purge-idempotency-keys';

/** Every ten minutes. Of several workers the queue lets one run it. */
export const PURGE_CRONTAB = `*/10 * * * * ${PURGE_TASK}`;

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
