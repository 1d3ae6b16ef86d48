/**
 * From which bins the units of an order ship, and to which they return. A shipment has the bin of each of its units, and a
 * void one gives them back. The other units of a product, in the order of the bins' ids, belong to the lines of the product in
 * the order of the lines, as the allocations of the order show them (`order.rows.ts`). Of the units that ship or return, those of
 * the lowest bins come first.
 */

/**
 * SQL for named subqueries about the order `$2` of the store `$1`: `claimed` by a shipment, or given up; `open_lines` with the
 * numbers of their other units, which count by product and variant; and these `unclaimed` units, a row for each with its bin.
 */
export const UNCLAIMED_UNITS = `claimed AS (
    SELECT item.position, item.quantity, item.bins, shipments.status
    FROM shipment_items AS item JOIN shipments USING (store_id, order_id, reference)
    WHERE item.store_id = $1 AND item.order_id = $2 AND shipments.status <> 'void'
    UNION ALL
    SELECT position, quantity, bins, NULL FROM cancelled_units WHERE store_id = $1 AND order_id = $2
  ), open_lines AS (
    SELECT position, product_id, coalesce(variant_id, 0) AS variant_key,
      /* @protects line-units */
      sum(open) OVER of_product - open AS before, sum(open) OVER of_product AS through
    FROM order_lines CROSS JOIN LATERAL (
      SELECT order_lines.quantity - coalesce(sum(claimed.quantity), 0) FROM claimed
      WHERE claimed.position = order_lines.position
    ) AS rest (open)
    WHERE store_id = $1 AND order_id = $2
    WINDOW of_product AS (PARTITION BY product_id, variant_id ORDER BY position)
  ), claimed_units AS (
    SELECT line.product_id, line.variant_key, unit.bin_id, count(*) AS units
    FROM claimed JOIN open_lines AS line USING (position) CROSS JOIN unnest(claimed.bins) AS unit (bin_id)
    GROUP BY line.product_id, line.variant_key, unit.bin_id
  ), taken AS (
    SELECT product_id, variant_key, bin_id, -sum(quantity) AS units FROM stock_movements
    WHERE store_id = $1 AND order_id = $2 AND kind = 'ORDER'
    GROUP BY product_id, variant_key, bin_id
  ), unclaimed AS (
    SELECT line.position, unit.bin_id
    FROM (
      SELECT product_id, variant_key, bin_id,
        row_number() OVER (PARTITION BY product_id, variant_key ORDER BY bin_id) AS number
      FROM taken LEFT JOIN claimed_units AS claimed USING (product_id, variant_key, bin_id)
      CROSS JOIN generate_series(1, taken.units - coalesce(claimed.units, 0))
    ) AS unit
    JOIN open_lines AS line
      ON line.product_id = unit.product_id AND line.variant_key = unit.variant_key
      AND unit.number > line.before AND unit.number <= line.through
  )`;

/** SQL for the bins of the first units of a line, up to `wanted`. @param units a subquery with rows (position, bin_id). */
export function firstBins(units: string, position: string, wanted: string): string {
  return `ARRAY(
      SELECT unit.bin_id FROM ${units} AS unit WHERE unit.position = ${position} ORDER BY unit.bin_id LIMIT ${wanted}
    )`;
}
