import type { OrderKey } from '@app/application';
import type { LineQuantity, OrderChange } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';
import { commonUnits, linesOfOrder } from './line-units.js';

// The stock rows of the order's movements, in the lock order of every writer.
const LOCK_MOVED_STOCK = `/* stock.lock_moved */
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// The units of a line after those that have returned. Never more than the order still has of a bin, by the ledger.
const RETURN_STOCK = `/* stock.return */
  WITH back AS (
    SELECT line.product_id, line.variant_key, units.quantity,
      line.before + coalesce(returned.quantity - units.quantity, 0) AS before
    FROM unnest($3::int[], $4::int[]) AS units (line, quantity)
    JOIN ${linesOfOrder('$2')} AS line ON line.position = units.line - 1
    LEFT JOIN returned_units AS returned
      ON returned.store_id = $1 AND returned.order_id = $2 AND returned.position = line.position
  ), taken AS (
    SELECT product_id, variant_key, bin_id, -sum(quantity) AS outstanding,
      coalesce(-sum(quantity) FILTER (WHERE kind = 'ORDER'), 0) AS units,
      sum(coalesce(-sum(quantity) FILTER (WHERE kind = 'ORDER'), 0))
        OVER (PARTITION BY product_id, variant_key ORDER BY bin_id) AS through
    FROM stock_movements WHERE store_id = $1 AND order_id = $2
    GROUP BY product_id, variant_key, bin_id
  ), due AS (
    SELECT product_id, variant_key, bin_id, least(outstanding, sum(common.units))::int AS quantity
    FROM taken JOIN back USING (product_id, variant_key)
    CROSS JOIN LATERAL (
      SELECT ${commonUnits('back.before', 'back.quantity', 'taken.through - taken.units', 'taken.units')} AS units
    ) AS common
    WHERE common.units > 0 AND outstanding > 0
    GROUP BY product_id, variant_key, bin_id, outstanding
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
 * Returns units of the order's lines to the bins that supplied them: none when it took none, as an imported one. The
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
