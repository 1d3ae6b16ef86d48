import type { StockItem, VariantAttributes } from '@app/domain';
import type { Page, PageOf, UpdatedFilter } from './page.js';
import type { CustomerPriceBreak } from './price-breaks.js';

export type SkuId = StockItem;

/** A sellable unit: an active variant of an active product, or an active product without active variants. */
export interface SkuRecord extends SkuId {
  /** `""` when the unit has none. Several units of a store may have the same SKU. */
  readonly sku: string;
  readonly productSlug: string;
  /** The name of the product, as on order lines. */
  readonly name: string;
  /** The attributes of the variant; empty for the product itself. */
  readonly attributes: VariantAttributes;
  /** In minor units of the store's currency. */
  readonly price: number;
  /** The units of exactly this variant, or of the product itself, in the bins of active warehouses. */
  readonly quantity: number;
  /** The units by warehouse, sorted by code; absent unless requested. */
  readonly warehouses?: readonly WarehouseUnits[];
  readonly status: string;
  /** The price list that gives the price to the requested customer; null means the catalog. Absent without a customer. */
  readonly priceSource?: string | null;
  /** The prices of that customer, sorted by quantity; the first is the price of one unit. Absent without a customer. */
  readonly priceBreaks?: readonly CustomerPriceBreak[];
  /** Present when the filter includes it. */
  readonly updatedAt?: Date;
}

export interface WarehouseUnits {
  readonly warehouse: string;
  readonly quantity: number;
}

export interface SkuFilter extends UpdatedFilter {
  /** Each SKU matches exactly, or else in any letter case. */
  readonly skus?: readonly string[];
  readonly productId?: number;
  readonly inStock?: true;
  readonly outOfStock?: true;
  /** Matches units whose available units are at or below the limit of the variant, or else of its product. */
  readonly lowStock?: true;
  /** Matches as literal text within the SKU or the name, in any letter case. */
  readonly search?: string;
  /** Adds the units by warehouse to the rows; it filters nothing. */
  readonly byWarehouse?: true;
  /** Selects the customer whose prices the rows have; it filters nothing. */
  readonly customerId?: string;
  /** Adds fields to the rows; it filters nothing. */
  readonly include?: readonly 'updated_at'[];
}

/** `ambiguous` means that several units have the SKU, and not exactly one of them can be ordered. */
export type ResolvedSku = StockItem | 'unknown' | 'ambiguous';

export abstract class SkuRepository {
  /**
   * Sorted by SKU as Unicode code points, so units without a SKU come first; then by product id and variant id. A page
   * with a sort is sorted by the time of the last change.
   * @throws PageTooDeep
   */
  abstract list(storeId: number, filter: SkuFilter, page: Page): Promise<PageOf<SkuRecord>>;

  /**
   * Resolves each SKU of a request, in the sequence of the SKUs, to the unit that has it exactly, or else in any letter
   * case. Among several units, it takes the one that can be ordered. The unit need not be for sale.
   */
  abstract resolve(storeId: number, skus: readonly string[]): Promise<ResolvedSku[]>;

  /** Finds the sellable units among the ids, in any order. It reads the primary. */
  abstract findByIds(storeId: number, ids: readonly SkuId[]): Promise<SkuRecord[]>;
}
