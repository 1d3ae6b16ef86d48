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

/** SQL for the group of a row of order_sums, and of a change that it does not count yet. */
const GROUPS = {
  source: { kept: 'source', changed: 'source' },
  payment_method: { kept: 'group_value', changed: 'payment_method' },
  country: { kept: 'group_value', changed: 'country' },
};

/**
 * Each day is looked up by the index: grouping all rows by their days takes twice as long. The changes that wait for the
 * tallies are read once, and find their day by its date or the next one. Without a group, each day has a row.
 */
function sumsBy(group?: keyof typeof GROUPS): string {
  const { kept, changed } = group ? GROUPS[group] : { kept: null, changed: null };
  const grouped = group ? ', "group"' : '';
  return `/* orders.sums${group ? `_by_${group}` : ''} */
  WITH ${RANGE}, days AS (
    SELECT day, begins, lead(begins) OVER (ORDER BY day) AS ends
    FROM range CROSS JOIN generate_series(0, after - first) AS n
    CROSS JOIN LATERAL (SELECT first + n) AS date (day) CROSS JOIN ${BEGINNING_OF_DAY}
  ), changes AS MATERIALIZED (
    SELECT quarter, source, ${group ? `${changed} AS "group", ` : ''}${SUMMED.join(', ')}
    FROM order_sum_changes WHERE store_id = $1 AND is_test = $4
  )
  SELECT to_char(day::timestamp, $6) AS period${grouped}, ${SUMMED.map((name) => `sum(${name}) AS ${name}`).join(', ')}
  FROM (
    SELECT day${grouped}, ${SUMMED.join(', ')}
    FROM days CROSS JOIN LATERAL (
      SELECT ${group ? `${kept} AS "group", ` : ''}${SUMMED.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(', ')}
      FROM order_sums
      WHERE store_id = $1 AND is_test = $4 AND group_by = '${group ?? 'source'}' AND quarter >= begins AND quarter < ends
        AND source = coalesce($5, source)
      ${group ? 'GROUP BY 1' : ''}
    ) AS kept
    WHERE ends IS NOT NULL
    UNION ALL
    SELECT days.day${grouped}, ${SUMMED.join(', ')}
    FROM changes CROSS JOIN range
    CROSS JOIN LATERAL (SELECT (quarter AT TIME ZONE time_zone)::date + n FROM generate_series(0, 1) AS n) AS near (day)
    JOIN days ON days.day = near.day AND quarter >= begins AND quarter < ends
    WHERE source = coalesce($5, source)
  ) AS sums
  GROUP BY period${grouped}
  ${group ? `HAVING ${SUMMED.map((name) => `sum(${name}) <> 0`).join(' OR ')}` : ''}
  ORDER BY period${group ? ', "group" COLLATE "C"' : ''}`;
}

const SUMS = sumsBy();
const SUMS_BY = {
  source: sumsBy('source'),
  payment_method: sumsBy('payment_method'),
  country: sumsBy('country'),
};

const FORMATS = { day: 'YYYY-MM-DD', month: 'YYYY-MM' };

type SumsRow = { readonly [Name in 'period' | (typeof SUMMED)[number]]: string } & { readonly group?: string };

/** Reads up to 96 rows for each day, source and group. */
export async function sumsOfOrders(
  database: Database,
  storeId: number,
  { from, to, by, source, isTest = false, group }: OrderSumsFilter,
): Promise<OrderSums[]> {
  const known = ORDER_SOURCES.find((word) => word === source?.toUpperCase()) ?? '';
  const values = [storeId, from, to, isTest, source === undefined ? null : known, FORMATS[by]];
  const rows = await database.search<SumsRow>(group ? SUMS_BY[group] : SUMS, values, { onePlan: true });
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
