import type pg from 'pg';
import { NOTIFICATION_TASK } from './stage-relay.js';

// A worker that was killed leaves its jobs locked; the queue itself frees them after four hours. An attempt is given up
// after 30 s, so whoever holds a job for a minute is gone, and with it everything it holds.
const UNLOCK = `/* queue.unlock */
  SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
  FROM graphile_worker._private_jobs
  WHERE NOT is_available AND locked_at < now() - interval '60 seconds'
  HAVING count(*) > 0`;

const BATCH = 500;

// Killed in its very last attempt, a worker could not say so: no attempt follows, so the stage is given up here. One that
// waits to be queued again, by `orders retry-pipeline`, still has the job of before. The job has nothing more to tell than
// its stage, and goes: what failed for good must not be looked at again and again. A job without its key was replaced.
const GIVE_UP = `/* queue.give_up */
  WITH failed AS (
    SELECT id, key IS NOT NULL AS is_current, (payload->>'storeId')::int AS store_id,
      (payload->>'orderId')::uuid AS order_id, payload->>'stage' AS stage
    FROM graphile_worker._private_jobs
    WHERE NOT is_available AND locked_at IS NULL
      AND task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = '${NOTIFICATION_TASK}')
    LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  ), given_up AS (
    UPDATE order_stages stage SET state = 'dead', last_error = 'WorkerLost', updated_at = now()
    FROM failed
    WHERE failed.is_current AND stage.store_id = failed.store_id AND stage.order_id = failed.order_id
      AND stage.stage = failed.stage AND stage.state = 'pending' AND stage.queued
  )
  DELETE FROM graphile_worker._private_jobs job USING failed WHERE job.id = failed.id`;

/** Frees the jobs of workers that died, for others to work, and removes those that failed for good. */
export async function recoverAbandonedJobs(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(UNLOCK);
  while ((await pool.query(GIVE_UP)).rowCount === BATCH);
}
