import { isStorable, MAX_INT4, NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { BrandRepository, type BrandFilter, type BrandRecord } from '../ports/brand.repository.js';
import { CategoryRepository, type CategoryFilter, type CategoryRecord } from '../ports/category.repository.js';
import type { Page, PageOf } from '../ports/page.js';
import {
  ProductRepository,
  type ProductFilter,
  type ProductRecord,
  type ProductSummary,
} from '../ports/product.repository.js';
import { SkuRepository, type SkuFilter, type SkuRecord } from '../ports/sku.repository.js';

interface ByIdOrSlug<T> {
  findById(storeId: number, id: number): Promise<T | null>;
  findBySlug(storeId: number, slug: string): Promise<T | null>;
}

/** Reads an id from decimal digits; null when the text is not an id that can exist. */
export function parseId(text: string): number | null {
  if (!/^\d{1,10}$/.test(text)) return null;
  const id = Number(text);
  return id >= 1 && id <= MAX_INT4 ? id : null;
}

/**
 * Finds by id when the reference is all digits, and by slug when it is not or there is no such id.
 *
 * @throws NotFound when the store has none with this id or slug.
 */
async function retrieve<T>(source: ByIdOrSlug<T>, resource: string, storeId: number, reference: string): Promise<T> {
  const id = parseId(reference);
  const byId = id === null ? null : await source.findById(storeId, id);
  if (byId !== null) return byId;
  const canBeSlug = reference.length >= 1 && reference.length <= 200 && isStorable(reference);
  const bySlug = canBeSlug ? await source.findBySlug(storeId, reference) : null;
  if (bySlug === null) throw new NotFound(resource);
  return bySlug;
}

@Injectable()
export class BrandsService {
  constructor(private readonly brands: BrandRepository) {}

  list(storeId: number, filter: BrandFilter, page: Page): Promise<PageOf<BrandRecord>> {
    return this.brands.list(storeId, filter, page);
  }

  retrieve(storeId: number, idOrSlug: string): Promise<BrandRecord> {
    return retrieve(this.brands, 'Brand', storeId, idOrSlug);
  }
}

@Injectable()
export class CategoriesService {
  constructor(private readonly categories: CategoryRepository) {}

  list(storeId: number, filter: CategoryFilter, page: Page): Promise<PageOf<CategoryRecord>> {
    return this.categories.list(storeId, filter, page);
  }

  retrieve(storeId: number, idOrSlug: string): Promise<CategoryRecord> {
    return retrieve(this.categories, 'Category', storeId, idOrSlug);
  }
}

@Injectable()
export class ProductsService {
  constructor(private readonly products: ProductRepository) {}

  list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ProductSummary>> {
    return this.products.list(storeId, filter, page);
  }

  retrieve(storeId: number, idOrSlug: string): Promise<ProductRecord> {
    return retrieve(this.products, 'Product', storeId, idOrSlug);
  }
}

@Injectable()
export class SkusService {
  constructor(private readonly skus: SkuRepository) {}

  list(storeId: number, filter: SkuFilter, page: Page): Promise<PageOf<SkuRecord>> {
    return this.skus.list(storeId, filter, page);
  }
}
