import {
  parseId,
  ProductRepository,
  type ListedProduct,
  type Page,
  type PageOf,
  type ProductFilter,
  type ProductRecord,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import { changedAt, updatedAt } from '../feed/updated-at.js';
import { anyOf, Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { availableByVariant } from '../stock/available-stock.js';
import { readByTime, type TimedList } from '../lists/by-time.js';
import type { LargePart } from '../lists/page-bytes.js';
import { matchesNothing, NO_ROWS } from '../lists/paging.js';
import { containingTerm } from '../lists/search-terms.js';
import { hasSlug, folded, slugKey } from './has-slug.js';
import { SharedReads } from '../lists/shared-reads.js';
import { toProductRecord, type ProductRow } from './product.rows.js';

const SUMMARY = 'item.name, item.slug, item.price, item.status';

/**
 * The link between a product and a category repeats the product's creation time, so that a category can list the newest
 * first.
 */
const IN_CATEGORY = {
  join: 'JOIN product_categories AS sorted ON sorted.store_id = item.store_id AND sorted.product_id = item.id',
  id: 'product_id',
};

const ON_PAGE = `page.id, page.name, page.slug, page.price, page.status,
        (SELECT coalesce(sum(quantity), 0)::bigint FROM ${availableByVariant('page')} AS part) AS quantity`;
const UPDATED_AT = `${updatedAt('products', 'page.id', 'page."createdAt"')} AS "updatedAt"`;

const METADATA_PART: LargePart = {
  name: 'metadata',
  sql: '(SELECT metadata FROM products AS item WHERE item.store_id = $1 AND item.id = page.id)',
};

const WITH_SKU = `SELECT id FROM products WHERE store_id = $1 AND upper(sku) = upper(?) AND sku <> ''
      UNION SELECT product_id FROM product_variants WHERE store_id = $1 AND upper(sku) = upper(?) AND sku <> ''`;

// A subquery collects each part of a product: joins would multiply variants by categories. One part reads the stock of
// the product and of all its variants. Parts are returned as arrays, which both sides process in half the time of
// objects with named fields. Prices are returned as text, because JSON numbers are not exact.
const find = (condition: string) => `/* products.find */
  SELECT item.id, item.created_at AS "createdAt", ${SUMMARY}, item.sku, item.low_stock AS "lowStock", item.featured, item.description, item.metadata,
    item.images, item.specifications,
    ${updatedAt('products', 'item.id', 'item.created_at')} AS "updatedAt", stocked.quantity, stocked.units,
    (SELECT coalesce(json_agg(json_build_array(variant.id, variant.sku, variant.name,
        coalesce(variant.price, item.price)::text,
        variant.attributes, variant.attribute_names, variant.status, variant.metadata, variant.low_stock) ORDER BY variant.position, variant.id), '[]')
      FROM product_variants variant
      WHERE variant.store_id = item.store_id AND variant.product_id = item.id) AS variants,
    (SELECT coalesce(json_agg(json_build_array(category.id, category.name, category.slug)
        ORDER BY category.display_order, category.name COLLATE "C", category.id), '[]')
      FROM product_categories link
      JOIN categories category ON category.store_id = link.store_id AND category.id = link.category_id
      WHERE link.store_id = item.store_id AND link.product_id = item.id) AS categories,
    (SELECT json_build_array(brand.id, brand.name, brand.slug)
      FROM brands brand WHERE brand.store_id = item.store_id AND brand.id = item.brand_id) AS brand
  FROM products AS item
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(part.quantity), 0)::bigint AS quantity,
      coalesce(json_object_agg(part.variant_key, part.quantity), '{}') AS units
    FROM ${availableByVariant('item')} AS part
  ) AS stocked
  WHERE item.store_id = $1 AND ${condition}`;

const IS_ACTIVE = `item.status = 'ACTIVE'`;
const BY_IDS = anyOf('item.id', '$2::int[]');
const FIND_BY_IDS = find(`${IS_ACTIVE} AND ${BY_IDS}`);
const FIND_ANY_BY_IDS = find(BY_IDS);
const BY_SLUGS = anyOf(slugKey('item.slug'), '$2::text[]');
const FIND_BY_SLUGS = find(`${IS_ACTIVE} AND ${BY_SLUGS}`);
const FIND_ANY_BY_SLUGS = find(BY_SLUGS);

@Injectable()
export class PostgresProductRepository extends ProductRepository {
  private readonly active = {
    byId: this.shared(FIND_BY_IDS, ({ id }) => String(id)),
    bySlug: this.shared(FIND_BY_SLUGS, ({ slug }) => folded(slug)),
  };
  private readonly any = {
    byId: this.shared(FIND_ANY_BY_IDS, ({ id }) => String(id)),
    bySlug: this.shared(FIND_ANY_BY_SLUGS, ({ slug }) => folded(slug)),
  };

  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ListedProduct>> {
    if (matchesNothing(filter)) return NO_ROWS;
    const { statuses, categoryId, search, featured, inStock, ids, sku, brandId, slug, include = [] } = filter;
    const where = new Conditions('item.store_id = ?', storeId);
    if (statuses) where.and('item.status = ANY (?)', statuses);
    else where.and(IS_ACTIVE);
    if (search !== undefined) where.and(containingTerm(where, search)('item.search_text'));
    if (featured) where.and('item.featured');
    if (inStock) where.and('item.in_stock');
    if (ids)
      where.and(
        anyOf('item.id', '?::int[]'),
        ids.flatMap((id) => parseId(id) ?? []),
      );
    if (sku !== undefined) where.and(`item.id IN (${WITH_SKU})`, sku, sku);
    if (brandId !== undefined) where.and('item.brand_id = ?', brandId);
    if (slug !== undefined) where.and(hasSlug('item.slug', '?'), slug);
    const isIncluding = include.length > 0;
    const withMetadata = include.includes('metadata');
    const isLookUp = ids !== undefined || sku !== undefined || slug !== undefined;
    const isTallied = !isLookUp && brandId === undefined && search === undefined && statuses === undefined;
    if (categoryId !== undefined) where.and('sorted.store_id = $1 AND sorted.category_id = ?', categoryId);

    const counted = categoryId === undefined ? 'products' : `category ${categoryId}`;
    const list: TimedList = {
      table: 'products',
      columns: isIncluding ? `${SUMMARY}, item.sku` : SUMMARY,
      onPage: isIncluding ? `${ON_PAGE}, page.sku, ${UPDATED_AT}${withMetadata ? ', page.metadata' : ''}` : ON_PAGE,
      large: withMetadata ? [METADATA_PART] : [],
      changedAt: changedAt('products', 'item.id::text'),
      where,
      updated: { from: filter.updatedFrom, to: filter.updatedTo },
      ...(categoryId !== undefined && { sortTable: IN_CATEGORY }),
      isLookUp: isLookUp && search === undefined,
      // The best plan depends on how many products have the statuses, and for a search on its text.
      ...(search === undefined && statuses === undefined && { onePlan: true }),
      tally: isTallied ? { list: counted, labels: [featured && 'true', inStock && 'true'] } : null,
    };
    return readByTime(this.database, list, page);
  }

  override findById(storeId: number, id: number, ofAnyStatus = false): Promise<ProductRecord | null> {
    return (ofAnyStatus ? this.any : this.active).byId.find(storeId, String(id));
  }

  override async findByIds(storeId: number, ids: readonly number[]): Promise<ProductRecord[]> {
    return (await this.database.queryPrepared<ProductRow>(FIND_BY_IDS, [storeId, ids])).map(toProductRecord);
  }

  override findBySlug(storeId: number, slug: string, ofAnyStatus = false): Promise<ProductRecord | null> {
    return (ofAnyStatus ? this.any : this.active).bySlug.find(storeId, folded(slug));
  }

  private shared(text: string, keyOf: (product: ProductRecord) => string): SharedReads<ProductRecord> {
    return new SharedReads(async (storeId, keys) => {
      const rows = await this.database.queryPrepared<ProductRow>(text, [storeId, keys]);
      return rows.map(toProductRecord);
    }, keyOf);
  }
}
