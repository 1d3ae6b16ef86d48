const PERIODS = `(VALUES ('day', day), ('month', date_trunc('month', day)::date)) AS part (grain, period)`;

const GROUPS = `(VALUES ('source', source, ''), ('payment_method', source, payment_method), ('country', source, country)
    ) AS part (group_by, source, group_value)`;

/**
 * SQL for the sums of a store that differ from its orders, lines, refunds and bookings: there are none at any moment.
 */
export const WRONG_ORDER_SUMS = `
  WITH recounted AS (
    SELECT is_test, source, payment_method, coalesce(shipping_address ->> 'country', '') AS country, created_at AS at, 1 AS orders, ('CANCELLED' IN (status, fulfillment_status))::int AS cancelled,
      (SELECT coalesce(sum(quantity), 0) FROM order_lines AS line WHERE line.store_id = $1 AND order_id = orders.id) AS units,
      total_amount AS amount, tax_amount AS tax, shipping_amount AS shipping, discount_amount AS discount, 0 AS refunded, 0 AS paid, 0 AS credited, 0 AS given_up
    FROM orders WHERE store_id = $1
    UNION ALL
    SELECT is_test, source, payment_method, coalesce(shipping_address ->> 'country', ''), at, 0, 0, 0, 0, 0, 0, 0, refunds.amount, 0, 0, 0
    FROM refunds JOIN orders ON orders.store_id = $1 AND orders.id = order_id WHERE refunds.store_id = $1
    UNION ALL
    SELECT orders.is_test, source, payment_method, coalesce(shipping_address ->> 'country', ''), at, 0, 0, 0, 0, 0, 0, 0, 0, paid, CASE kind WHEN 'credit' THEN credited ELSE 0 END,
      CASE kind WHEN 'credit' THEN 0 ELSE credited END
    FROM bookings JOIN orders ON orders.store_id = $1 AND orders.id = order_id WHERE bookings.store_id = $1
  ), both_ways AS (
    SELECT is_test, part.*, date_bin('15 minutes', at, '0001-01-01Z') AS quarter, orders, cancelled, units, amount, tax, shipping,
      discount, refunded, paid, credited, given_up
    FROM recounted CROSS JOIN LATERAL ${GROUPS}
    UNION ALL
    SELECT is_test, group_by, source, group_value, quarter, -orders, -cancelled, -units, -amount, -tax, -shipping, -discount, -refunded, -paid, -credited, -given_up
    FROM order_sums WHERE store_id = $1
    UNION ALL
    SELECT is_test, part.*, quarter, -orders, -cancelled, -units, -amount, -tax, -shipping, -discount, -refunded, -paid, -credited, -given_up
    FROM order_sum_changes CROSS JOIN LATERAL ${GROUPS} WHERE store_id = $1
  )
  SELECT is_test, group_by, source, group_value, quarter, sum(orders) AS orders, sum(cancelled) AS cancelled, sum(units) AS units,
    sum(amount) AS amount, sum(tax) AS tax, sum(shipping) AS shipping, sum(discount) AS discount, sum(refunded) AS refunded, sum(paid) AS paid, sum(credited) AS credited, sum(given_up) AS given_up
  FROM both_ways GROUP BY is_test, group_by, source, group_value, quarter
  HAVING (sum(orders), sum(cancelled), sum(units), sum(amount), sum(tax), sum(shipping), sum(discount), sum(refunded),
    sum(paid), sum(credited), sum(given_up)) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`;

/** SQL for the product sums of a store that differ from its order lines: there are none at any moment. */
export const WRONG_PRODUCT_SUMS = `
  WITH recounted AS (
    SELECT is_test, (created_at AT TIME ZONE 'UTC')::date AS day, coalesce(product_id, 0) AS product_id, coalesce(variant_id, 0) AS variant_id,
      CASE WHEN product_id IS NULL THEN sku ELSE '' END AS sku, CASE WHEN product_id IS NULL THEN name ELSE '' END AS name,
      unit_price, quantity, CASE WHEN 'CANCELLED' IN (status, fulfillment_status) THEN quantity ELSE (
        SELECT coalesce(sum(quantity), 0) FROM cancelled_units AS unit
        WHERE unit.store_id = $1 AND unit.order_id = orders.id AND unit.position = line.position) END AS cancelled, (
        SELECT coalesce(sum(quantity), 0) FROM returned_units AS unit
        WHERE unit.store_id = $1 AND unit.order_id = orders.id AND unit.position = line.position) AS returned
    FROM orders JOIN order_lines AS line ON line.store_id = $1 AND line.order_id = orders.id WHERE orders.store_id = $1
  ), both_ways AS (
    SELECT is_test, part.*, product_id, variant_id, sku, name, quantity - cancelled AS units,
      unit_price * (quantity - cancelled)::numeric AS amount, returned, cancelled
    FROM recounted CROSS JOIN LATERAL ${PERIODS}
    UNION ALL
    SELECT is_test, part.*, product_id, variant_id, sku, name, -units, -amount, -returned, -cancelled
    FROM product_sum_changes CROSS JOIN LATERAL ${PERIODS} WHERE store_id = $1
    UNION ALL
    SELECT is_test, grain, period, product_id, variant_id, sku, name, -units, -amount, -returned, -cancelled
    FROM product_sums WHERE store_id = $1
  )
  SELECT is_test, grain, period, product_id, variant_id, sku, name, sum(units) AS units, sum(amount) AS amount,
    sum(returned) AS returned, sum(cancelled) AS cancelled
  FROM both_ways GROUP BY 1, 2, 3, 4, 5, 6, 7
  HAVING (sum(units), sum(amount), sum(returned), sum(cancelled)) <> (0, 0, 0, 0)`;
