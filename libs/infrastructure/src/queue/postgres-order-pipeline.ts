import { NOTIFICATION_STAGES, OrderPipeline, type NotificationStage } from '@app/application';
import type { FraudVerdict } from '@app/domain';
import type { TransactionSql } from '../persistence/transaction-sql.js';

/** The task that works one notification stage of an order. */
export const NOTIFICATION_TASK = 'order-notification';

/** With the queue's back-off of e^n seconds the last attempt comes about 16 hours after the first. */
export const NOTIFICATION_ATTEMPTS = 12;

export interface NotificationJob {
  readonly storeId: number;
  readonly orderId: string;
  readonly stage: NotificationStage;
}

// Queues a job for each row of `queued (stage)`. The key makes it one job a stage: queueing it again starts it anew.
const ADD_JOBS = `
  SELECT queued.stage, graphile_worker.add_job('${NOTIFICATION_TASK}',
    json_build_object('storeId', $1::int, 'orderId', $2::uuid, 'stage', queued.stage),
    max_attempts := ${NOTIFICATION_ATTEMPTS}, job_key := $2::text || ':' || queued.stage)
  FROM queued`;

// The stages and their jobs, in one round trip. Fraud analysis and inventory happen in the order's own transaction:
// their rows say so.
const ENQUEUE = `
  WITH stages AS (
    INSERT INTO order_stages (store_id, order_id, stage, state, attempts, position)
    SELECT $1::int, $2::uuid, stage.name, stage.state, (stage.state = 'done')::int, stage.position
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS stage (name, state, position)
    RETURNING stage, state
  ), queued AS (SELECT stage FROM stages WHERE state = 'pending')
  ${ADD_JOBS}`;

const requeue = (condition: string): string => `
  WITH queued AS (
    UPDATE order_stages SET state = 'pending', updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND ${condition}
    RETURNING stage
  )
  ${ADD_JOBS}`;

const RELEASE = requeue(`state = 'held'`);
const RETRY = requeue(`(state = 'dead' OR state = 'pending' AND last_error <> '')`);

/** Lives for one transaction: it is built by the unit of work, not by Nest. */
export class PostgresOrderPipeline extends OrderPipeline {
  constructor(private readonly sql: TransactionSql) {
    super();
  }

  override async enqueue(storeId: number, orderId: string, verdict: FraudVerdict): Promise<void> {
    await this.sql.query(ENQUEUE, [
      storeId,
      orderId,
      ['fraud-analysis', 'inventory', ...NOTIFICATION_STAGES],
      ['done', 'done', verdict === 'REVIEW' ? 'held' : 'pending', 'pending'],
    ]);
  }

  override async release(storeId: number, orderId: string): Promise<void> {
    await this.sql.query(RELEASE, [storeId, orderId]);
  }

  override async abandonHeld(storeId: number, orderId: string): Promise<void> {
    await this.sql.query(
      `UPDATE order_stages SET state = 'dead', last_error = 'OrderCancelled', updated_at = now()
       WHERE store_id = $1 AND order_id = $2 AND state = 'held'`,
      [storeId, orderId],
    );
  }

  override async retry(storeId: number, orderId: string): Promise<NotificationStage[]> {
    const rows = await this.sql.query<{ stage: NotificationStage }>(RETRY, [storeId, orderId]);
    return rows.map(({ stage }) => stage);
  }
}
