import { StageRetries, type NotificationStage, type OrderKey, type RetriedPipeline } from '@app/application';
import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Database } from '../postgres/database.js';
import type { LockedOrder } from '../stock/restock.js';
import { lockOrder } from './order-changes.js';
import { byPipeline, retryStages } from './order-stages.js';

// Dismissing is not a change of the order: its record shows the same.
const DISMISS = `/* stages.dismiss */
  UPDATE order_stages SET dismissed = true
  WHERE store_id = $1 AND order_id = $2 AND outcome = 'failed' AND NOT dismissed
  RETURNING stage`;

// A worker skips locked stages, so it claims none of them before the transaction ends. clock_timestamp() is used
// because the statement may have waited for a claim.
const UNFINISHED = `/* stages.unfinished */
  SELECT stage, reference, coalesce(state = 'pending' AND locked_until > clock_timestamp(), false) AS running FROM order_stages
  WHERE store_id = $1 AND order_id = $2
    AND (state = 'dead' OR state = 'pending' AND (attempts > 0 OR locked_until IS NOT NULL))
    AND NOT (stage = 'notify-customer' AND EXISTS (
      SELECT FROM orders WHERE store_id = $1 AND id = $2 AND fulfillment_status = 'CANCELLED'))
  ORDER BY ${byPipeline('order_stages')} FOR NO KEY UPDATE OF order_stages`;

interface UnfinishedRow {
  readonly stage: NotificationStage;
  readonly reference: string;
  readonly running: boolean;
}

@Injectable()
export class PostgresStageRetries extends StageRetries {
  constructor(private readonly database: Database) {
    super();
  }

  override retry(order: OrderKey): Promise<RetriedPipeline> {
    return this.withLock(order, async (sql, { state }) => {
      const unfinished = await sql.query<UnfinishedRow>(UNFINISHED, [order.storeId, order.orderId]);
      const running = unfinished.filter((row) => row.running).map(({ stage }) => stage);
      const ended = unfinished.filter((row) => !row.running);
      const stages = ended.map(({ stage }) => stage);
      if (ended.length > 0) await sql.pipeline([retryStages(order, ended)]);
      const { heldReasons, fulfillmentStatus } = state;
      return { stages, running, heldReasons, cancelled: fulfillmentStatus === 'CANCELLED' };
    });
  }

  override dismiss(order: OrderKey): Promise<readonly NotificationStage[]> {
    return this.withLock(order, async (sql) => {
      const rows = await sql.query<{ stage: NotificationStage }>(DISMISS, [order.storeId, order.orderId]);
      return rows.map(({ stage }) => stage);
    });
  }

  private withLock<T>(
    { storeId, orderId }: OrderKey,
    work: (sql: TransactionSql, locked: LockedOrder) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(storeId, async (sql) => {
      const locked = await lockOrder(sql, { storeId, reference: orderId, isTest: null });
      if (!locked) throw new NotFound('Order');
      return work(sql, locked);
    });
  }
}
