import type { OrderKey } from '@app/application';
import type { LineQuantity, OrderChange } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';
import { allUnits, cancelledUnits, countUnits, linesOfOrder, lowestUnits } from './line-units.js';

// The stock rows of the order's movements, in the lock order of every writer.
const LOCK_MOVED_STOCK = `/* stock.lock_moved */
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Of the units that have shipped and not returned, the lowest numbers; or those that the order has just given up. An order
// without shipments has left as a whole, or is cancelled as a whole. Never more than the order still has of a bin, by the ledger.
const RETURN_STOCK = `/* stock.return */
  WITH back AS (
    SELECT line.position, line.product_id, line.variant_key, line.before, asked.quantity,
      ${lowestUnits("shipped.units - coalesce(returned.units, '{}')", 'asked.quantity')} AS units
    FROM unnest($3::int[], $4::int[]) AS asked (line, quantity)
    JOIN ${linesOfOrder('$2')} AS line ON line.position = asked.line - 1
    LEFT JOIN returned_units AS returned
      ON returned.store_id = $1 AND returned.order_id = $2 AND returned.position = line.position
    CROSS JOIN LATERAL (
      SELECT CASE WHEN $6 THEN (
        SELECT units FROM cancelled_units
        WHERE store_id = $1 AND order_id = $2 AND position = line.position ORDER BY event DESC LIMIT 1
      ) WHEN EXISTS (SELECT FROM shipments WHERE store_id = $1 AND order_id = $2 AND status <> 'void') THEN (
        SELECT range_agg(item.units) FROM shipment_items AS item JOIN shipments USING (store_id, order_id, reference)
        WHERE item.store_id = $1 AND item.order_id = $2 AND item.position = line.position
          AND shipments.status IN ('shipped', 'delivered')
      ) ELSE ${allUnits('line.quantity')} - ${cancelledUnits('$2', 'line.position')} END AS units
    ) AS shipped
  ), recorded AS (
    INSERT INTO returned_units (store_id, order_id, position, quantity, units)
    SELECT $1, $2, position, quantity, units FROM back WHERE $5::text = 'RETURN'
    ON CONFLICT (store_id, order_id, position) DO UPDATE
      SET quantity = returned_units.quantity + excluded.quantity, units = returned_units.units + excluded.units
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
      SELECT ${countUnits('back.units', 'taken.through - taken.units - back.before', 'taken.through - back.before')} AS units
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

/**
 * Returns units of the order's lines to the bins that supplied them: none when it took none, as an imported one. The
 * caller has locked the order. `unitsReturned` reads the answers.
 */
export function restockStatements({ storeId, orderId }: OrderKey, { restock, cancelled }: OrderChange): Statement[] {
  if (!restock) return [];
  const { kind, lines } = restock;
  const key = [storeId, orderId];
  const back = [lines.map(({ line }: LineQuantity) => line), lines.map(({ quantity }) => quantity)];
  return [
    { text: LOCK_MOVED_STOCK, values: key },
    { text: RETURN_STOCK, values: [...key, ...back, kind, cancelled !== undefined] },
  ];
}

export function unitsReturned([, returned]: readonly (readonly unknown[])[]): number {
  const [row] = (returned ?? []) as readonly { readonly units: number }[];
  return row?.units ?? 0;
}
