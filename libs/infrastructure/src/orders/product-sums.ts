import type { Page, PageOf, ProductSums, ProductSumsFilter } from '@app/application';
import { offsetOf, pageOf, type Counted } from '../lists/paging.js';
import type { Database } from '../postgres/database.js';
import { BEGINNING_OF_DAY, RANGE } from './order-sums.js';

const ITEM = 'product_id, variant_id, sku, name';
const NUMBERS = 'units, amount, returned, cancelled';

/**
 * No sums of products are kept, because each order would pay for them: the lines of the orders are read. The look-ups with
 * OFFSET keep the planner from joining all lines of the store.
 */
function sumsBy(by: 'product' | 'sku', sort: 'units' | 'amount'): string {
  const item = `coalesce(product_id, 0) AS product_id, ${by === 'sku' ? 'coalesce(variant_id, 0)' : '0'} AS variant_id,
        CASE WHEN product_id IS NULL THEN sku ELSE '' END AS sku, CASE WHEN product_id IS NULL THEN name ELSE '' END AS name`;
  const linesOf = (units: string) => `FROM (
          SELECT position, quantity AS n FROM ${units} WHERE store_id = $1 AND order_id = placed.id OFFSET 0
        ) AS unit
        JOIN order_lines AS line ON line.store_id = $1 AND line.order_id = placed.id AND line.position = unit.position`;
  return `/* orders.product_sums_by_${by}_${sort} */
  WITH ${RANGE}, ends AS (
    SELECT min(begins) AS begins, max(begins) AS ends
    FROM range CROSS JOIN LATERAL (VALUES (first), (after)) AS date (day) CROSS JOIN ${BEGINNING_OF_DAY}
  ), summed AS MATERIALIZED (
    SELECT ${ITEM}, sum(units) AS units, sum(unit_price * units::numeric) AS amount, sum(returned) AS returned, sum(cancelled) AS cancelled
    FROM ends CROSS JOIN LATERAL (
      SELECT id, 'CANCELLED' IN (status, fulfillment_status) AS is_cancelled FROM orders
      WHERE store_id = $1 AND created_at >= begins AND created_at < ends AND is_test = $4
      OFFSET 0
    ) AS placed
    CROSS JOIN LATERAL (
      SELECT ${item}, unit_price, CASE WHEN is_cancelled THEN 0 ELSE quantity END AS units, 0 AS returned,
        CASE WHEN is_cancelled THEN quantity ELSE 0 END AS cancelled
      FROM order_lines WHERE store_id = $1 AND order_id = placed.id
      UNION ALL
      SELECT ${item}, unit_price, -n, 0, n ${linesOf('cancelled_units')}
      WHERE NOT is_cancelled
      UNION ALL
      SELECT ${item}, unit_price, 0, n, 0 ${linesOf('returned_units')}
    ) AS part
    GROUP BY ${ITEM} HAVING (sum(units), sum(unit_price * units::numeric), sum(returned), sum(cancelled)) <> (0, 0, 0, 0)
  ), page AS MATERIALIZED (
    SELECT * FROM summed ORDER BY ${sort} DESC, product_id, variant_id, sku COLLATE "C", name COLLATE "C" LIMIT $5 OFFSET $6
  )
  SELECT (SELECT count(*) FROM summed) AS total, nullif(product_id, 0) AS "productId", nullif(variant_id, 0) AS "variantId",
    coalesce((
      SELECT sku FROM product_variants WHERE store_id = $1 AND product_id = page.product_id AND id = page.variant_id
    ), product.sku, page.sku) AS sku, coalesce(product.name, page.name) AS name, ${NUMBERS}
  FROM page
  LEFT JOIN LATERAL (SELECT sku, name FROM products WHERE store_id = $1 AND id = page.product_id OFFSET 0) AS product ON true
  ORDER BY ${sort} DESC, product_id, variant_id, page.sku COLLATE "C", page.name COLLATE "C"`;
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

/** Reads the lines of all orders of the range, with a plan for the present size of the tables. */
export async function sumsOfProducts(
  database: Database,
  storeId: number,
  { from, to, by, sort, isTest = false }: ProductSumsFilter,
  page: Page,
): Promise<PageOf<ProductSums>> {
  const { rows, total } = await pageOf(page, (asked) => {
    const values = [storeId, from, to, isTest, asked.limit, offsetOf(asked)];
    return database.search<SumsRow>(SUMS[by][sort], values);
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
