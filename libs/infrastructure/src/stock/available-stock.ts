const CLOSED = 'FROM warehouses WHERE store_id = $1 AND NOT active';

// The opposite of the view `closed_bins`. The closed warehouses are read once for each statement, and a bin is looked up only
// where there are any.
const IS_IN_OPEN_BIN = `(NOT EXISTS (SELECT ${CLOSED})
        OR (SELECT warehouse_id FROM bins WHERE store_id = $1 AND id = stock.bin_id) <> ALL (ARRAY(SELECT id ${CLOSED})))`;

// Inactive variants may be many: OFFSET keeps the planner from reading all of them at once.
function isActive(variant: string): string {
  return `NOT EXISTS (SELECT FROM inactive_variants WHERE store_id = $1 AND id = ${variant} OFFSET 0)`;
}

/**
 * SQL for stock for sale: all but that of the views `closed_bins` and `inactive_variants`, which `in_stock` uses too. A
 * product's quantity and the withdrawal of an order use it. `$1` is the id of the store.
 */
export const IS_FOR_SALE = `${IS_IN_OPEN_BIN}
      AND ${isActive('stock.variant_id')}`;

/**
 * SQL for whether a product has active variants. `$1` is the id of the store. OFFSET keeps the planner, which expects many
 * lines, from reading the variants of the whole store.
 *
 * @param productId an expression with its table: the variants have a column of that name.
 */
export function hasVariants(productId: string): string {
  return `EXISTS (
      SELECT FROM product_variants AS variant
      WHERE variant.store_id = $1 AND variant.product_id = ${productId} AND variant.status = 'ACTIVE'
      OFFSET 0
    )`;
}

/**
 * SQL for the units for sale of a product (variant_key 0) and of each of its active variants, as rows (variant_key,
 * quantity). `$1` is the id of the store. Looks up each variant once, not for each of its bins.
 *
 * @param product the alias of the product's row.
 */
export function availableByVariant(product: string): string {
  return `(SELECT * FROM (
      SELECT stock.variant_key, sum(stock.quantity) AS quantity FROM stock
      WHERE stock.store_id = $1 AND stock.product_id = ${product}.id AND ${IS_IN_OPEN_BIN}
      GROUP BY stock.variant_key
    ) AS unit WHERE ${isActive('unit.variant_key')})`;
}
