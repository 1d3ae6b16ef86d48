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

// Midnight occurs twice where clocks are set back across it, by up to three hours. PostgreSQL takes the second one, but
// the day begins with the first. Each day is looked up by the index: grouping all rows by their days takes twice as
// long. The changes that wait for the tallies are read once, and find their day by its date or the next one.
const SUMS = `/* orders.sums */
  WITH range AS (
    SELECT time_zone, coalesce($2::date, coalesce($3::date, tomorrow) - ${PRESET_DAYS}) AS first,
      coalesce($3::date, coalesce($2::date + ${PRESET_DAYS}, tomorrow)) AS after
    FROM stores CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE time_zone)::date + 1) AS next (tomorrow)
    WHERE stores.id = $1
  ), days AS (
    SELECT day, begins, lead(begins) OVER (ORDER BY day) AS ends
    FROM range CROSS JOIN generate_series(0, after - first) AS n
    CROSS JOIN LATERAL (SELECT first + n, (first + n)::timestamp AT TIME ZONE time_zone) AS date (day, midnight)
    CROSS JOIN LATERAL (
      SELECT coalesce(min(moment), midnight)
      FROM generate_series(midnight - interval '3 hours', midnight, interval '30 minutes') AS moment
      WHERE (moment AT TIME ZONE time_zone)::date = day
    ) AS start (begins)
  ), changes AS MATERIALIZED (
    SELECT quarter, source, ${SUMMED.join(', ')}
    FROM order_sum_changes WHERE store_id = $1 AND is_test = $4
  )
  SELECT to_char(day::timestamp, $6) AS period, ${SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ')}
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

const FORMATS = { day: 'YYYY-MM-DD', month: 'YYYY-MM' };

type SumsRow = { readonly [Name in 'period' | (typeof SUMMED)[number]]: string };

/** Reads up to 96 rows for each day and source. */
export async function sumsOfOrders(
  database: Database,
  storeId: number,
  { from, to, by, source, isTest = false }: OrderSumsFilter,
): Promise<OrderSums[]> {
  const known = ORDER_SOURCES.find((word) => word === source?.toUpperCase()) ?? '';
  const values = [storeId, from, to, isTest, source === undefined ? null : known, FORMATS[by]];
  const rows = await database.search<SumsRow>(SUMS, values, { onePlan: true });
  return rows.map((row) => ({
    period: row.period,
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
