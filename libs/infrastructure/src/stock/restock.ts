import type { OrderKey } from '@app/application';
import type { LineQuantity, OrderChange } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';

// The stock rows of the order's movements, in the lock order of every writer.
const LOCK_MOVED_STOCK = `/* stock.lock_moved */
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Never more than the order still has of a bin, by the ledger.
const RETURN_STOCK = `/* stock.return */
  WITH wanted AS (
    SELECT line.product_id, coalesce(line.variant_id, 0) AS variant_key, sum(back.quantity)::int AS quantity
    FROM unnest($3::int[], $4::int[]) AS back (line, quantity)
    JOIN order_lines AS line ON line.store_id = $1 AND line.order_id = $2 AND line.position = back.line - 1
    GROUP BY line.product_id, coalesce(line.variant_id, 0)
  ), outstanding AS (
    SELECT product_id, variant_key, bin_id, -sum(quantity)::int AS quantity,
      (sum(-sum(quantity)) OVER (PARTITION BY product_id, variant_key ORDER BY bin_id))::int AS through
    FROM stock_movements WHERE store_id = $1 AND order_id = $2
    GROUP BY product_id, variant_key, bin_id HAVING sum(quantity) < 0
  ), due AS (
    SELECT product_id, variant_key, bin_id,
      least(outstanding.quantity, wanted.quantity - through + outstanding.quantity) AS quantity
    FROM outstanding JOIN wanted USING (product_id, variant_key)
    WHERE wanted.quantity > through - outstanding.quantity
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + due.quantity
    FROM due
    WHERE stock.store_id = $1 AND stock.product_id = due.product_id
      AND stock.variant_key = due.variant_key AND stock.bin_id = due.bin_id
    RETURNING stock.product_id, stock.variant_key, stock.bin_id, due.quantity
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity)
    SELECT $1, bin_id, product_id, variant_key, $2, $5, quantity FROM updated
    RETURNING quantity
  )
  SELECT coalesce(sum(quantity), 0)::int AS units FROM moved`;

const COUNT_RETURNS = `/* orders.count_returns */
  INSERT INTO returned_units (store_id, order_id, position, quantity)
  SELECT $1, $2, line - 1, quantity FROM unnest($3::int[], $4::int[]) AS back (line, quantity)
  ON CONFLICT (store_id, order_id, position) DO UPDATE SET quantity = returned_units.quantity + excluded.quantity`;

/**
 * Returns units of the order to the bins that supplied them, by the ledger: none when it took none, as an imported one. The
 * caller has locked the order. Locks the stock until the transaction ends. The last statement returns `{units}`.
 */
export function restockStatements(
  { storeId, orderId }: OrderKey,
  { kind, lines }: NonNullable<OrderChange['restock']>,
): Statement[] {
  const key = [storeId, orderId];
  const back = [lines.map(({ line }: LineQuantity) => line), lines.map(({ quantity }) => quantity)];
  return [
    { text: LOCK_MOVED_STOCK, values: key },
    ...(kind === 'RETURN' ? [{ text: COUNT_RETURNS, values: [...key, ...back] }] : []),
    { text: RETURN_STOCK, values: [...key, ...back, kind] },
  ];
}
