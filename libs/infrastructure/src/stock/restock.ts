import type { OrderKey } from '@app/application';
import type { LineQuantity, OrderChange, StockItem } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';
import { firstBins, UNCLAIMED_UNITS } from './line-units.js';

// The stock rows of the order's movements and of what it needs more, in the lock order of every writer.
const LOCK_STOCK = `/* stock.lock_of_order */
  SELECT FROM stock
  WHERE store_id = $1 AND (product_id, variant_key, bin_id) IN (
    SELECT product_id, variant_key, bin_id FROM stock_movements WHERE store_id = $1 AND order_id = $2
    UNION
    SELECT other.product_id, other.variant_key, other.bin_id
    FROM unnest($3::int[], $4::int[]) AS needed (product_id, variant_key)
    JOIN stock AS other USING (product_id, variant_key) WHERE other.store_id = $1)
  ORDER BY product_id, variant_key, bin_id
  FOR NO KEY UPDATE`;

// Of the units that no shipment has, or that the order has just given up, or that have shipped and not returned. An order
// without shipments has left as a whole.
const RETURN_STOCK = `/* stock.return */
  WITH ${UNCLAIMED_UNITS}, held AS (
    SELECT position, bin_id FROM unclaimed
    WHERE NOT $6 AND ($5::text <> 'RETURN' OR NOT EXISTS (SELECT FROM claimed WHERE status IS NOT NULL))
    UNION ALL
    SELECT position, unit.bin_id FROM claimed CROSS JOIN unnest(bins) AS unit (bin_id)
    WHERE $5 = 'RETURN' AND status IN ('shipped', 'delivered')
    UNION ALL
    SELECT position, unit.bin_id FROM cancelled_units CROSS JOIN unnest(bins) AS unit (bin_id)
    WHERE $6 AND store_id = $1 AND order_id = $2
      AND event = (SELECT max(event) FROM cancelled_units WHERE store_id = $1 AND order_id = $2)
  ), returnable AS (
    SELECT held.position, held.bin_id
    FROM (SELECT position, bin_id, count(*) AS units FROM held GROUP BY position, bin_id) AS held
    LEFT JOIN returned_units AS returned
      ON returned.store_id = $1 AND returned.order_id = $2 AND returned.position = held.position AND $5 = 'RETURN'
    CROSS JOIN generate_series(1, held.units - coalesce(cardinality(array_positions(returned.bins, held.bin_id)), 0))
  ), back AS (
    SELECT line - 1 AS position, quantity, ${firstBins('returnable', 'line - 1', 'quantity')} AS bins
    FROM unnest($3::int[], $4::int[]) AS asked (line, quantity)
  ), recorded AS (
    INSERT INTO returned_units (store_id, order_id, position, quantity, bins)
    SELECT $1, $2, position, quantity, bins FROM back WHERE $5 = 'RETURN'
    ON CONFLICT (store_id, order_id, position) DO UPDATE
      SET quantity = returned_units.quantity + excluded.quantity, bins = returned_units.bins || excluded.bins
  ), due AS (
    SELECT line.product_id, line.variant_key, unit.bin_id, count(*)::int AS quantity
    FROM back JOIN open_lines AS line USING (position) CROSS JOIN unnest(back.bins) AS unit (bin_id)
    GROUP BY line.product_id, line.variant_key, unit.bin_id
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
 * caller has locked the order. Locks what a withdrawal in the same transaction takes as well. `unitsReturned` reads the answers.
 */
export function restockStatements(
  { storeId, orderId }: OrderKey,
  { restock, cancelled, lines: edited }: OrderChange,
): Statement[] {
  if (!restock) return [];
  const { kind, lines } = restock;
  const key = [storeId, orderId];
  const back = [lines.map(({ line }: LineQuantity) => line), lines.map(({ quantity }) => quantity)];
  return [
    { text: LOCK_STOCK, values: [...key, ...unitsOf(edited?.demand ?? [])] },
    { text: RETURN_STOCK, values: [...key, ...back, kind, cancelled !== undefined] },
  ];
}

function unitsOf(items: readonly StockItem[]): unknown[] {
  return [items.map(({ productId }) => productId), items.map(({ variantId }) => variantId ?? 0)];
}

export function unitsReturned([, returned]: readonly (readonly unknown[])[]): number {
  const [row] = (returned ?? []) as readonly { readonly units: number }[];
  return row?.units ?? 0;
}
