/** Columns for units of a product or variant in a bin, from a row `page` and its {@link NAMES}. */
export const PLACED_UNIT = `page.product_id AS "productId", nullif(page.variant_key, 0) AS "variantId", page.bin_id AS "binId", page.quantity,
    coalesce(variant.sku, product.sku) AS sku, warehouse.code AS warehouse, bin.code AS bin`;

/**
 * Only the rows on the page read these tables. OFFSET keeps the planner from searching the bins through their
 * warehouse.
 */
export const NAMES = `
    JOIN products AS product ON product.store_id = $1 AND product.id = page.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = page.variant_key
    CROSS JOIN LATERAL (SELECT code, warehouse_id FROM bins WHERE store_id = $1 AND id = page.bin_id OFFSET 0) AS bin
    JOIN warehouses AS warehouse ON warehouse.store_id = $1 AND warehouse.id = bin.warehouse_id`;
