import type pg from 'pg';

// A worker that was killed leaves its jobs locked; the queue itself frees them after four hours. An attempt is given up
// after 30 s, so whoever holds a job for a minute is gone, and with it everything it holds.
const UNLOCK = `
  SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
  FROM graphile_worker.jobs
  WHERE locked_at < now() - interval '60 seconds'
  HAVING count(*) > 0`;

// Killed in its very last attempt, a worker could not say so: no attempt follows, so the stage is given up here.
// One that waits to be queued again, by `orders retry-pipeline`, still has the job of before.
const GIVE_UP = `
  UPDATE order_stages stage SET state = 'dead', last_error = 'WorkerLost', updated_at = now()
  FROM graphile_worker.jobs job
  WHERE job.attempts >= job.max_attempts AND job.locked_at IS NULL AND stage.state = 'pending'
    AND stage.queued AND job.key = stage.order_id::text || ':' || stage.stage`;

/** Frees the jobs of workers that died, for others to work. */
export async function recoverAbandonedJobs(pool: Pick<pg.Pool, 'query'>): Promise<void> {
  await pool.query(UNLOCK);
  await pool.query(GIVE_UP);
}
