import type { PriceBreak, StockItem } from '@app/domain';

/** The price of a unit from a quantity on, up to the next break. */
export interface CustomerPriceBreak extends PriceBreak {
  /** The price list; null for the catalog. */
  readonly priceSource: string | null;
}

/** The maximum number of breaks of a unit: those of the lowest quantities. */
export const MAX_CUSTOMER_BREAKS = 100;

export abstract class PriceBreaks {
  /**
   * Returns the prices of the price lists for a customer: for each unit, in their sequence, sorted by quantity. A unit that no
   * applicable list has gets an empty list.
   */
  abstract find(
    storeId: number,
    customerId: string,
    units: readonly StockItem[],
    at: Date,
  ): Promise<CustomerPriceBreak[][]>;
}
