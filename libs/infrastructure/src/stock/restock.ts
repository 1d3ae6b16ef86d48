import type { OrderKey } from '@app/application';
import type { TransactionSql } from '../postgres/transaction-sql.js';

// The stock rows of the order's movements, in the lock order of every writer.
const LOCK_MOVED_STOCK = `/* stock.lock_moved */
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Runs under the lock, so it sees the return of a concurrent cancellation: outstanding units are returned once.
const RETURN_STOCK = `/* stock.return */
  WITH outstanding AS (
    SELECT product_id, variant_key, bin_id, -sum(quantity)::int AS quantity
    FROM stock_movements WHERE store_id = $1 AND order_id = $2
    GROUP BY product_id, variant_key, bin_id HAVING sum(quantity) < 0
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + outstanding.quantity
    FROM outstanding
    WHERE stock.store_id = $1 AND stock.product_id = outstanding.product_id
      AND stock.variant_key = outstanding.variant_key AND stock.bin_id = outstanding.bin_id
    RETURNING stock.product_id, stock.variant_key, stock.bin_id, outstanding.quantity
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity)
    SELECT $1, bin_id, product_id, variant_key, $2, 'CANCELLATION', quantity FROM updated
    RETURNING quantity
  )
  SELECT coalesce(sum(quantity), 0)::int AS units FROM moved`;

/**
 * Returns outstanding units of the order to the bins that supplied them, by the ledger. Locks the rows until the
 * transaction ends.
 *
 * @returns the number of units; 0 when the order took none or all are returned.
 */
export async function restock(sql: TransactionSql, { storeId, orderId }: OrderKey): Promise<number> {
  await sql.query(LOCK_MOVED_STOCK, [storeId, orderId]);
  const [result] = await sql.query<{ units: number }>(RETURN_STOCK, [storeId, orderId]);
  return result?.units ?? 0;
}
