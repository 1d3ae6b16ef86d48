import { BASELINE_ORDERS, BASELINE_PERCENTILE, NO_BASELINE, type OrderBaseline } from '@app/domain';
import type { RunSql } from './find-facts.js';

interface Row {
  readonly orders: number;
  readonly high_total: string | null;
  readonly most_units: string | null;
  readonly most_units_of_line: number | null;
}

// The newest orders (selected first, to bound the scan), of those only real sales in today's currency. An order under
// review counts only after its release or confirmation: otherwise the first odd order would make the second one look
// normal. OFFSET keeps the planner from reading the assessments of all stores at once.
const FIND = `/* fraud.baseline */
  SELECT count(*)::int AS orders, percentile_disc(${BASELINE_PERCENTILE}) WITHIN GROUP (ORDER BY total_amount) AS high_total,
    max(units) AS most_units, max(units_of_line) AS most_units_of_line
  FROM (
    SELECT store_id, id, total_amount, status, fulfillment_status, currency, is_test FROM orders
    WHERE store_id = $1
    ORDER BY created_at DESC, id DESC LIMIT ${BASELINE_ORDERS}
  ) AS newest
  JOIN stores ON stores.id = newest.store_id AND stores.currency = newest.currency
  CROSS JOIN LATERAL (
    SELECT sum(quantity) AS units, max(quantity) AS units_of_line FROM order_lines
    WHERE store_id = newest.store_id AND order_id = newest.id
  ) AS lines
  WHERE newest.status NOT IN ('FAILED', 'CANCELLED') AND NOT is_test
    AND total_amount >= 0 AND lines.units IS NOT NULL
    AND (fulfillment_status NOT IN ('PENDING', 'CANCELLED') OR NOT EXISTS (
      SELECT FROM fraud_assessments
      WHERE store_id = newest.store_id AND order_id = newest.id AND verdict = 'REVIEW' OFFSET 0)
      OR fulfillment_status = 'PENDING' AND EXISTS (
        SELECT FROM order_stages
        WHERE store_id = newest.store_id AND order_id = newest.id AND stage = 'notify-customer' AND state <> 'held' OFFSET 0))`;

/** The usual size of the store's recent orders. */
export async function findBaseline(run: RunSql, storeId: number): Promise<OrderBaseline> {
  const [row] = await run<Row>(FIND, [storeId]);
  if (!row) return NO_BASELINE;
  return {
    orders: row.orders,
    highTotal: Number(row.high_total),
    mostUnits: Number(row.most_units),
    mostUnitsOfLine: Number(row.most_units_of_line),
  };
}
