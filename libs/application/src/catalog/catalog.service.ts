import { isStorable, MAX_INT4, NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { QuoteStore } from '../orders/order-quotes.js';
import { CustomerPrices } from './customer-prices.js';
import { readsChanges } from '../feed/reads-changes.js';
import { BrandRepository, type BrandFilter, type BrandRecord } from '../ports/brand.repository.js';
import { CategoryRepository, type CategoryFilter, type CategoryRecord } from '../ports/category.repository.js';
import { ChangeFeed } from '../ports/change-feed.js';
import type { Page, PageOf } from '../ports/page.js';
import {
  ProductRepository,
  type ListedProduct,
  type ProductFilter,
  type ProductRecord,
} from '../ports/product.repository.js';
import { SkuRepository, type SkuFilter, type SkuRecord } from '../ports/sku.repository.js';

/** Reads an id from decimal digits; null when the text is not an id that can exist. */
export function parseId(text: string): number | null {
  if (!/^\d{1,10}$/.test(text)) return null;
  const id = Number(text);
  return id >= 1 && id <= MAX_INT4 ? id : null;
}

interface Sold {
  readonly id: number;
  readonly price: number;
  readonly variants?: readonly { readonly id: number; readonly price: number }[];
}

interface CatalogRepository<Filter, Summary, Found> {
  list(storeId: number, filter: Filter, page: Page): Promise<PageOf<Summary>>;
  findById(storeId: number, id: number, ofAnyStatus?: boolean): Promise<Found | null>;
  findBySlug(storeId: number, slug: string, ofAnyStatus?: boolean): Promise<Found | null>;
}

class CatalogService<Filter, Summary, Found> {
  constructor(
    private readonly source: CatalogRepository<Filter, Summary, Found>,
    private readonly resource: string,
  ) {}

  list(storeId: number, filter: Filter, page: Page): Promise<PageOf<Summary>> {
    return this.source.list(storeId, filter, page);
  }

  /**
   * Finds by id when the reference is all digits, and by slug otherwise or when no row has that id.
   * @param ofAnyStatus whether to find inactive products too. Brands and categories are found in any status.
   * @throws NotFound when the store has none with this id or slug.
   */
  async retrieve(storeId: number, idOrSlug: string, ofAnyStatus = false): Promise<Found> {
    const id = parseId(idOrSlug);
    const byId = id === null ? null : await this.source.findById(storeId, id, ofAnyStatus);
    if (byId !== null) return byId;
    const canBeSlug = idOrSlug.length >= 1 && idOrSlug.length <= 200 && isStorable(idOrSlug);
    const bySlug = canBeSlug ? await this.source.findBySlug(storeId, idOrSlug, ofAnyStatus) : null;
    if (bySlug === null) throw new NotFound(this.resource);
    return bySlug;
  }
}

@Injectable()
export class BrandsService extends CatalogService<BrandFilter, BrandRecord, BrandRecord> {
  constructor(brands: BrandRepository) {
    super(brands, 'Brand');
  }
}

@Injectable()
export class CategoriesService extends CatalogService<CategoryFilter, CategoryRecord, CategoryRecord> {
  constructor(categories: CategoryRepository) {
    super(categories, 'Category');
  }
}

@Injectable()
export class ProductsService extends CatalogService<ProductFilter, ListedProduct, ProductRecord> {
  constructor(
    products: ProductRepository,
    private readonly prices: CustomerPrices,
    private readonly feed: ChangeFeed,
  ) {
    super(products, 'Product');
  }

  /**
   * Returns the products with the prices of one unit for a customer, also of their variants; null when the store has no
   * such customer.
   */
  async pricedFor<T extends Sold>(store: QuoteStore, customerId: string, products: readonly T[]): Promise<T[] | null> {
    const unitsOf = ({ id: productId, variants = [] }: Sold) => [
      { productId, variantId: null },
      ...variants.map(({ id: variantId }) => ({ productId, variantId })),
    ];
    const found = await this.prices.of(store, customerId, products.flatMap(unitsOf));
    if (found === null) return null;
    const prices = found.values();
    const priced = <S extends { readonly price: number }>(sold: S): S => {
      const { price = sold.price, priceSource = null } = prices.next().value ?? {};
      return { ...sold, price, priceSource };
    };
    return products.map((product) => {
      const own = priced(product);
      return product.variants ? { ...own, variants: product.variants.map(priced) } : own;
    });
  }

  override async list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ListedProduct>> {
    if (readsChanges(filter, page)) await this.feed.catchUp(storeId);
    return super.list(storeId, filter, page);
  }
}

@Injectable()
export class SkusService {
  constructor(
    private readonly skus: SkuRepository,
    private readonly prices: CustomerPrices,
    private readonly feed: ChangeFeed,
  ) {}

  /** Empty when the store has no customer of the filter. */
  async list(store: QuoteStore, filter: SkuFilter, page: Page): Promise<PageOf<SkuRecord>> {
    if (readsChanges(filter, page)) await this.feed.catchUp(store.id);
    const { customerId } = filter;
    const found = await this.skus.list(store.id, filter, page);
    if (customerId === undefined) return found;
    const prices = await this.prices.withBreaks(store, customerId, found.rows);
    if (prices === null) return { ...found, rows: [], total: 0 };
    const rows = found.rows.map((row, index) => {
      const { price = row.price, priceSource = null, breaks = [] } = prices[index] ?? {};
      return { ...row, price, priceSource, priceBreaks: breaks };
    });
    return { ...found, rows };
  }
}
