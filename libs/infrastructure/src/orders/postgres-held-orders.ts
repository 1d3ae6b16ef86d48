import { HeldOrders, type HeldFilter, type HeldOrder, type OrderKey } from '@app/application';
import { UNAVAILABLE, type FraudAssessment } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { Transactions } from '../postgres/transactions.js';
import { HELD_SETS } from './stage-gauges.js';
import { IS_HELD, RELEASED, rulesOf } from './order-stages.js';
import { lockOrder } from './order-changes.js';

// For a single reason the index holds the orders side by side, in list order, however many others are held.
const ONE_REASON = 'stage.held_for = $3';
const REASONS = `($3::text[] IS NULL OR stage.held_for <@ $3 AND stage.held_for <> '{}')`;

const listBy = (reasons: string) => `/* orders.held */
  SELECT stages_held.*, orders.receipt_number AS "receiptNumber", orders.total_amount AS "totalAmount", orders.currency,
    orders.is_test AS "isTest", orders.created_at AS "createdAt"
  FROM (
    SELECT stage.store_id AS "storeId", stores.subdomain, stage.order_id AS "orderId",
      coalesce(stage.held_for, '{}') AS reasons
    FROM order_stages AS stage JOIN stores ON stores.id = stage.store_id
    WHERE ${IS_HELD} AND ($1::text IS NULL OR stores.subdomain = $1)
      AND ($2::uuid IS NULL OR (stage.order_id, stage.store_id) > ($2, $5::int)) AND ${reasons}
    ORDER BY stage.order_id, stage.store_id LIMIT $4
  ) AS stages_held
  JOIN orders ON orders.store_id = stages_held."storeId" AND orders.id = stages_held."orderId"
  ORDER BY orders.id, orders.store_id`;

// The stage first, then the assessment: of two writers at the same moment, the second finds the stage settled.
const SETTLE = `/* stages.settle */
  WITH settled AS (
    UPDATE order_stages
    SET state = CASE $3 WHEN 'ACCEPT' THEN ${RELEASED} ELSE 'held' END, held_for = $6, run_at = now(), updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND state = 'held' AND held_for = '{${UNAVAILABLE}}'
    RETURNING order_id
  ), recorded AS (
    INSERT INTO order_events (store_id, order_id, actor_type, event)
    SELECT $1, order_id, 'pipeline', 'released' FROM settled WHERE $3 = 'ACCEPT'
  )
  UPDATE fraud_assessments SET verdict = $3, score = $4, reasons = $5
  WHERE store_id = $1 AND order_id = $2 AND order_id IN (SELECT order_id FROM settled)
  RETURNING order_id`;

@Injectable()
export class PostgresHeldOrders extends HeldOrders {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  override async list({ subdomain, reasons }: HeldFilter, limit: number, after: OrderKey | null): Promise<HeldOrder[]> {
    const text = listBy(reasons?.length === 1 ? ONE_REASON : REASONS);
    return this.database.query(text, [subdomain, after?.orderId, reasons, limit, after?.storeId]);
  }

  override async reasons(): Promise<string[]> {
    const rows = await this.database.query<{ reasons: string[] }>(`/* orders.held_reasons */ ${HELD_SETS}`, []);
    return [...new Set(rows.flatMap(({ reasons }) => reasons))];
  }

  override settle(order: OrderKey, assessment: FraudAssessment): Promise<boolean> {
    return this.transactions.run(order.storeId, async (sql) => {
      // The lock makes a concurrent cancellation wait, which abandons only held stages.
      await lockOrder(sql, { storeId: order.storeId, reference: order.orderId, isTest: null });
      const { verdict, score, reasons } = assessment;
      const values = [order.storeId, order.orderId, verdict, score, JSON.stringify(reasons), rulesOf(assessment)];
      return (await sql.query(SETTLE, values)).length > 0;
    });
  }
}
