import type { OrderKey, StockLine } from '@app/application';
import { StockRefused, UnitsWithoutBin, type PlacedOrderState, type Restock, type StockItem } from '@app/domain';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';
import { findBinsOfLines } from './limit-bins.js';
import { firstUnits, unitsByBin } from './line-units.js';
import { lockRows } from './stock-quantities.js';

/** An order that the transaction has locked until it ends, and the state that decides about its change. */
export interface LockedOrder {
  readonly key: OrderKey;
  readonly state: PlacedOrderState;
}

// The statement locks the stock rows of the order's movements and of its additional demand, in the lock order of every
// writer.
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

// The statement returns units that are in no shipment, that the order has just cancelled, or that have shipped and not
// returned. An order without shipments has shipped as a whole.
const RETURN_STOCK = `/* stock.return */
  WITH asked AS (
    SELECT line - 1 AS position, quantity, target FROM unnest($3::int[], $4::int[], $7::int[]) AS asked (line, quantity, target)
  ), returnable AS (
    SELECT position, bin_id, CASE
        WHEN $5::text <> 'RETURN' THEN held - claimed
        ELSE CASE WHEN bool_or(claimed > 0) OVER () THEN shipped ELSE held END - coalesce(returned.quantity, 0)
      END AS units
    FROM ${unitsByBin('$1', '$2')} AS unit LEFT JOIN (
      SELECT position, bin_id, quantity FROM returned_units WHERE store_id = $1 AND order_id = $2
    ) AS returned USING (position, bin_id)
    WHERE NOT $6
    UNION ALL
    SELECT position, bin_id, quantity FROM cancelled_units
    WHERE $6 AND store_id = $1 AND order_id = $2
      AND event = (SELECT max(event) FROM cancelled_units WHERE store_id = $1 AND order_id = $2)
  ), back AS (
    SELECT position, bin_id, taken.quantity, coalesce(target, bin_id) AS to_bin
    FROM ${firstUnits('returnable', 'asked')} AS taken JOIN asked USING (position)
  ), recorded AS (
    INSERT INTO returned_units (store_id, order_id, position, bin_id, quantity)
    SELECT $1, $2, position, bin_id, quantity FROM back WHERE $5 = 'RETURN'
    ON CONFLICT (store_id, order_id, position, bin_id) DO UPDATE
      SET quantity = returned_units.quantity + excluded.quantity
  ), due AS (
    SELECT position, product_id, coalesce(variant_id, 0) AS variant_key, to_bin AS bin_id, sum(back.quantity)::int AS quantity
    FROM back JOIN order_lines USING (position)
    WHERE store_id = $1 AND order_id = $2 AND to_bin <> 0
    GROUP BY position, product_id, variant_id, to_bin
  ), updated AS (
    UPDATE stock SET quantity = stock.quantity + whole.quantity
    FROM (
      SELECT product_id, variant_key, bin_id, sum(quantity)::int AS quantity FROM due
      GROUP BY product_id, variant_key, bin_id
    ) AS whole
    WHERE stock.store_id = $1 AND stock.product_id = whole.product_id
      AND stock.variant_key = whole.variant_key AND stock.bin_id = whole.bin_id
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
    SELECT $1, bin_id, product_id, variant_key, $2, $5, quantity, position
    FROM due WHERE EXISTS (
      SELECT FROM stock WHERE stock.store_id = $1 AND stock.product_id = due.product_id AND stock.variant_key = due.variant_key
        AND stock.bin_id = due.bin_id)
    RETURNING quantity
  )
  SELECT coalesce(sum(quantity), 0)::int AS units FROM moved`;

/**
 * Returns units of the order's lines to the bins that supplied them, or to `to`. The caller has locked the order.
 * `unitsReturned` reads the results. @throws StockRefused, UnitsWithoutBin
 */
export async function restockStatements(
  sql: TransactionSql,
  order: LockedOrder,
  restock: Restock,
): Promise<Statement[]> {
  const { key, state } = order;
  const { movement, lines, to, alsoLocks, isOfCancelledUnits = false } = restock;
  const targets = await findTargets(sql, order, restock);
  const ofOrder = [key.storeId, key.orderId];
  const back = [lines.map(({ line }) => line), lines.map(({ quantity }) => quantity)];
  const locked = alsoLocks ?? (to ? lines.flatMap(({ line }) => itemOf(state, line) ?? []) : []);
  return [
    { text: LOCK_STOCK, values: [...ofOrder, ...unitsOf(locked)] },
    { text: RETURN_STOCK, values: [...ofOrder, ...back, movement, isOfCancelledUnits, targets] },
  ];
}

/**
 * Finds the bin that receives the units instead of their own, and creates its rows for their products.
 * @returns the bin of each line. Null when no bin is named: the units then go back to the bins that supplied them, and
 * those of an imported order to none.
 */
async function findTargets(
  sql: TransactionSql,
  { key: { storeId }, state }: LockedOrder,
  { lines, to }: Restock,
): Promise<(number | null)[]> {
  if (!to) return lines.map(() => null);
  const asked = lines.map(({ line, quantity }): StockLine => {
    const item = itemOf(state, line);
    if (!item) throw new UnitsWithoutBin();
    return { ...item, ...to, sku: null, write: { kind: 'adjust', by: quantity }, asOf: null, invalid: null };
  });
  const found = await findBinsOfLines(
    sql,
    { storeId, lines: asked, createsBins: false },
    asked.map(() => null),
  );
  const refused = found.flatMap(({ refusal }) => (refusal ? [`${refusal.code}: ${refusal.error}`] : []));
  if (refused.length > 0) throw new StockRefused([...new Set(refused)].map((message) => ({ path: '', message })));
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

export function unitsReturned(answers: readonly (readonly unknown[])[]): number {
  return (answers.flat() as readonly { readonly units?: number }[]).reduce((sum, { units = 0 }) => sum + units, 0);
}
