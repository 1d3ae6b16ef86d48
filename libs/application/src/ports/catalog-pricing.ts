import type { Currency, OrderLine, UnavailableItem } from '@app/domain';

export interface LineRequest {
  readonly productId: number;
  readonly variantId: number | null;
  readonly quantity: number;
}

/** The lines of a request with their prices. Line numbers are those of the request, from 0. */
export interface PricedItems {
  /** The lines that can be ordered, in the order of the request. */
  readonly lines: readonly OrderLine[];
  readonly unavailable: readonly UnavailableItem[];
}

/** The live catalog as the price authority for new orders. */
export abstract class CatalogPricing {
  /**
   * Prices every line at this moment, all from one snapshot. A line is unavailable when its product is unknown to the
   * store or inactive, or its variant is inactive or does not belong to the product.
   */
  abstract price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<PricedItems>;
}
