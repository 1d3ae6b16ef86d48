import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { findByIdOrSlug } from '../id-or-slug.js';
import {
  ProductRepository,
  type ProductFilter,
  type ProductRecord,
  type ProductSummary,
} from '../ports/product.repository.js';
import type { Page, PageOf } from '../ports/page.js';

@Injectable()
export class ProductsService {
  constructor(private readonly products: ProductRepository) {}

  list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ProductSummary>> {
    return this.products.list(storeId, filter, page);
  }

  /** @throws NotFound when the store has none with this id or slug. */
  async retrieve(storeId: number, idOrSlug: string): Promise<ProductRecord> {
    const product = await findByIdOrSlug(this.products, storeId, idOrSlug);
    if (!product) throw new NotFound('Product');
    return product;
  }
}
