import { OrderPipeline, PIPELINE_STAGES, type NotificationStage } from '@app/application';
import type { FraudVerdict } from '@app/domain';
import type { TransactionSql } from '../persistence/transaction-sql.js';

// Fraud analysis and inventory happen in the order's own transaction: their rows say so. What is pending, a worker puts
// into the queue (see StageRelay): the row is what makes it certain that the stage will run.
const ENQUEUE = `
  INSERT INTO order_stages (store_id, order_id, stage, state, attempts, position)
  SELECT $1::int, $2::uuid, stage.name, stage.state, (stage.state = 'done')::int, stage.position
  FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS stage (name, state, position)`;

const requeue = (condition: string): string => `
  UPDATE order_stages SET state = 'pending', queued = false, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND ${condition}
  RETURNING stage`;

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
      PIPELINE_STAGES,
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
