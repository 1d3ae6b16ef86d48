/** SQL for the number of all orders of store `$1`. */
export const ORDER_TOTAL = `(SELECT count(*) FROM orders WHERE store_id = $1)`;

/** SQL for the number of active products of store `$1`. */
export const PRODUCT_TOTAL = `(SELECT count(*) FROM products WHERE store_id = $1 AND status = 'ACTIVE')`;
