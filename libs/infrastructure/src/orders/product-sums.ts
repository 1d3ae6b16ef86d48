import type { Page, PageOf, ProductSums, ProductSumsFilter } from '@app/application';
import { offsetOf, pageOf, type Counted } from '../lists/paging.js';
import type { Database } from '../postgres/database.js';
import { BEGINNING_OF_DAY, RANGE } from './order-sums.js';

const SUMMED = 'units, amount, returned, cancelled';
const ITEM = 'product_id, variant_id, sku, name';

const nearestDay = (time: string) => `date_trunc('day', (${time} AT TIME ZONE 'UTC') + interval '12 hours')::date`;
const beginningOf = (day: string) => `(${day}::timestamp AT TIME ZONE 'UTC')`;

/**
 * The days of product_sums are those of UTC: those from first_day to before last_day are the nearest to the range. The
 * lines of the orders at its two ends, of up to 12 hours each, are added, or taken away where the range is shorter. The
 * look-ups with OFFSET keep the planner from joining all lines of the store.
 */
function sumsBy(by: 'product' | 'sku', sort: 'units' | 'amount'): string {
  const item = `product_id, ${by === 'sku' ? 'variant_id' : '0 AS variant_id'}, sku, name`;
  const kept = (grain: 'month' | 'day', first: string, last: string) => `
    SELECT ${item}, ${SUMMED}
    FROM days CROSS JOIN LATERAL (
      SELECT * FROM product_sums
      WHERE store_id = $1 AND is_test = $4 AND grain = '${grain}' AND period >= ${first} AND period < ${last}
      OFFSET 0
    ) AS kept`;
  return `/* orders.product_sums_by_${by}_${sort} */
  WITH ${RANGE}, ends AS (
    SELECT min(begins) AS begins, max(begins) AS ends
    FROM range CROSS JOIN LATERAL (VALUES (first), (after)) AS date (day) CROSS JOIN ${BEGINNING_OF_DAY}
  ), days AS MATERIALIZED (
    SELECT *, date_trunc('month', first_day + interval '1 month -1 day')::date AS first_month,
      date_trunc('month', last_day)::date AS last_month
    FROM (SELECT *, ${nearestDay('begins')} AS first_day, ${nearestDay('ends')} AS last_day FROM ends) AS nearest
  ), summed AS MATERIALIZED (
    SELECT ${ITEM}, sum(units) AS units, sum(amount) AS amount, sum(returned) AS returned, sum(cancelled) AS cancelled
    FROM (${kept('month', 'first_month', 'last_month')}
    UNION ALL${kept('day', 'first_day', 'least(first_month, last_day)')}
    UNION ALL${kept('day', 'greatest(first_month, last_month)', 'last_day')}
    UNION ALL
    SELECT ${item}, ${SUMMED}
    FROM days JOIN product_sum_changes AS change
      ON change.store_id = $1 AND change.is_test = $4 AND change.day >= first_day AND change.day < last_day
    UNION ALL
    SELECT ${item}, n * (quantity - gone.units), n * unit_price * (quantity - gone.units)::numeric, n * back.units, n * gone.units
    FROM days
    CROSS JOIN LATERAL (VALUES (begins, ${beginningOf('first_day')}, 1), (${beginningOf('first_day')}, begins, -1),
      (${beginningOf('last_day')}, ends, 1), (ends, ${beginningOf('last_day')}, -1)) AS part (since, until, n)
    CROSS JOIN LATERAL (
      SELECT id, is_cancelled(orders) AS is_cancelled FROM orders
      WHERE store_id = $1 AND created_at >= since AND created_at < until AND is_test = $4
      OFFSET 0
    ) AS placed
    CROSS JOIN LATERAL (
      SELECT position, quantity, unit_price, coalesce(product_id, 0) AS product_id, coalesce(variant_id, 0) AS variant_id,
        CASE WHEN product_id IS NULL THEN sku ELSE '' END AS sku, CASE WHEN product_id IS NULL THEN name ELSE '' END AS name
      FROM order_lines WHERE store_id = $1 AND order_id = placed.id
      OFFSET 0
    ) AS line
    CROSS JOIN LATERAL (
      SELECT CASE WHEN is_cancelled THEN line.quantity ELSE coalesce(sum(quantity), 0) END AS units FROM cancelled_units
      WHERE store_id = $1 AND order_id = placed.id AND position = line.position
    ) AS gone
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(quantity), 0) AS units FROM returned_units
      WHERE store_id = $1 AND order_id = placed.id AND position = line.position
    ) AS back
    ) AS part
    GROUP BY ${ITEM} HAVING (sum(units), sum(amount), sum(returned), sum(cancelled)) <> (0, 0, 0, 0)
  )
  SELECT total, nullif(page.product_id, 0) AS "productId", nullif(page.variant_id, 0) AS "variantId",
    coalesce(variant.sku, product.sku, page.sku) AS sku, coalesce(product.name, page.name) AS name, ${SUMMED}
  FROM (SELECT count(*) AS total FROM summed) AS counted
  CROSS JOIN (
    SELECT * FROM summed ORDER BY ${sort} DESC, product_id, variant_id, sku COLLATE "C", name COLLATE "C" LIMIT $5 OFFSET $6
  ) AS page
  LEFT JOIN products AS product ON product.store_id = $1 AND product.id = page.product_id
  LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = page.variant_id
  ORDER BY ${sort} DESC, page.product_id, page.variant_id, page.sku COLLATE "C", page.name COLLATE "C"`;
}

const SUMS = {
  product: { units: sumsBy('product', 'units'), amount: sumsBy('product', 'amount') },
  sku: { units: sumsBy('sku', 'units'), amount: sumsBy('sku', 'amount') },
};

interface SumsRow extends Pick<ProductSums, 'productId' | 'variantId' | 'sku' | 'name'>, Counted {
  readonly units: string;
  readonly amount: string;
  readonly returned: string;
  readonly cancelled: string;
}

/** Reads a row for each day at the ends of the range, each month between them, and each product or variant. */
export async function sumsOfProducts(
  database: Database,
  storeId: number,
  { from, to, by, sort, isTest = false }: ProductSumsFilter,
  page: Page,
): Promise<PageOf<ProductSums>> {
  const { rows, total } = await pageOf(page, (asked) => {
    const values = [storeId, from, to, isTest, asked.limit, offsetOf(asked)];
    return database.search<SumsRow>(SUMS[by][sort], values, { onePlan: true });
  });
  return {
    total,
    rows: rows.map(({ productId, variantId, sku, name, ...sums }) => ({
      ...{ productId, variantId, sku, name },
      units: Number(sums.units),
      amount: Number(sums.amount),
      returned: Number(sums.returned),
      cancelled: Number(sums.cancelled),
    })),
  };
}
