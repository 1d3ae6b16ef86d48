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

/** Conditions on a list of categories; absent ones do not filter. */
export interface CategoryFilter {
  readonly parentId?: number;
  /** Literal text within the name, in any letter case. */
  readonly search?: string;
}

export abstract class CategoryRepository {
  /** Active categories by display order, then name as code points (É follows Z, a follows Z), then id. */
  abstract list(storeId: number, filter: CategoryFilter, page: Page): Promise<PageOf<CategoryRecord>>;

  /** Active or not: old products and links refer to inactive ones. */
  abstract findById(storeId: number, id: number): Promise<CategoryRecord | null>;

  /** Active or not. Those that exist, in any order. */
  abstract findByIds(storeId: number, ids: readonly number[]): Promise<CategoryRecord[]>;

  /** Active or not. */
  abstract findBySlug(storeId: number, slug: string): Promise<CategoryRecord | null>;
}
