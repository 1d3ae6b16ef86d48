import type { Sql } from '../postgres/sql.js';
import { NOTIFY_SHORT_STOCK, type ShortStock } from '../mail/short-stock-mail.js';
import { IS_FOR_SALE } from './available-stock.js';

/** Units that a point of sale has sold, regardless of what the bins hold. */
export interface SoldUnits {
  readonly orderId: string;
  /** The position of the line, from 0. */
  readonly index: number;
  readonly productId: number;
  readonly variantId: number | null;
  readonly quantity: number;
  /** Names the units in the mail to the merchant. */
  readonly sku: string;
}

// The bins of a product, fullest first like in a withdrawal, and its sales in sequence are both ranges of its units:
// where two ranges overlap, the sale takes these units from the bin. Sales beyond the last bin are short. The locks are
// those of a withdrawal.
const TAKE_SOLD = `/* stock.take_sold */
  WITH sold AS (
    SELECT given.*, sum(quantity) OVER in_order AS through
    FROM unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::int[]) WITH ORDINALITY
      AS given (order_id, product_id, variant_key, quantity, position, place)
    WINDOW in_order AS (PARTITION BY product_id, variant_key ORDER BY place)
  ), locked AS MATERIALIZED (
    SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
    FROM stock
    WHERE stock.store_id = $1
      AND (stock.product_id, stock.variant_key) IN (SELECT * FROM unnest($3::int[], $4::int[]))
      AND ${IS_FOR_SALE}
    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), bin AS (
    SELECT locked.*, sum(quantity) OVER fullest_first AS through FROM locked
    WINDOW fullest_first AS (PARTITION BY product_id, variant_key ORDER BY quantity DESC, bin_id)
  ), taken AS (
    SELECT sold.place, sold.order_id, sold.position, product_id, variant_key, bin.bin_id, bin.quantity AS found,
      least(sold.through, bin.through) - greatest(sold.through - sold.quantity, bin.through - bin.quantity) AS units
    FROM sold JOIN bin USING (product_id, variant_key)
    WHERE bin.quantity > 0 AND sold.through - sold.quantity < bin.through AND bin.through - bin.quantity < sold.through
  ), updated AS (
    UPDATE stock SET quantity = emptied.quantity
    FROM (
      SELECT product_id, variant_key, bin_id, found - sum(units) AS quantity FROM taken
      GROUP BY product_id, variant_key, bin_id, found
    ) AS emptied
    WHERE stock.store_id = $1 AND stock.product_id = emptied.product_id AND stock.variant_key = emptied.variant_key
      AND stock.bin_id = emptied.bin_id
  ), moved AS (
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
    SELECT $1, bin_id, product_id, variant_key, order_id, 'ORDER', -units, position FROM taken
    ORDER BY place, bin_id
  )
  SELECT (sold.quantity - coalesce(sum(taken.units), 0))::int AS short, count(taken.place)::int AS bins
  FROM sold LEFT JOIN taken USING (place)
  GROUP BY sold.place, sold.quantity ORDER BY sold.place`;

export interface TakenUnits {
  /** Units that were in no bin. */
  readonly short: number;
  /** The number of bins that supplied the other units. */
  readonly bins: number;
}

/**
 * Takes the units from the same bins as orders do, in the caller's transaction. One mail to the merchant reports the
 * missing units.
 * @param sold units of new orders, each at least one. @returns what was taken for each.
 */
export async function takeSold(sql: Sql, storeId: number, sold: readonly SoldUnits[]): Promise<readonly TakenUnits[]> {
  if (sold.length === 0) return [];
  const rows = await sql.query<TakenUnits>(TAKE_SOLD, [
    storeId,
    sold.map(({ orderId }) => orderId),
    sold.map(({ productId }) => productId),
    sold.map(({ variantId }) => variantId ?? 0),
    sold.map(({ quantity }) => quantity),
    sold.map(({ index }) => index),
  ]);
  const missing = new Map<string, ShortStock>();
  rows.forEach(({ short }, index) => {
    const { productId, variantId, sku } = sold[index] as SoldUnits;
    const row = { bin_id: null, product_id: productId, variant_key: variantId ?? 0, sku, warehouse: '', bin: '' };
    const key = `${productId}/${row.variant_key}`;
    if (short > 0) missing.set(key, { ...row, units: short + (missing.get(key)?.units ?? 0) });
  });
  if (missing.size > 0) await sql.query(NOTIFY_SHORT_STOCK, [storeId, JSON.stringify([...missing.values()])]);
  return rows;
}
