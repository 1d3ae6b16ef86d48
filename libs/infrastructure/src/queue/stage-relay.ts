import type { NotificationStage } from '@app/application';
import type pg from 'pg';
import { jobKey } from '../orders/withdraw-jobs.js';

/** The task that runs one notification stage of an order. */
export const NOTIFICATION_TASK = 'order-notification';

/** With the queue's back-off of e^n seconds the last attempt comes about 16 hours after the first. */
export const NOTIFICATION_ATTEMPTS = 12;

export interface NotificationJob {
  readonly storeId: number;
  readonly orderId: string;
  readonly stage: NotificationStage;
}

const BATCH = 200;

// The oldest stages of all stores first. One statement marks a stage as queued exactly when it adds the job. Concurrent
// workers take different stages. The job key allows one job per stage: queueing it again replaces the job.
const RELAY = `/* stages.relay */
  WITH waiting AS (
    SELECT store_id, order_id, stage FROM order_stages
    WHERE state = 'pending' AND NOT queued
    ORDER BY updated_at LIMIT ${BATCH}
    FOR NO KEY UPDATE SKIP LOCKED
  ), relayed AS (
    UPDATE order_stages SET queued = true FROM waiting
    WHERE order_stages.store_id = waiting.store_id AND order_stages.order_id = waiting.order_id
      AND order_stages.stage = waiting.stage
    RETURNING order_stages.store_id, order_stages.order_id, order_stages.stage
  ), jobs AS (
    SELECT array_agg((
      '${NOTIFICATION_TASK}', json_build_object('storeId', store_id, 'orderId', order_id, 'stage', stage), NULL, NULL,
      ${NOTIFICATION_ATTEMPTS}, ${jobKey('store_id', 'order_id', 'stage')}, NULL, NULL)::graphile_worker.job_spec) AS specs
    FROM relayed HAVING count(*) > 0
  )
  SELECT count(job.id)::int AS relayed FROM jobs CROSS JOIN LATERAL graphile_worker.add_jobs(specs) AS job`;

/** Queues the oldest stages of the outbox. @returns whether there may be more. */
export async function relayStages(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ relayed: number }>({ name: 'relay_stages', text: RELAY });
  return rows[0]?.relayed === BATCH;
}
