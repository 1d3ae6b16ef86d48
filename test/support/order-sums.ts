/**
 * SQL for the sums of a store that differ from its orders, lines, refunds and bookings: there are none at any moment.
 */
export const WRONG_ORDER_SUMS = `
  WITH recounted AS (
    SELECT is_test, source, created_at AS at, 1 AS orders, ('CANCELLED' IN (status, fulfillment_status))::int AS cancelled,
      (SELECT coalesce(sum(quantity), 0) FROM order_lines AS line WHERE line.store_id = $1 AND order_id = orders.id) AS units,
      total_amount AS amount, tax_amount AS tax, shipping_amount AS shipping, discount_amount AS discount, 0 AS refunded, 0 AS paid, 0 AS credited, 0 AS given_up
    FROM orders WHERE store_id = $1
    UNION ALL
    SELECT is_test, source, at, 0, 0, 0, 0, 0, 0, 0, refunds.amount, 0, 0, 0
    FROM refunds JOIN orders ON orders.store_id = $1 AND orders.id = order_id WHERE refunds.store_id = $1
    UNION ALL
    SELECT orders.is_test, source, at, 0, 0, 0, 0, 0, 0, 0, 0, paid, CASE kind WHEN 'credit' THEN credited ELSE 0 END,
      CASE kind WHEN 'credit' THEN 0 ELSE credited END
    FROM bookings JOIN orders ON orders.store_id = $1 AND orders.id = order_id WHERE bookings.store_id = $1
  ), both_ways AS (
    SELECT is_test, source, date_bin('15 minutes', at, '0001-01-01Z') AS quarter, orders, cancelled, units, amount, tax, shipping,
      discount, refunded, paid, credited, given_up
    FROM recounted
    UNION ALL
    SELECT is_test, source, quarter, -orders, -cancelled, -units, -amount, -tax, -shipping, -discount, -refunded, -paid, -credited, -given_up
    FROM order_sums WHERE store_id = $1
    UNION ALL
    SELECT is_test, source, quarter, -orders, -cancelled, -units, -amount, -tax, -shipping, -discount, -refunded, -paid, -credited, -given_up
    FROM order_sum_changes WHERE store_id = $1
  )
  SELECT is_test, source, quarter, sum(orders) AS orders, sum(cancelled) AS cancelled, sum(units) AS units,
    sum(amount) AS amount, sum(tax) AS tax, sum(shipping) AS shipping, sum(discount) AS discount, sum(refunded) AS refunded, sum(paid) AS paid, sum(credited) AS credited, sum(given_up) AS given_up
  FROM both_ways GROUP BY is_test, source, quarter
  HAVING (sum(orders), sum(cancelled), sum(units), sum(amount), sum(tax), sum(shipping), sum(discount), sum(refunded),
    sum(paid), sum(credited), sum(given_up)) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`;
