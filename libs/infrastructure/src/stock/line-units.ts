/**
 * SQL with one row for each line of an order and each bin of the line. `held` counts the units that the order took from
 * the bin and did not cancel. `claimed` counts the held units that are in shipments. `shipped` counts the claimed units
 * that have left. The parameters are SQL expressions.
 */
export const unitsByBin = (storeId: string, orderId: string) => `(
    SELECT position, bin_id, sum(held) AS held, sum(claimed) AS claimed, sum(shipped) AS shipped
    FROM (
      SELECT position, bin_id, -quantity AS held, 0 AS claimed, 0 AS shipped FROM stock_movements
      WHERE store_id = ${storeId} AND order_id = ${orderId} AND kind = 'ORDER'
      UNION ALL
      SELECT position, bin_id, -quantity, 0, 0 FROM cancelled_units WHERE store_id = ${storeId} AND order_id = ${orderId}
      UNION ALL
      SELECT position, bin_id, 0, quantity, CASE status WHEN 'picking' THEN 0 ELSE quantity END
      FROM shipment_items JOIN shipments USING (store_id, order_id, reference)
      WHERE store_id = ${storeId} AND order_id = ${orderId} AND status <> 'void'
    ) AS part
    GROUP BY position, bin_id
  )`;

/**
 * SQL with rows (position, bin_id, quantity) for the units that `asked` requests. The units of a line come from its
 * bins with the lowest ids. Units that are in no bin get the bin 0.
 * @param units SQL with rows (position, bin_id, units). @param asked SQL with rows (position, quantity).
 */
export const firstUnits = (units: string, asked: string) => `(
    SELECT position, coalesce(bin_id, 0) AS bin_id, least(units, wanted - before)::int AS quantity
    FROM (
      SELECT offered.*, asked.quantity AS wanted,
        sum(units) OVER (PARTITION BY position ORDER BY bin_id NULLS LAST) - units AS before
      FROM ${asked} AS asked JOIN (
        SELECT position, bin_id, units FROM ${units} AS known WHERE units > 0 AND bin_id <> 0
        UNION ALL
        SELECT position, NULL, quantity FROM ${asked} AS unknown
      ) AS offered USING (position)
    ) AS range
    WHERE before < wanted
  )`;

/**
 * SQL for the `units` of {@link firstUnits}: the units of the order `$2` of the store `$1` that are in no shipment.
 */
export const UNCLAIMED_UNITS = `(SELECT position, bin_id, held - claimed AS units FROM ${unitsByBin('$1', '$2')} AS unit)`;
