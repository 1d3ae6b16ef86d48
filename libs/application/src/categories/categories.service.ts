import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { findByIdOrSlug } from '../id-or-slug.js';
import { CategoryRepository, type CategoryFilter, type CategoryRecord } from '../ports/category.repository.js';
import type { Page, PageOf } from '../ports/page.js';

@Injectable()
export class CategoriesService {
  constructor(private readonly categories: CategoryRepository) {}

  list(storeId: number, filter: CategoryFilter, page: Page): Promise<PageOf<CategoryRecord>> {
    return this.categories.list(storeId, filter, page);
  }

  /** @throws NotFound when the store has none with this id or slug. */
  async retrieve(storeId: number, idOrSlug: string): Promise<CategoryRecord> {
    const category = await findByIdOrSlug(this.categories, storeId, idOrSlug);
    if (!category) throw new NotFound('Category');
    return category;
  }
}
