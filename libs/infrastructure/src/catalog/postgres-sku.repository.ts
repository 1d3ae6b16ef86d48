import {
  SkuRepository,
  type ResolvedSku,
  type Page,
  type PageOf,
  type SkuFilter,
  type SkuId,
  type SkuRecord,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import { Conditions } from '../lists/conditions.js';
import { Database } from '../postgres/database.js';
import { isDeep, matchesNothing, moveTo, NO_ROWS, pageOf, type Counted } from '../lists/paging.js';
import { changedPage, FIND_MANY, listedPage, searchedPage } from './sku-pages.js';
import { LOW_UNITS } from '../stock/low-units.js';
import { unitsBySkus, unitsOfLine } from '../stock/units-by-sku.js';
import { toSkuRecord, type SkuRow } from './sku.rows.js';

const RESOLVE = `/* skus.resolve */
  SELECT unit.units, unit.product_id AS "productId", nullif(unit.variant_key, 0) AS "variantId"
  FROM unnest($2::text[]) WITH ORDINALITY AS asked (sku, place)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS units, min(product_id) AS product_id, min(variant_key) AS variant_key
    FROM ${unitsOfLine('asked.sku')} AS named
  ) AS unit
  ORDER BY asked.place`;

@Injectable()
export class PostgresSkuRepository extends SkuRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(storeId: number, filter: SkuFilter, page: Page): Promise<PageOf<SkuRecord>> {
    const skus = filter.skus?.filter((sku) => !matchesNothing([sku]));
    if (matchesNothing(filter) || skus?.length === 0 || (filter.inStock && filter.outOfStock)) return NO_ROWS;
    const usable = { ...filter, ...(skus && { skus }) };
    const { rows, total } = await pageOf(page, (asked) => this.read(storeId, usable, asked));
    moveTo(page, rows, ({ sku, productId, variantId, sortedAt = sku }) => [sortedAt, productId, variantId ?? 0]);
    return { rows: rows.map(toSkuRecord), total };
  }

  override async resolve(storeId: number, skus: readonly string[]): Promise<ResolvedSku[]> {
    const rows = await this.database.queryPrepared<SkuId & { units: number }>(RESOLVE, [storeId, skus]);
    return rows.map(({ units, productId, variantId }) => {
      if (units === 0) return 'unknown';
      return units === 1 ? { productId, variantId } : 'ambiguous';
    });
  }

  override async findByIds(storeId: number, ids: readonly SkuId[]): Promise<SkuRecord[]> {
    const values = [storeId, ids.map(({ productId }) => productId), ids.map(({ variantId }) => variantId ?? 0)];
    return (await this.database.queryPrepared<SkuRow>(FIND_MANY, values)).map(toSkuRecord);
  }

  private read(storeId: number, filter: SkuFilter, page: Page): Promise<(SkuRow & Counted)[]> {
    const { skus, productId, inStock, outOfStock, lowStock, search, updatedFrom, updatedTo } = filter;
    const isByChange = page.sort?.by === 'updatedAt';
    const where = new Conditions('unit.store_id = ?', storeId);
    if (inStock) where.and('unit.in_stock');
    if (outOfStock) where.and('NOT unit.in_stock');
    // No tally has a label for these filters, so the statement counts the rows, within the limit of searches.
    if ([skus, productId, lowStock, search, updatedFrom, updatedTo].some((value) => value !== undefined)) {
      if (skus) where.and(`(unit.product_id, unit.variant_key) IN (${unitsBySkus('sellable_units', '?')})`, skus);
      if (lowStock) where.and(`(unit.product_id, unit.variant_key) IN (${LOW_UNITS})`);
      if (productId !== undefined) where.and('unit.product_id = ?', productId);
      return this.database.search(searchedPage(where, filter, page), where.values);
    }
    if (isByChange) return this.database.search(changedPage(where, filter, page), where.values, { onePlan: true });
    const statement = listedPage(where, filter, page);
    return isDeep(page)
      ? this.database.search(statement, where.values, { onePlan: true })
      : this.database.queryPrepared(statement, where.values);
  }
}
