/**
 * From which bins the units of a line ship, and to which they return: the units of a product in an order are numbered by line,
 * in the order of the lines, and by bin, in the order of the bins' ids. A line has the units with its numbers, as the
 * allocations of the order show them (`order.rows.ts`). They ship, and later return, in the order of their numbers.
 */

/** SQL for the lines of an order, each with the units of its product in the lines before. `$1` is the id of the store. */
export function linesOfOrder(orderId: string): string {
  return `(
      SELECT position, product_id, coalesce(variant_id, 0) AS variant_key, quantity,
        sum(quantity) OVER (PARTITION BY product_id, variant_id ORDER BY position) - quantity AS before
      FROM order_lines WHERE store_id = $1 AND order_id = ${orderId}
    )`;
}

/** SQL for how many units two ranges of numbers have in common, each given by the units before it and its own. */
export function commonUnits(before: string, units: string, otherBefore: string, otherUnits: string): string {
  return `greatest(least(${before} + ${units}, ${otherBefore} + ${otherUnits}) - greatest(${before}, ${otherBefore}), 0)`;
}
