import type { Page, PageOf } from './page.js';

export interface BrandRecord {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly logo: string;
  readonly description: string;
}

export interface BrandFilter {
  /** Matches as literal text within the name, in any letter case. */
  readonly search?: string;
}

/** Only `list` omits inactive brands. */
export abstract class BrandRepository {
  /** Sorted by name in lower case, as code points (É follows Z), then id. */
  abstract list(storeId: number, filter: BrandFilter, page: Page): Promise<PageOf<BrandRecord>>;

  abstract findById(storeId: number, id: number): Promise<BrandRecord | null>;

  /** Finds the existing brands among the ids, in any order. */
  abstract findByIds(storeId: number, ids: readonly number[]): Promise<BrandRecord[]>;

  abstract findBySlug(storeId: number, slug: string): Promise<BrandRecord | null>;
}
