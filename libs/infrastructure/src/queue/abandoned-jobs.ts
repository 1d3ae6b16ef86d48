import type pg from 'pg';
import { LOST_AFTER } from '../orders/withdraw-jobs.js';
import { NOTIFICATION_TASK } from './stage-relay.js';

// A killed worker leaves its jobs locked; the queue itself frees them after four hours. Here, all jobs of a worker that is
// gone are freed.
const UNLOCK = `/* queue.unlock */
  SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
  FROM graphile_worker._private_jobs
  WHERE NOT is_available AND locked_at < now() - ${LOST_AFTER}
  HAVING count(*) > 0`;

const BATCH = 500;

// A worker that was killed in the last attempt of a job could not record the failure. No attempt follows, so this
// statement marks the stage as dead. A stage that `orders retry-pipeline` has made pending still has its earlier job
// and stays pending. The stage records the failure, so the job is deleted: otherwise every pass would read it again. A
// job without its key was replaced.
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

/** Frees the jobs of dead workers and deletes the jobs that failed for good. */
export async function recoverAbandonedJobs(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(UNLOCK);
  while ((await pool.query(GIVE_UP)).rowCount === BATCH);
}
