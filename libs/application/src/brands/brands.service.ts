import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { findByIdOrSlug } from '../id-or-slug.js';
import { BrandRepository, type BrandFilter, type BrandRecord } from '../ports/brand.repository.js';
import type { Page, PageOf } from '../ports/page.js';

@Injectable()
export class BrandsService {
  constructor(private readonly brands: BrandRepository) {}

  list(storeId: number, filter: BrandFilter, page: Page): Promise<PageOf<BrandRecord>> {
    return this.brands.list(storeId, filter, page);
  }

  /** @throws NotFound when the store has none with this id or slug. */
  async retrieve(storeId: number, idOrSlug: string): Promise<BrandRecord> {
    const brand = await findByIdOrSlug(this.brands, storeId, idOrSlug);
    if (!brand) throw new NotFound('Brand');
    return brand;
  }
}
