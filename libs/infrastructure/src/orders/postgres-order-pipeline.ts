import { OrderPipeline, PIPELINE_STAGES, type NotificationStage } from '@app/application';
import { UNAVAILABLE, type FraudAssessment } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';

// Fraud analysis and inventory happen in the order's own transaction: their rows say so. What is pending, a worker puts
// into the queue (see StageRelay): the row is what makes it certain that the stage will run.
const ENQUEUE = `/* stages.insert */
  INSERT INTO order_stages (store_id, order_id, stage, state, attempts, position, held_for)
  SELECT $1::int, $2::uuid, stage.name, stage.state, (stage.state = 'done')::int, stage.position,
    CASE stage.state WHEN 'held' THEN $5::text[] END
  FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS stage (name, state, position)`;

const requeue = (condition: string): string => `/* stages.requeue */
  UPDATE order_stages SET state = 'pending', queued = false, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND ${condition}
  RETURNING stage`;

const RELEASE = requeue(`state = 'held'`);
const RETRY = requeue(`(state = 'dead' OR state = 'pending' AND last_error <> '')
    AND NOT (stage = 'notify-customer' AND EXISTS (
      SELECT FROM orders WHERE store_id = $1 AND id = $2 AND fulfillment_status = 'CANCELLED'))`);

// The stage first, then the assessment: of two workers, or a worker and a person, the second finds it settled.
const SETTLE = `/* stages.settle */
  WITH settled AS (
    UPDATE order_stages
    SET state = CASE $3 WHEN 'ACCEPT' THEN 'pending' ELSE 'held' END, held_for = $6, queued = false, updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND state = 'held' AND held_for = '{${UNAVAILABLE}}'
    RETURNING order_id
  )
  UPDATE fraud_assessments SET verdict = $3, score = $4, reasons = $5
  WHERE store_id = $1 AND order_id = $2 AND order_id IN (SELECT order_id FROM settled)
  RETURNING order_id`;

/** Lives for one transaction: it is built by the unit of work, not by Nest. */
export class PostgresOrderPipeline extends OrderPipeline {
  constructor(private readonly sql: TransactionSql) {
    super();
  }

  override async enqueue(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void> {
    await this.sql.query(ENQUEUE, [
      storeId,
      orderId,
      PIPELINE_STAGES,
      ['done', 'done', assessment.verdict === 'REVIEW' ? 'held' : 'pending', 'pending'],
      rulesOf(assessment),
    ]);
  }

  override async heldFor(storeId: number, orderId: string): Promise<readonly string[] | null> {
    const [row] = await this.sql.query<{ held_for: string[] | null }>(
      `/* stages.held_for */ SELECT held_for FROM order_stages WHERE store_id = $1 AND order_id = $2 AND state = 'held'`,
      [storeId, orderId],
    );
    return row ? (row.held_for ?? []) : null;
  }

  override async release(storeId: number, orderId: string): Promise<boolean> {
    return (await this.sql.query(RELEASE, [storeId, orderId])).length > 0;
  }

  override async settle(storeId: number, orderId: string, assessment: FraudAssessment): Promise<boolean> {
    const { verdict, score, reasons } = assessment;
    const values = [storeId, orderId, verdict, score, JSON.stringify(reasons), rulesOf(assessment)];
    return (await this.sql.query(SETTLE, values)).length > 0;
  }

  override async abandonHeld(storeId: number, orderId: string): Promise<void> {
    await this.sql.query(
      `/* stages.cancel */ UPDATE order_stages SET state = 'dead', last_error = 'OrderCancelled', updated_at = now()
       WHERE store_id = $1 AND order_id = $2 AND state = 'held'`,
      [storeId, orderId],
    );
  }

  override async retry(storeId: number, orderId: string): Promise<NotificationStage[]> {
    const rows = await this.sql.query<{ stage: NotificationStage }>(RETRY, [storeId, orderId]);
    return rows.map(({ stage }) => stage);
  }
}

function rulesOf({ reasons }: FraudAssessment): string[] {
  return reasons.map(({ rule }) => rule);
}
