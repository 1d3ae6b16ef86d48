/** Stock of a product, or of one variant of it, in a bin, whose quantity is not the sum of its movements. */
export interface StockDifference {
  readonly store: string;
  readonly product: string;
  /** SKU; null = stock at product level. */
  readonly variant: string | null;
  readonly bin: string;
  readonly quantity: number;
  /** Sum of all movements, in units. */
  readonly ledger: number;
}

export interface StockVerification {
  readonly checked: number;
  /** By store, product, variant (product level first) and bin, each in the order of its id. */
  readonly differences: readonly StockDifference[];
}

/** The bins of all stores and the ledger of their movements, for operators. Has no time limit. */
export abstract class StockLedger {
  /**
   * Compares the quantity of every place with the sum of its movements, at one moment.
   *
   * @param storeId null = of all stores.
   */
  abstract verify(storeId: number | null): Promise<StockVerification>;
}
