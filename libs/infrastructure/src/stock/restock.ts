import type { OrderKey, StockLine } from '@app/application';
import {
  StockRefused,
  UnitsWithoutBin,
  type LineQuantity,
  type OrderChange,
  type PlacedOrderState,
  type Restock,
  type StockItem,
} from '@app/domain';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';
import { findPlaces } from './limit-bins.js';
import { firstBins, UNCLAIMED_UNITS } from './line-units.js';
import { lockRows } from './stock-quantities.js';

interface LockedOrder {
  readonly key: OrderKey;
  readonly state: PlacedOrderState;
}

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
    SELECT line - 1 AS position, quantity, target, ${firstBins('returnable', 'line - 1', 'quantity')} AS bins
    FROM unnest($3::int[], $4::int[], $7::int[]) AS asked (line, quantity, target)
  ), recorded AS (
    INSERT INTO returned_units (store_id, order_id, position, quantity, bins)
    SELECT $1, $2, position, quantity, bins FROM back WHERE $5 = 'RETURN'
    ON CONFLICT (store_id, order_id, position) DO UPDATE
      SET quantity = returned_units.quantity + excluded.quantity, bins = returned_units.bins || excluded.bins
  ), due AS (
    SELECT line.product_id, line.variant_key, bin.id AS bin_id, sum(bin.units)::int AS quantity
    FROM back JOIN open_lines AS line USING (position)
    CROSS JOIN LATERAL (
      SELECT unit.id, count(*) FROM unnest(back.bins) AS unit (id) WHERE target IS NULL GROUP BY unit.id
      UNION ALL
      SELECT target, quantity WHERE target IS NOT NULL
    ) AS bin (id, units)
    GROUP BY line.product_id, line.variant_key, bin.id
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
 * Returns units of the order's lines to the bins that supplied them, or to the targets. The caller has locked the order. Locks
 * what a withdrawal in the same transaction takes as well. `unitsReturned` reads the answers.
 * @param targets the bin of each line; null = the bins that supplied it: none for an imported order.
 */
export function restockStatements(
  { key: { storeId, orderId }, state }: LockedOrder,
  { restock, cancelled, lines: edited }: OrderChange,
  targets: readonly (number | null)[],
): Statement[] {
  if (!restock) return [];
  const { kind, lines } = restock;
  const key = [storeId, orderId];
  const back = [lines.map(({ line }: LineQuantity) => line), lines.map(({ quantity }) => quantity)];
  const locked = edited?.demand ?? (restock.to ? lines.flatMap(({ line }) => itemOf(state, line) ?? []) : []);
  return [
    { text: LOCK_STOCK, values: [...key, ...unitsOf(locked)] },
    { text: RETURN_STOCK, values: [...key, ...back, kind, cancelled !== undefined, targets] },
  ];
}

/**
 * Finds the bin that gets the units instead of their own, and makes its rows for their products.
 * @returns the bin of each line; null without such a bin. @throws StockRefused, UnitsWithoutBin
 */
export async function findTargets(
  sql: TransactionSql,
  { key: { storeId }, state }: LockedOrder,
  { lines, to }: Restock,
): Promise<(number | null)[]> {
  if (!to) return lines.map(() => null);
  const asked = lines.map(({ line, quantity }): StockLine => {
    const item = itemOf(state, line);
    if (!item) throw new UnitsWithoutBin();
    return { ...item, ...to, sku: null, write: { kind: 'adjust', by: quantity }, asOf: null };
  });
  const found = await findPlaces(
    sql,
    { storeId, lines: asked, createsBins: false },
    asked.map(() => null),
  );
  const refused = found.flatMap(({ refusal }) => (refusal ? [`${refusal.code}: ${refusal.error}`] : []));
  if (refused.length > 0) throw new StockRefused([...new Set(refused)]);
  const places = found.flatMap(({ productId, variantId, binId }) =>
    productId === null || binId === null ? [] : [{ bin_id: binId, product_id: productId, variant_key: variantId ?? 0 }],
  );
  await lockRows((text, values) => sql.query(text, values), storeId, [], places);
  return found.map(({ binId }) => binId);
}

function itemOf({ lines }: PlacedOrderState, line: number): StockItem | null {
  const { productId = null, variantId = null } = lines[line - 1] ?? {};
  return productId === null ? null : { productId, variantId };
}

function unitsOf(items: readonly StockItem[]): unknown[] {
  return [items.map(({ productId }) => productId), items.map(({ variantId }) => variantId ?? 0)];
}

export function unitsReturned([, returned]: readonly (readonly unknown[])[]): number {
  const [row] = (returned ?? []) as readonly { readonly units: number }[];
  return row?.units ?? 0;
}
