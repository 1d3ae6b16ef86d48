import type { Metadata, VariantAttributes } from '@app/domain';
import type { Page, PageOf, UpdatedFilter } from './page.js';

export interface ProductSummary {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly price: number;
  /** The price list that gives the price to the requested customer; null means the catalog. Absent without a customer. */
  readonly priceSource?: string | null;
  /** The units of the product and of its active variants in all bins of the store's active warehouses. */
  readonly quantity: number;
  readonly status: string;
}

/** A product in a list, with the fields that the filter includes. */
export interface ListedProduct extends ProductSummary {
  readonly updatedAt?: Date;
  readonly sku?: string;
  readonly metadata?: Metadata;
}

export const PRODUCT_INCLUDES = ['updated_at', 'sku', 'metadata'] as const;

export interface ProductVariantRecord {
  readonly id: number;
  readonly sku: string;
  readonly name: string;
  readonly price: number;
  /** The price list of the price, as in {@link ProductSummary}. */
  readonly priceSource?: string | null;
  readonly attributes: VariantAttributes;
  readonly metadata: Metadata;
  /** The units in the bins of active warehouses; 0 for an inactive variant. */
  readonly quantity: number;
  readonly status: string;
  /** The `quantity` from which on the stock is low. Null means that of the product. */
  readonly lowStock: number | null;
}

export interface ProductRecord extends ProductSummary {
  /** The stock of a unit is low when so many units of it, or fewer, are for sale. Null means no limit. */
  readonly lowStock: number | null;
  readonly sku: string;
  readonly featured: boolean;
  readonly description: string;
  readonly metadata: Metadata;
  readonly images: readonly { readonly url: string; readonly alt: string }[];
  readonly variants: readonly ProductVariantRecord[];
  readonly specifications: readonly { readonly name: string; readonly value: string }[];
  /** Sorted by display order. */
  readonly categories: readonly { readonly id: number; readonly name: string; readonly slug: string }[];
  readonly brand: { readonly id: number; readonly name: string; readonly slug: string } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const PRODUCT_STATUSES = ['ACTIVE', 'DRAFT', 'ARCHIVED'] as const;

export interface ProductFilter extends UpdatedFilter {
  /** Matches products with one of these statuses. When absent, active products are listed. */
  readonly statuses?: readonly string[];
  readonly categoryId?: number;
  readonly ids?: readonly string[];
  /** Matches the whole SKU of the product or of a variant, in any letter case. */
  readonly sku?: string;
  readonly brandId?: number;
  readonly slug?: string;
  /** Matches as literal text within the name, in any letter case. */
  readonly search?: string;
  readonly featured?: true;
  readonly inStock?: true;
  /** Selects the customer whose prices the rows have; it filters nothing. */
  readonly customerId?: string;
  /** Adds fields to the rows; it filters nothing. */
  readonly include?: readonly (typeof PRODUCT_INCLUDES)[number][];
}

/** Finds active products only, unless the filter names other statuses. */
export abstract class ProductRepository {
  /** Lists the newest first, unless the page has another sort. */
  abstract list(storeId: number, filter: ProductFilter, page: Page): Promise<PageOf<ListedProduct>>;

  abstract findById(storeId: number, id: number, ofAnyStatus?: boolean): Promise<ProductRecord | null>;

  /** Finds the existing products among the ids, in any order. It reads the primary. */
  abstract findByIds(storeId: number, ids: readonly number[]): Promise<ProductRecord[]>;

  abstract findBySlug(storeId: number, slug: string, ofAnyStatus?: boolean): Promise<ProductRecord | null>;
}
