/**
 * SQL for stock for sale: all but that of the views `closed_bins` and `inactive_variants`, which `in_stock` uses too. A
 * product's quantity and the withdrawal of an order use it. `$1` is the id of the store.
 *
 * Bins need no look-up in a store without a closed warehouse. Closed bins and inactive variants may be many: OFFSET keeps the
 * planner from reading all of them at once.
 */
export const IS_FOR_SALE = `(NOT EXISTS (SELECT FROM warehouses WHERE store_id = $1 AND NOT active)
        OR NOT EXISTS (SELECT FROM closed_bins WHERE store_id = $1 AND id = stock.bin_id OFFSET 0))
      AND NOT EXISTS (SELECT FROM inactive_variants WHERE store_id = $1 AND id = stock.variant_id OFFSET 0)`;

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
 * SQL for the units of a product, and of its active variants, that are for sale. `$1` is the id of the store.
 *
 * @param product the alias of the product's row.
 */
export function availableUnits(product: string): string {
  return `(SELECT coalesce(sum(stock.quantity), 0) FROM stock
    WHERE stock.store_id = $1 AND stock.product_id = ${product}.id AND ${IS_FOR_SALE})`;
}
