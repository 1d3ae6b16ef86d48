const FEW = 100;

/**
 * SQL for whether an id is not among those of some rows. A few ids are listed once for each statement. When there are
 * many, each id is looked up: listing 100,000 closed bins takes 155 ms.
 */
function isNoneOf(rows: string, id: string, lookUp: string): string {
  return `CASE WHEN (SELECT count(*) FROM (SELECT FROM ${rows} LIMIT ${FEW + 1}) AS few) <= ${FEW}
        THEN ${id} NOT IN (SELECT id FROM ${rows}) ELSE ${lookUp} END`;
}

const CLOSED = 'ARRAY(SELECT id FROM warehouses WHERE store_id = $1 AND NOT active)';
// The statement reads a few bins of each closed warehouse, by their index: a join or one condition for all would read
// the bins of open warehouses.
const IS_IN_OPEN_BIN = isNoneOf(
  `unnest(${CLOSED}) AS closed (warehouse_id) CROSS JOIN LATERAL (
      SELECT id FROM bins WHERE store_id = $1 AND bins.warehouse_id = closed.warehouse_id LIMIT ${FEW + 1}
    ) AS bin`,
  'stock.bin_id',
  `(SELECT warehouse_id FROM bins WHERE store_id = $1 AND id = stock.bin_id) <> ALL (${CLOSED})`,
);

// OFFSET keeps the planner from reading all inactive variants at once.
function isActive(variantKey: string): string {
  const lookUp = `NOT EXISTS (SELECT FROM inactive_variants WHERE store_id = $1 AND id = ${variantKey} OFFSET 0)`;
  return isNoneOf('inactive_variants WHERE store_id = $1', variantKey, lookUp);
}

/**
 * SQL for stock for sale: all stock except that of the views `closed_bins` and `inactive_variants`, which `in_stock`
 * uses too. A product's quantity and the withdrawal of an order use it. `$1` is the id of the store.
 */
export const IS_FOR_SALE = `${IS_IN_OPEN_BIN}
      AND ${isActive('stock.variant_key')}`;

/**
 * SQL for whether a product has active variants. `$1` is the id of the store. OFFSET keeps the planner, which expects
 * many lines, from reading the variants of the whole store.
 * @param productId an expression qualified with its table: the variants have a column of the same name.
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
