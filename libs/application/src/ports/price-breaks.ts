import type { PriceBreak, StockItem } from '@app/domain';

/** From this quantity on, up to the next break, a unit has the price. */
export interface CustomerPriceBreak extends PriceBreak {
  /** The price list; null for the catalog. */
  readonly priceSource: string | null;
}

/** At most this many of a unit are found, those of the lowest quantities. */
export const MAX_CUSTOMER_BREAKS = 100;

export abstract class PriceBreaks {
  /**
   * What the price lists of the store ask a customer for each unit, in the order of the units: by quantity, and empty where no list
   * that applies at the time has the unit.
   */
  abstract find(
    storeId: number,
    customerId: string,
    units: readonly StockItem[],
    at: Date,
  ): Promise<CustomerPriceBreak[][]>;
}
