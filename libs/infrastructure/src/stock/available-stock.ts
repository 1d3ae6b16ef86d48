/**
 * What can be sold, said once in SQL: the stock in the bins of the store's active warehouses. What a product shows and
 * what an order may take both build on it. `$1` is the id of the store.
 *
 * It names the bins that do not count, since they are few, mostly none: the others need not be looked up.
 */
export const IS_FOR_SALE = `stock.bin_id NOT IN (
  SELECT bins.id FROM warehouses
  JOIN bins ON bins.store_id = warehouses.store_id AND bins.warehouse_id = warehouses.id
  WHERE warehouses.store_id = $1 AND NOT warehouses.active)`;

/**
 * SQL for the units of a product that can be sold, its variants' included. `$1` is the id of the store.
 *
 * @param product the alias of the product's row.
 */
export function availableUnits(product: string): string {
  return `(SELECT coalesce(sum(stock.quantity), 0) FROM stock
    WHERE stock.store_id = $1 AND stock.product_id = ${product}.id AND ${IS_FOR_SALE})`;
}
