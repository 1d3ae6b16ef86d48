/** Stock in a bin whose quantity is not the sum of its movements. */
export interface StockDifference {
  readonly store: string;
  readonly product: string;
  /** SKU; null = stock at product level. */
  readonly variant: string | null;
  readonly bin: string;
  readonly quantity: number;
  readonly ledger: number;
}

export interface StockVerification {
  readonly checked: number;
  /** By store, product, variant (product level first) and bin, each in the order of its id. */
  readonly differences: readonly StockDifference[];
}

/** For operators. Has no time limit. */
export abstract class StockLedger {
  /** Compares every bin with the sum of its movements, at one moment. @param storeId null = of all stores. */
  abstract verify(storeId: number | null): Promise<StockVerification>;
}
