import type { TestDatabase } from '../../../support/test-database.js';

const BINS = `
  SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity, coalesce(sum(moved.quantity), 0)::int AS ledger
  FROM stock LEFT JOIN stock_movements moved USING (store_id, product_id, variant_key, bin_id)
  WHERE store_id = $1
  GROUP BY stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
  HAVING stock.quantity < 0 OR stock.quantity <> coalesce(sum(moved.quantity), 0)
  ORDER BY 1, 2, 3`;

const cancelledUnits = (restock: boolean) => `coalesce((
    SELECT sum(quantity) FROM cancelled_units JOIN order_events
      ON order_events.store_id = cancelled_units.store_id AND order_events.order_id = cancelled_units.order_id
        AND order_events.id = cancelled_units.event AND details @> '{"restock": ${restock}}'
    WHERE cancelled_units.store_id = order_lines.store_id AND cancelled_units.order_id = order_lines.order_id
      AND cancelled_units.position = order_lines.position), 0)`;

// The ledger and the bins could both be wrong in the same way, so returned units are taken from the order's history.
export const UNITS_OF_LINE = `(
  CASE WHEN EXISTS (
    SELECT FROM order_events WHERE order_events.store_id = order_lines.store_id
      AND order_events.order_id = order_lines.order_id AND event = 'cancelled' AND details @> '{"restock": true}')
  THEN ${cancelledUnits(false)} ELSE order_lines.quantity - ${cancelledUnits(true)} - coalesce((
    SELECT sum(quantity) FROM returned_units WHERE returned_units.store_id = order_lines.store_id
      AND returned_units.order_id = order_lines.order_id AND returned_units.position = order_lines.position), 0) END)`;

const PRODUCTS = `
  WITH opening AS (
    -- This subtracts what points of sale took from the bins: they may have sold more.
    SELECT product_id, variant_key, sum(quantity)::int AS units FROM stock_movements AS moved
    WHERE store_id = $1
      AND NOT EXISTS (SELECT FROM orders WHERE store_id = $1 AND id = moved.order_id AND source = 'WEBSITE')
    GROUP BY 1, 2
  ), sold AS (
    SELECT product_id, coalesce(variant_id, 0) AS variant_key, sum(${UNITS_OF_LINE})::int AS units
    FROM order_lines JOIN orders ON orders.store_id = order_lines.store_id AND orders.id = order_lines.order_id
    WHERE orders.store_id = $1 AND source = 'WEBSITE' GROUP BY 1, 2
  ), bins AS (
    SELECT product_id, variant_key, sum(quantity)::int AS units FROM stock WHERE store_id = $1 GROUP BY 1, 2
  )
  SELECT product_id, variant_key, coalesce(opening.units, 0) AS opening, coalesce(bins.units, 0) AS bins,
    coalesce(sold.units, 0) AS sold
  FROM bins FULL JOIN opening USING (product_id, variant_key) FULL JOIN sold USING (product_id, variant_key)
  WHERE coalesce(opening.units, 0) <> coalesce(bins.units, 0) + coalesce(sold.units, 0)
  ORDER BY 1, 2`;

interface Row {
  readonly product_id: number;
  readonly variant_key: number;
  readonly bin_id: number;
  readonly quantity: number;
  readonly ledger: number;
  readonly opening: number;
  readonly bins: number;
  readonly sold: number;
}

/** Invariant 1: no unit appears or disappears, and no bin is below zero. */
export async function stockViolations(database: TestDatabase, storeId: number): Promise<string[]> {
  const bins = await database.query<Row>(BINS, [storeId]);
  const products = await database.query<Row>(PRODUCTS, [storeId]);
  return [
    ...bins.map((bin) => `bin ${bin.bin_id} of ${stockOf(bin)} holds ${bin.quantity}, its ledger ${bin.ledger}`),
    ...products.map(
      (row) => `${stockOf(row)}: opening ${row.opening} is not ${row.bins} in bins + ${row.sold} sold on order lines`,
    ),
  ];
}

function stockOf({ product_id, variant_key }: Row): string {
  return `product ${product_id}/${variant_key}`;
}
