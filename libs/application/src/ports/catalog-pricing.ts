import type { Currency, OrderLine, OrderSource, StockItem, UnavailableItem, UnofferedQuantity } from '@app/domain';

export interface LineRequest extends StockItem {
  readonly quantity: number;
}

/** The customer with the id, or else the customer of the e-mail. Without either, a guest. */
export interface PricedCustomer {
  readonly id: string | null;
  /** `''` when there is none. */
  readonly email: string;
}

export interface PriceRequest {
  readonly storeId: number;
  /** The currency of the store. */
  readonly currency: Currency;
  readonly lines: readonly LineRequest[];
  /** Lines that the order already has. They are not priced, but a price may depend on all units of the order. */
  readonly otherLines?: readonly LineRequest[];
  readonly customer: PricedCustomer;
  readonly channel: OrderSource;
  /** The time at which the prices apply. */
  readonly at: Date;
}

export interface PricedItems {
  /** The lines that can be ordered, in the sequence of the request. */
  readonly lines: readonly OrderLine[];
  readonly unavailable: readonly UnavailableItem[];
  /** The lines whose units are not sold in the requested quantity. Absent if there are none. */
  readonly notOffered?: readonly UnofferedQuantity[];
}

/** The source of prices for new orders. */
export abstract class CatalogPricing {
  /**
   * Prices every line, all from one snapshot. A line is unavailable when its product is unknown to the store or
   * inactive, or its variant is inactive or does not belong to the product. A customer that the store does not have
   * gets the prices of a guest.
   */
  abstract price(request: PriceRequest): Promise<PricedItems>;
}
