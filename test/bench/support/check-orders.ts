import type { TestDatabase } from '../../support/test-database.js';
import { MEASURED } from './seed.js';
import type { Measurement } from './measure.js';

/** What became of the orders that the service took. */
export interface OrderCheck {
  readonly acknowledged: number;
  readonly placed: number;
  readonly accepted: number;
}

// Those of the seed have another ledger: none.
const PLACED = `
  SELECT count(*)::int AS placed, count(*) FILTER (WHERE verdict = 'ACCEPT')::int AS accepted
  FROM orders JOIN fraud_assessments fraud ON fraud.store_id = orders.store_id AND fraud.order_id = orders.id
  WHERE orders.store_id = $1 AND customer_email LIKE 'buyer%'`;

const DIFFERENT = `
  SELECT count(*)::int AS bins FROM stock
  WHERE store_id = $1 AND quantity <> (
    SELECT sum(moved.quantity) FROM stock_movements moved
    WHERE moved.store_id = stock.store_id AND moved.product_id = stock.product_id
      AND moved.variant_key = stock.variant_key AND moved.bin_id = stock.bin_id)`;

const COUNTS = `
  SELECT (SELECT count(*) FROM orders WHERE store_id = $1) - (
    SELECT sum(rows) FROM list_counts WHERE store_id = $1 AND list = 'orders' AND grain = 'all') AS difference`;

/** @throws Error when an acknowledged order is not there, or stock and ledger, or tally and orders, differ. */
export async function checkOrders(database: TestDatabase, speed: readonly Measurement[]): Promise<OrderCheck> {
  const acknowledged = speed.reduce((sum, work) => sum + work.acknowledged, 0);
  const [orders] = await database.query<{ placed: number; accepted: number }>(PLACED, [MEASURED]);
  const [different] = await database.query<{ bins: number }>(DIFFERENT, [MEASURED]);
  const [counts] = await database.query<{ difference: string }>(COUNTS, [MEASURED]);
  const { placed = 0, accepted = 0 } = orders ?? {};
  if (placed < acknowledged) throw new Error(`${acknowledged} orders were acknowledged, ${placed} are there`);
  if (different?.bins !== 0) throw new Error(`${different?.bins} bins are not what their ledger says`);
  if (Number(counts?.difference) !== 0) throw new Error(`the tally of orders is wrong by ${counts?.difference}`);
  return { acknowledged, placed, accepted };
}
