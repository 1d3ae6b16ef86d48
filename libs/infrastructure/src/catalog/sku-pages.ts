import { MAX_LIMIT, type Page, type SkuFilter } from '@app/application';
import { changedAt } from '../feed/updated-at.js';
import type { Conditions } from '../lists/conditions.js';
import { offsetOf } from '../lists/paging.js';
import { containingTerm } from '../lists/search-terms.js';
import { totalOf } from '../lists/tally.js';
import { IS_FOR_SALE } from '../stock/available-stock.js';

/** The order of the index. No operating system or locale changes the order of code points. */
const order = (row: string) => `${row}.sku COLLATE "C", ${row}.product_id, ${row}.variant_key`;

const STOCK = `WHERE stock.store_id = $1 AND stock.product_id = page.product_id AND stock.variant_key = page.variant_key
        AND ${IS_FOR_SALE}`;
const BY_WAREHOUSE = `,
    (SELECT coalesce(json_agg(held ORDER BY warehouse COLLATE "C"), '[]') FROM (
        SELECT warehouses.code AS warehouse, sum(stock.quantity) AS quantity FROM stock
        JOIN bins ON bins.store_id = $1 AND bins.id = stock.bin_id
        JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = bins.warehouse_id
        ${STOCK}
        GROUP BY warehouses.code
      ) AS held) AS warehouses`;

const ENTITY = `page.product_id || coalesce('-' || nullif(page.variant_key, 0), '')`;
const UPDATED_AT = `,
    coalesce(${changedAt('skus', ENTITY)}, product.created_at) AS "updatedAt"`;

const columns = ({
  byWarehouse,
  include = [],
}: SkuFilter = {}) => `page.sku, page.product_id AS "productId", nullif(page.variant_key, 0) AS "variantId",
    product.slug AS "productSlug", product.name, product.status, coalesce(variant.price, product.price) AS price,
    coalesce(variant.attributes, '{}') AS attributes, coalesce(variant.attribute_names, '{}') AS "attributeNames",
    (SELECT coalesce(sum(stock.quantity), 0) FROM stock ${STOCK}) AS quantity${byWarehouse ? BY_WAREHOUSE : ''}${include.length > 0 ? UPDATED_AT : ''}`;
const CATALOG = `
    JOIN products AS product ON product.store_id = $1 AND product.id = page.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = page.variant_key`;

const tallyOf = ({ inStock, outOfStock }: SkuFilter) => ({
  list: 'skus',
  labels: [inStock ? 'true' : outOfStock && 'false'],
});

/** SQL for the ids of the units that changed in a range, up to its conditions. An id is `<product>`, or `<product>-<variant>`. */
export const CHANGED_UNITS = `SELECT split_part(entity, '-', 1)::int, ('0' || split_part(entity, '-', 2))::int FROM changes
      WHERE store_id = $1 AND kind = 'skus'`;

/** The units are few: a page of the feed. The planner does not see them: see `anyOf`. */
export const FIND_MANY = `/* skus.find_many */
  WITH asked AS MATERIALIZED (SELECT $2::int[] AS products, $3::int[] AS variants)
  SELECT ${columns()}
  FROM (
    SELECT unit.sku, unit.product_id, unit.variant_key
    FROM asked CROSS JOIN unnest(asked.products, asked.variants) AS wanted (product_id, variant_key)
    JOIN sellable_units AS unit USING (product_id, variant_key) WHERE unit.store_id = $1
  ) AS page ${CATALOG}`;

/**
 * Skips the units before the page in the index. The constant limit makes the planner, which has one plan for all pages,
 * expect few rows.
 */
export function listedPage(where: Conditions, filter: SkuFilter, page: Page): string {
  const total = totalOf(tallyOf(filter), where);
  return `/* skus.list */
    SELECT ${total} AS total, ${columns(filter)}
    FROM (
      SELECT * FROM (
        SELECT * FROM (
          SELECT unit.sku, unit.product_id, unit.variant_key FROM sellable_units AS unit WHERE ${where.sql}
          ORDER BY ${order('unit')} OFFSET ${where.bind(offsetOf(page))}
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS rows LIMIT ${where.bind(page.limit)}
    ) AS page ${CATALOG}
    ORDER BY ${order('page')}`;
}

/**
 * Finds and counts the matches once, and reads the catalog only for the page. The SKUs and the names are in two tables, each
 * with an index.
 */
export function searchedPage(where: Conditions, filter: SkuFilter, page: Page): string {
  const { search } = filter;
  const found = search === undefined ? '' : foundBy(containingTerm(where, search));
  return `/* skus.search */
    WITH matching AS MATERIALIZED (
      SELECT unit.sku, unit.product_id, unit.variant_key FROM sellable_units AS unit ${found} WHERE ${where.sql}
    )
    SELECT (SELECT count(*) FROM matching) AS total, ${columns(filter)}
    FROM (
      SELECT * FROM matching ORDER BY ${order('matching')}
      LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
    ) AS page ${CATALOG}
    ORDER BY ${order('page')}`;
}

function foundBy(contains: (column: string) => string): string {
  return `JOIN (
        SELECT named.product_id, named.variant_key FROM sellable_units AS named
        WHERE named.store_id = $1 AND ${contains('named.search_text')}
        UNION
        SELECT named.product_id, named.variant_key FROM products
        JOIN sellable_units AS named ON named.store_id = $1 AND named.product_id = products.id
        WHERE products.store_id = $1 AND products.status = 'ACTIVE' AND ${contains('products.search_text')}
      ) AS found USING (product_id, variant_key)`;
}
