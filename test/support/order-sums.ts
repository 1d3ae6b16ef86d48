/** The sums of a store that its orders, lines and refunds do not have: none at any moment. */
export const WRONG_ORDER_SUMS = `
  WITH recounted AS (
    SELECT is_test, source, created_at AS at, 1 AS orders, ('CANCELLED' IN (status, fulfillment_status))::int AS cancelled,
      (SELECT coalesce(sum(quantity), 0) FROM order_lines AS line WHERE line.store_id = $1 AND order_id = orders.id) AS units,
      total_amount AS amount, 0 AS refunded
    FROM orders WHERE store_id = $1
    UNION ALL
    SELECT is_test, source, at, 0, 0, 0, 0, refunds.amount
    FROM refunds JOIN orders ON orders.store_id = $1 AND orders.id = order_id WHERE refunds.store_id = $1
  ), both_ways AS (
    SELECT is_test, source, date_bin('15 minutes', at, '0001-01-01Z') AS quarter, orders, cancelled, units, amount, refunded
    FROM recounted
    UNION ALL
    SELECT is_test, source, quarter, -orders, -cancelled, -units, -amount, -refunded FROM order_sums WHERE store_id = $1
    UNION ALL
    SELECT is_test, source, quarter, -orders, -cancelled, -units, -amount, -refunded FROM order_sum_changes WHERE store_id = $1
  )
  SELECT is_test, source, quarter, sum(orders) AS orders, sum(cancelled) AS cancelled, sum(units) AS units,
    sum(amount) AS amount, sum(refunded) AS refunded
  FROM both_ways GROUP BY is_test, source, quarter
  HAVING (sum(orders), sum(cancelled), sum(units), sum(amount), sum(refunded)) <> (0, 0, 0, 0, 0)`;
