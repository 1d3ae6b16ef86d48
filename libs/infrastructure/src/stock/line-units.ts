/**
 * From which bins the units of a line ship, and to which they return: the units of a product in an order are numbered by line,
 * in the order of the lines, and by bin, in the order of the bins' ids. A line has the units with its numbers, as the
 * allocations of the order show them (`order.rows.ts`), and counts them from 0. A shipment has the lowest numbers of a line that
 * were in no other one when it was made; a void shipment gives its numbers back. Units that are given up are the lowest free
 * numbers, too. Of the shipped units, the lowest numbers return.
 */

/** SQL for the lines of an order, each with the units of its product in the lines before. `$1` is the id of the store. */
export function linesOfOrder(orderId: string): string {
  return `(
      SELECT position, product_id, coalesce(variant_id, 0) AS variant_key, quantity,
        /* @protects line-units */
        sum(quantity) OVER (PARTITION BY product_id, variant_id ORDER BY position) - quantity AS before
      FROM order_lines WHERE store_id = $1 AND order_id = ${orderId}
    )`;
}

export function allUnits(quantity: string): string {
  return `int4multirange(int4range(0, ${quantity}))`;
}

/** SQL for the numbers of a line that the order has given up. */
export function cancelledUnits(orderId: string, position: string): string {
  return `(
      SELECT coalesce(range_agg(units), '{}') FROM cancelled_units
      WHERE store_id = $1 AND order_id = ${orderId} AND position = ${position}
    )`;
}

/** SQL for the lowest of the numbers, up to `wanted`. */
export function lowestUnits(numbers: string, wanted: string): string {
  return `(
      SELECT coalesce(range_agg(int4range(number, number + 1)), '{}') FROM (
        SELECT number FROM unnest(${numbers}) AS part CROSS JOIN generate_series(lower(part), upper(part) - 1) AS number
        ORDER BY number LIMIT ${wanted}
      ) AS lowest
    )`;
}

/** SQL for how many of the numbers are from `first` to before `end`. */
export function countUnits(numbers: string, first: string, end: string): string {
  return `(
      SELECT coalesce(sum(upper(part) - lower(part)), 0)
      FROM unnest(${numbers} * int4multirange(int4range((${first})::int, (${end})::int))) AS part
    )`;
}
