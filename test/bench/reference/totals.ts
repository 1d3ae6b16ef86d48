// The reference reads its totals from the same counts as the service: the database maintains them.

/** SQL for the number of all orders of store `$1`. */
export const ORDER_TOTAL = countOf('orders');

/** SQL for the number of active products of store `$1`. */
export const PRODUCT_TOTAL = countOf('products');

function countOf(list: string): string {
  return `(SELECT sum(rows) FROM list_counts WHERE store_id = $1 AND list = '${list}' AND grain = 'all')`;
}
