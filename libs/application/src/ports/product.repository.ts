import type { VariantAttributes } from '@app/domain';
import type { Page, PageOf } from './page.js';

export interface ProductSummary {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly price: number;
  /** In all bins of the store's active warehouses, of the product and of its active variants. */
  readonly quantity: number;
  readonly status: string;
}

export interface ProductVariantRecord {
  readonly id: number;
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  readonly attributes: VariantAttributes;
  /** In the bins of active warehouses; 0 of an inactive variant. */
  readonly quantity: number;
  readonly status: string;
}

export interface ProductRecord extends ProductSummary {
  readonly sku: string;
  readonly featured: boolean;
  readonly description: string;
  readonly images: readonly { readonly url: string; readonly alt: string }[];
  readonly variants: readonly ProductVariantRecord[];
  readonly specifications: readonly { readonly name: string; readonly value: string }[];
  /** By display order. */
  readonly categories: readonly { readonly id: number; readonly name: string; readonly slug: string }[];
  readonly brand: { readonly id: number; readonly name: string; readonly slug: string } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ProductFilter {
  readonly categoryId?: number;
  /** Literal text within the name, in any letter case. */
  readonly search?: string;
  readonly featured?: true;
  readonly inStock?: true;
}

/** Active products only. */
export abstract class ProductRepository {
  /** Newest first, then by id, descending. */
  abstract list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ProductSummary>>;

  abstract findById(storeId: number, id: number): Promise<ProductRecord | null>;

  /** Those that exist, in any order. As new as the primary has them. */
  abstract findByIds(storeId: number, ids: readonly number[]): Promise<ProductRecord[]>;

  abstract findBySlug(storeId: number, slug: string): Promise<ProductRecord | null>;
}
