import { IS_FOR_SALE } from './available-stock.js';

/**
 * SQL for the sellable units of the store `$1` with low stock. It reads the units and the stock of the products that have a
 * limit, or variants with one. The look-ups with OFFSET keep the planner from reading those of all products.
 */
export const LOW_UNITS = `SELECT product_id, variant_key
  FROM (
    SELECT id AS product_id FROM products WHERE store_id = $1 AND low_stock IS NOT NULL
    UNION
    SELECT product_id FROM product_variants WHERE store_id = $1 AND low_stock IS NOT NULL
  ) AS limited
  CROSS JOIN LATERAL (
    SELECT unit.variant_key, coalesce(variant.low_stock, product.low_stock) AS low_stock
    FROM sellable_units AS unit
    JOIN products AS product ON product.store_id = $1 AND product.id = unit.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = unit.variant_key
    WHERE unit.store_id = $1 AND unit.product_id = limited.product_id
    OFFSET 0
  ) AS unit
  WHERE low_stock >= (
    SELECT coalesce(sum(quantity), 0) FROM stock
    WHERE stock.store_id = $1 AND stock.product_id = limited.product_id AND stock.variant_key = unit.variant_key AND ${IS_FOR_SALE}
  )`;
