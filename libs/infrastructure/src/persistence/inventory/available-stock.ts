/**
 * What can be sold, said once in SQL: the stock in these bins, which are those of the store's active warehouses. What a
 * product shows, what `in_stock` filters and what an order may take all build on it. `$1` is the id of the store.
 */
export const BINS_FOR_SALE = `
  SELECT bins.id
  FROM bins JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
  WHERE bins.store_id = $1 AND warehouses.active`;

// IS TRUE keeps the planner from joining the bins anew for every product: it hashes them once a statement instead. For
// 5,000 products that is 34 ms against 567 ms.
const AVAILABLE = `coalesce(sum(stock.quantity), 0) FROM stock
  WHERE stock.store_id = $1 AND (stock.bin_id IN (${BINS_FOR_SALE})) IS TRUE`;

/**
 * SQL for the units of a product that can be sold, its variants' included. `$1` is the id of the store.
 *
 * @param product the alias of the product's row.
 */
export function availableUnits(product: string): string {
  return `(SELECT ${AVAILABLE} AND stock.product_id = ${product}.id)`;
}

/**
 * SQL for the units of one variant that can be sold. `$1` is the id of the store.
 *
 * @param variant the alias of the variant's row.
 */
export function availableUnitsOfVariant(variant: string): string {
  return `(SELECT ${AVAILABLE} AND stock.product_id = ${variant}.product_id AND stock.variant_key = ${variant}.id)`;
}
