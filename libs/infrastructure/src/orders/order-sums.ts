import type { OrderSums, OrderSumsFilter } from '@app/application';
import { ORDER_SOURCES } from '@app/domain';
import type { Database } from '../postgres/database.js';

const PRESET_DAYS = 30;

/** The summed columns of order_sums. */
const SUMMED = [
  'orders',
  'cancelled',
  'units',
  'amount',
  'tax',
  'shipping',
  'discount',
  'refunded',
  'paid',
  'credited',
  'given_up',
] as const;

/** SQL for the days of a statistic, in the time zone of the store. `$2` and `$3` are what the filter gives. */
export const RANGE = `range AS (
    SELECT time_zone, coalesce($2::date, coalesce($3::date, tomorrow) - ${PRESET_DAYS}) AS first,
      coalesce($3::date, coalesce($2::date + ${PRESET_DAYS}, tomorrow)) AS after
    FROM stores CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE time_zone)::date + 1) AS next (tomorrow)
    WHERE stores.id = $1
  )`;

/**
 * SQL for the time at which `day` begins in `time_zone`. Midnight occurs twice where clocks are set back across it, by up
 * to three hours. PostgreSQL takes the second one, but the day begins with the first.
 */
export const BEGINNING_OF_DAY = `LATERAL (
      SELECT coalesce(min(moment) FILTER (WHERE (moment AT TIME ZONE time_zone)::date = day), min(midnight))
      FROM (SELECT day::timestamp AT TIME ZONE time_zone) AS date (midnight)
      CROSS JOIN generate_series(midnight - interval '3 hours', midnight, interval '30 minutes') AS moment
    ) AS start (begins)`;

/** SQL for the days of the range, and the time at which each begins and ends. The day after the last has no end. */
const DAYS = `days AS (
    SELECT day, begins, lead(begins) OVER (ORDER BY day) AS ends
    FROM range CROSS JOIN generate_series(0, after - first) AS n
    CROSS JOIN LATERAL (SELECT first + n) AS date (day) CROSS JOIN ${BEGINNING_OF_DAY}
  )`;

const TOTALS = SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ');

// Each day is looked up by the index: grouping all rows by their days takes twice as long. The changes that wait for the
// tallies are read once, and find their day by its date or the next one.
const SUMS = `/* orders.sums */
  WITH ${RANGE}, ${DAYS}, changes AS MATERIALIZED (
    SELECT quarter, source, ${SUMMED.join(', ')}
    FROM order_sum_changes WHERE store_id = $1 AND is_test = $4
  )
  SELECT to_char(day::timestamp, $6) AS period, ${TOTALS}
  FROM (
    SELECT day, ${SUMMED.join(', ')}
    FROM days CROSS JOIN LATERAL (
      SELECT ${SUMMED.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ')}
      FROM order_sums
      WHERE store_id = $1 AND is_test = $4 AND quarter >= begins AND quarter < ends AND source = coalesce($5, source)
    ) AS kept
    WHERE ends IS NOT NULL
    UNION ALL
    SELECT days.day, ${SUMMED.join(', ')}
    FROM changes CROSS JOIN range
    CROSS JOIN LATERAL (SELECT (quarter AT TIME ZONE time_zone)::date + n FROM generate_series(0, 1) AS n) AS near (day)
    JOIN days ON days.day = near.day AND quarter >= begins AND quarter < ends
    WHERE source = coalesce($5, source)
  ) AS sums
  GROUP BY period ORDER BY period`;

/**
 * No sums are kept by `group`, because each order would pay for them: the orders and bookings of each day are read. Every
 * booking looks its order up. A refund without a record, which the status of an imported order implies, has no reference.
 */
const sumsBy = (name: string, group: string) => `/* orders.sums_by_${name} */
  WITH ${RANGE}, ${DAYS}
  SELECT to_char(day::timestamp, $6) AS period, "group", ${TOTALS}
  FROM days CROSS JOIN LATERAL (
    SELECT ${group} AS "group", count(*) AS orders, count(*) FILTER (WHERE 'CANCELLED' IN (status, fulfillment_status)) AS cancelled,
      sum(units) AS units, sum(total_amount) AS amount, sum(tax_amount) AS tax, sum(shipping_amount) AS shipping,
      sum(discount_amount) AS discount, 0 AS refunded, 0 AS paid, 0 AS credited, 0 AS given_up
    FROM orders
    WHERE store_id = $1 AND created_at >= begins AND created_at < ends AND is_test = $4 AND source = coalesce($5, source)
    GROUP BY 1
    UNION ALL
    SELECT item."group", 0, 0, 0, 0, 0, 0, 0, coalesce(sum(refunded) FILTER (WHERE reference <> ''), 0), sum(paid),
      coalesce(sum(credited) FILTER (WHERE kind = 'credit'), 0),
      coalesce(sum(credited) FILTER (WHERE kind <> 'credit'), 0)
    FROM bookings CROSS JOIN LATERAL (
      SELECT ${group} AS "group" FROM orders
      WHERE store_id = $1 AND id = bookings.order_id AND source = coalesce($5, source) OFFSET 0
    ) AS item
    WHERE store_id = $1 AND is_test = $4 AND at >= begins AND at < ends
    GROUP BY 1
  ) AS sums
  GROUP BY period, "group"
  HAVING ${SUMMED.map((name) => `sum(${name}) <> 0`).join(' OR ')}
  ORDER BY period, "group" COLLATE "C"`;

const SUMS_BY = {
  source: sumsBy('source', 'source'),
  payment_method: sumsBy('payment_method', 'payment_method'),
  country: sumsBy('country', "coalesce(shipping_address ->> 'country', '')"),
};

const FORMATS = { day: 'YYYY-MM-DD', month: 'YYYY-MM' };

type SumsRow = { readonly [Name in 'period' | (typeof SUMMED)[number]]: string } & { readonly group?: string };

/**
 * Reads up to 96 rows for each day and source. With a group, it reads the orders and bookings of the range, with a plan for
 * the present size of the tables.
 */
export async function sumsOfOrders(
  database: Database,
  storeId: number,
  { from, to, by, source, isTest = false, group }: OrderSumsFilter,
): Promise<OrderSums[]> {
  const known = ORDER_SOURCES.find((word) => word === source?.toUpperCase()) ?? '';
  const values = [storeId, from, to, isTest, source === undefined ? null : known, FORMATS[by]];
  const rows = await database.search<SumsRow>(group ? SUMS_BY[group] : SUMS, values, { onePlan: !group });
  return rows.map((row) => ({
    period: row.period,
    ...(row.group !== undefined && { group: row.group }),
    orders: Number(row.orders),
    cancelled: Number(row.cancelled),
    units: Number(row.units),
    amount: Number(row.amount),
    tax: Number(row.tax),
    shipping: Number(row.shipping),
    discount: Number(row.discount),
    refunded: Number(row.refunded),
    paid: Number(row.paid),
    credited: Number(row.credited),
    givenUp: Number(row.given_up),
  }));
}
