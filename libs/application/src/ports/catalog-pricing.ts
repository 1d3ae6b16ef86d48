import type { Currency, OrderLine, StockItem, UnavailableItem } from '@app/domain';

export interface LineRequest extends StockItem {
  readonly quantity: number;
}

export interface PricedItems {
  /** The lines that can be ordered, in the sequence of the request. */
  readonly lines: readonly OrderLine[];
  readonly unavailable: readonly UnavailableItem[];
}

/** The source of prices for new orders. */
export abstract class CatalogPricing {
  /**
   * Prices every line, all from one snapshot. A line is unavailable when its product is unknown to the store or
   * inactive, or its variant is inactive or does not belong to the product.
   */
  abstract price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<PricedItems>;
}
