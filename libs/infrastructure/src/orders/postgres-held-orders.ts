import { HeldOrders, type HeldFilter, type HeldOrder, type OrderKey } from '@app/application';
import { rulesOf, UNAVAILABLE, type FraudAssessment } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { HELD_SETS } from './stage-gauges.js';
import { reviewStatement } from './order-stages.js';
import { lockOrder } from './order-changes.js';

// The index keeps the orders of a single reason together and in list order, however many others are held.
const ONE_REASON = 'held_reasons = $3';
const REASONS = `($3::text[] IS NULL OR held_reasons <@ $3 AND held_reasons <> '{}')`;

const listBy = (reasons: string) => `/* orders.held */
  SELECT store_id AS "storeId", stores.subdomain, orders.id AS "orderId", held_reasons AS reasons,
    receipt_number AS "receiptNumber", total_amount AS "totalAmount", orders.currency, is_test AS "isTest",
    orders.created_at AS "createdAt"
  FROM orders JOIN stores ON stores.id = store_id
  WHERE held_reasons IS NOT NULL AND ($1::text IS NULL OR stores.subdomain = $1) AND (placed OR $6::boolean IS NOT TRUE)
    AND ($2::uuid IS NULL OR (orders.id, store_id) > ($2, $5::int)) AND ${reasons}
  ORDER BY orders.id, store_id LIMIT $4`;

// The order is updated before the assessment, so that of two concurrent writers, the second finds the order settled.
const SETTLE = `/* orders.settle */
  WITH settled AS (
    UPDATE orders SET held_reasons = $6
    WHERE store_id = $1 AND id = $2 AND placed AND held_reasons = '{${UNAVAILABLE}}'
    RETURNING id AS order_id
  ), recorded AS (
    INSERT INTO order_events (store_id, order_id, actor_type, event)
    SELECT $1, order_id, 'pipeline', 'released' FROM settled WHERE $3 = 'ACCEPT'
  )
  UPDATE fraud_assessments SET verdict = $3, score = $4, reasons = $5
  WHERE store_id = $1 AND order_id = $2 AND order_id IN (SELECT order_id FROM settled)
  RETURNING order_id`;

@Injectable()
export class PostgresHeldOrders extends HeldOrders {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(
    { subdomain, reasons, placed }: HeldFilter,
    limit: number,
    after: OrderKey | null,
  ): Promise<HeldOrder[]> {
    const text = listBy(reasons?.length === 1 ? ONE_REASON : REASONS);
    return this.database.query(text, [subdomain, after?.orderId, reasons, limit, after?.storeId, placed]);
  }

  override async reasons(): Promise<string[]> {
    const rows = await this.database.query<{ reasons: string[] }>(`/* orders.held_reasons */ ${HELD_SETS}`, []);
    return [...new Set(rows.flatMap(({ reasons }) => reasons))];
  }

  override settle(order: OrderKey, assessment: FraudAssessment): Promise<boolean> {
    return this.database.transaction(order.storeId, async (sql) => {
      // The lock makes a concurrent cancellation wait until it can see whether the review has ended. A cancellation
      // abandons only an open review.
      await lockOrder(sql, { storeId: order.storeId, reference: order.orderId, isTest: null });
      const { verdict, score, reasons } = assessment;
      const values = [order.storeId, order.orderId, verdict, score, JSON.stringify(reasons), rulesOf(assessment)];
      const isSettled = (await sql.query(SETTLE, values)).length > 0;
      if (isSettled && verdict === 'ACCEPT') await sql.pipeline([reviewStatement(order, 'released')]);
      return isSettled;
    });
  }
}
