import { MAX_LIMIT, type Page, type SkuFilter, type TimeRange } from '@app/application';
import { changedAt } from '../feed/updated-at.js';
import { foundByChange } from '../lists/by-change.js';
import type { Conditions } from '../lists/conditions.js';
import { afterPosition, offsetOf } from '../lists/paging.js';
import { containingTerm } from '../lists/search-terms.js';
import { totalOf } from '../lists/tally.js';
import { inRange } from '../lists/time-range.js';
import { IS_FOR_SALE } from '../stock/available-stock.js';

/** The sort order of the index. Code points sort the same on every operating system and in every locale. */
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

/** The id of a unit in the feed: `<product>`, or `<product>-<variant>`. */
const entity = (row: string) => `${row}.product_id || coalesce('-' || nullif(${row}.variant_key, 0), '')`;
const UPDATED_AT = `,
    coalesce(${changedAt('skus', entity('page'))}, product.created_at) AS "updatedAt"`;

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

const OF_CHANGE = `unit.product_id = split_part(change.entity, '-', 1)::int
      AND unit.variant_key = ('0' || split_part(change.entity, '-', 2))::int`;
/** Compares in both directions, so that the planner can begin with the changes or with the units. */
const CHANGED = `change.store_id = $1 AND change.kind = 'skus' AND ${OF_CHANGE}`;

/** Finds the few units of a page of the feed. The planner does not see that they are few: see `anyOf`. */
export const FIND_MANY = `/* skus.find_many */
  WITH asked AS MATERIALIZED (SELECT $2::int[] AS products, $3::int[] AS variants)
  SELECT ${columns()}
  FROM (
    SELECT unit.sku, unit.product_id, unit.variant_key
    FROM asked CROSS JOIN unnest(asked.products, asked.variants) AS wanted (product_id, variant_key)
    JOIN sellable_units AS unit USING (product_id, variant_key) WHERE unit.store_id = $1
  ) AS page ${CATALOG}`;

/**
 * Skips the units before the page in the index. The planner has one plan for all pages; the constant limit makes it
 * expect few rows.
 */
export function listedPage(where: Conditions, filter: SkuFilter, page: Page): string {
  const total = totalOf(tallyOf(filter), where);
  return `/* skus.list */
    SELECT ${total} AS total, ${columns(filter)}
    FROM (
      SELECT * FROM (
        SELECT * FROM (
          SELECT unit.sku, unit.product_id, unit.variant_key FROM sellable_units AS unit
          WHERE ${where.sql}${afterPosition(page, order('unit'), 'ASC', where)}
          ORDER BY ${order('unit')} OFFSET ${where.bind(offsetOf(page))}
        ) AS rest LIMIT ${MAX_LIMIT}
      ) AS rows LIMIT ${where.bind(page.limit)}
    ) AS page ${CATALOG}
    ORDER BY ${order('page')}`;
}

/** Sorts by the time of the last change; units with the same time by their ids, in the same direction. */
export function changedPage(where: Conditions, filter: SkuFilter, page: Page): string {
  const tally = tallyOf(filter);
  const isFiltered = filter.inStock || filter.outOfStock;
  const found = foundByChange({
    total: totalOf(tally, where),
    stored: totalOf({ list: tally.list, labels: [] }, where),
    columns: 'sku, product_id, variant_key, "changedAt"',
    // Looks up the unit of each change separately: OFFSET keeps the planner from joining all units.
    byChange: `SELECT unit.*, change.changed_at AS "changedAt" FROM changes AS change CROSS JOIN LATERAL (
            SELECT * FROM sellable_units AS unit WHERE ${where.sql} AND ${OF_CHANGE} OFFSET 0
          ) AS unit WHERE change.store_id = $1 AND change.kind = 'skus'`,
    byRow: isFiltered
      ? `SELECT unit.*, ${changedAt('skus', entity('unit'))} AS "changedAt" FROM sellable_units AS unit WHERE ${where.sql}`
      : null,
    order: orderByTime('', page),
    after: afterPosition(page, '"changedAt", product_id, variant_key', directionOf(page), where),
    offset: where.bind(offsetOf(page)),
    limit: where.bind(page.limit),
  });
  return `/* skus.list_changed */
    ${found}
    SELECT (SELECT listed FROM counts) AS total, ${columns(filter)}, page."changedAt" AS "sortedAt"
    FROM found AS page ${CATALOG}
    ORDER BY ${orderByTime('page.', page)}`;
}

const isByChange = ({ sort }: Page) => sort?.by === 'updatedAt';

const directionOf = ({ sort }: Page) => (sort?.isDescending ? 'DESC' : 'ASC');

function orderByTime(row: string, page: Page): string {
  const direction = directionOf(page);
  return ['"changedAt"', 'product_id', 'variant_key'].map((column) => `${row}${column} ${direction}`).join(', ');
}

/**
 * Finds and counts the matches once, and reads the catalog only for the page. SKUs and names are in two tables, each
 * with an index.
 */
export function searchedPage(where: Conditions, filter: SkuFilter, page: Page): string {
  const { search, updatedFrom, updatedTo } = filter;
  const range: TimeRange = { from: updatedFrom, to: updatedTo };
  const isTimed = isByChange(page) || updatedFrom !== undefined || updatedTo !== undefined;
  const found = search === undefined ? '' : foundBy(containingTerm(where, search));
  const changes = isTimed ? `JOIN changes AS change ON ${CHANGED} AND change.entity = ${entity('unit')}` : '';
  const sorted = (row: string) => (isByChange(page) ? orderByTime(`${row}.`, page) : order(row));
  const after = isByChange(page)
    ? afterPosition(page, 'change.changed_at, unit.product_id, unit.variant_key', directionOf(page), where)
    : afterPosition(page, order('unit'), 'ASC', where);
  return `/* skus.search */
    WITH matching AS MATERIALIZED (
      SELECT unit.sku, unit.product_id, unit.variant_key${isTimed ? ', change.changed_at AS "changedAt"' : ''}
      FROM sellable_units AS unit ${found} ${changes} WHERE ${where.sql}${inRange('change.changed_at', range, where)}${after}
    )
    SELECT (SELECT count(*) FROM matching) AS total, ${columns(filter)}${isByChange(page) ? ', page."changedAt" AS "sortedAt"' : ''}
    FROM (
      SELECT * FROM matching ORDER BY ${sorted('matching')}
      LIMIT ${where.bind(page.limit)} OFFSET ${where.bind(offsetOf(page))}
    ) AS page ${CATALOG}
    ORDER BY ${sorted('page')}`;
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
