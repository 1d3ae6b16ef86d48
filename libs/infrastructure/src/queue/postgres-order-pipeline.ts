import { NOTIFICATION_STAGES, OrderPipeline } from '@app/application';
import type { FraudVerdict } from '@app/domain';
import type { EntityManager } from 'typeorm';

/** The task that works one notification stage of an order. */
export const NOTIFICATION_TASK = 'order-notification';
export const NOTIFICATION_ATTEMPTS = 12;

export interface NotificationJob {
  readonly storeId: number;
  readonly orderId: string;
  readonly stage: (typeof NOTIFICATION_STAGES)[number];
}

// The stages and their jobs, in one round trip. Fraud analysis and inventory happen in the order's own transaction:
// their rows say so.
const ENQUEUE = `
  WITH stages AS (
    INSERT INTO order_stages (store_id, order_id, stage, state, attempts, position)
    SELECT $1::int, $2::uuid, stage.name, stage.state, (stage.state = 'done')::int, stage.position
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS stage (name, state, position)
    RETURNING stage, state
  )
  SELECT graphile_worker.add_job($5, json_build_object('storeId', $1::int, 'orderId', $2::uuid, 'stage', stage),
    max_attempts := $6)
  FROM stages WHERE state = 'pending'`;

/** Lives for one transaction: it is built by the unit of work, not by Nest. */
export class PostgresOrderPipeline extends OrderPipeline {
  constructor(private readonly manager: EntityManager) {
    super();
  }

  override async enqueue(storeId: number, orderId: string, verdict: FraudVerdict): Promise<void> {
    const customer = verdict === 'REVIEW' ? 'held' : 'pending';
    await this.manager.query(ENQUEUE, [
      storeId,
      orderId,
      ['fraud-analysis', 'inventory', ...NOTIFICATION_STAGES],
      ['done', 'done', customer, 'pending'],
      NOTIFICATION_TASK,
      NOTIFICATION_ATTEMPTS,
    ]);
  }
}
