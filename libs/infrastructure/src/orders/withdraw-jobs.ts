import type { NotificationStage, OrderKey } from '@app/application';
import type { TransactionSql } from '../postgres/transaction-sql.js';

/** The queue's key for the job of a stage, in SQL. Order ids are unique within a store only. */
export const jobKey = (storeId: string, orderId: string, stage: string): string =>
  `concat_ws(':', ${storeId}, ${orderId}, ${stage})`;

/** An attempt ends after 30 s: a worker that holds a job for longer than this is gone. */
export const LOST_AFTER = `interval '60 seconds'`;

// A job without its key was replaced, and its worker is gone or finishes it. SKIP LOCKED: a worker that claims a job at
// this moment keeps it, and the recovery of lost jobs, which locks jobs before stages, causes no deadlock.
const WITHDRAW = `/* queue.withdraw */
  WITH present AS (
    SELECT id, stage FROM unnest($3::text[]) AS stage
    JOIN graphile_worker._private_jobs job ON job.key = ${jobKey('$1::int', '$2::uuid', 'stage')}
  ), idle AS (
    SELECT id FROM graphile_worker._private_jobs
    WHERE id IN (SELECT id FROM present) AND (locked_at IS NULL OR locked_at < now() - ${LOST_AFTER})
    FOR UPDATE SKIP LOCKED
  ), withdrawn AS (
    DELETE FROM graphile_worker._private_jobs WHERE id IN (SELECT id FROM idle) RETURNING id
  )
  SELECT stage FROM present WHERE id NOT IN (SELECT id FROM withdrawn)`;

/**
 * Deletes the jobs of these stages, except those that a worker holds. The caller has locked the stages and queues those
 * without a job again.
 *
 * @returns the stages whose jobs a worker holds.
 */
export async function withdrawJobs(
  sql: TransactionSql,
  { storeId, orderId }: OrderKey,
  stages: readonly NotificationStage[],
): Promise<NotificationStage[]> {
  const rows = await sql.query<{ stage: NotificationStage }>(WITHDRAW, [storeId, orderId, stages]);
  return rows.map(({ stage }) => stage);
}
