import type { Page, PageOf } from './page.js';

export interface CategoryRecord {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly image: string;
  readonly description: string;
  readonly displayOrder: number;
  readonly parentId: number | null;
}

export interface CategoryFilter {
  readonly parentId?: number;
  /** Matches as literal text within the name, in any letter case. */
  readonly search?: string;
}

/** Only `list` omits inactive categories: old products and links still refer to them. */
export abstract class CategoryRepository {
  /** Sorted by display order, then name as code points (É follows Z, a follows Z), then id. */
  abstract list(storeId: number, filter: CategoryFilter, page: Page): Promise<PageOf<CategoryRecord>>;

  abstract findById(storeId: number, id: number): Promise<CategoryRecord | null>;

  /** Finds the existing categories among the ids, in any order. */
  abstract findByIds(storeId: number, ids: readonly number[]): Promise<CategoryRecord[]>;

  abstract findBySlug(storeId: number, slug: string): Promise<CategoryRecord | null>;
}
