import type { Page, PageOf } from './page.js';

export interface BrandRecord {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly logo: string;
  readonly description: string;
}

/** Conditions on a list of brands; absent ones do not filter. */
export interface BrandFilter {
  /** Literal text within the name, in any letter case. */
  readonly search?: string;
}

export abstract class BrandRepository {
  /** Active brands by name in lower case, as code points (É follows Z), then id. */
  abstract list(storeId: number, filter: BrandFilter, page: Page): Promise<PageOf<BrandRecord>>;

  /** Active or not. */
  abstract findById(storeId: number, id: number): Promise<BrandRecord | null>;

  /** Active or not. Those that exist, in any order. */
  abstract findByIds(storeId: number, ids: readonly number[]): Promise<BrandRecord[]>;

  /** Active or not. */
  abstract findBySlug(storeId: number, slug: string): Promise<BrandRecord | null>;
}
