/** Stock of a product, or of one variant of it, in a bin of a store, by its natural keys. */
export interface StockPlace {
  /** Slug. */
  readonly product: string;
  /** SKU, exactly or else in the only other letter case; null = stock at product level. */
  readonly variant: string | null;
  /** Codes of the warehouse and the bin: `WAREHOUSE/BIN`. The warehouse's code contains no slash. */
  readonly bin: string;
}

/** The ids and the codes of a place. */
export interface LocatedStock {
  readonly productId: number;
  readonly variantId: number | null;
  readonly warehouse: string;
  readonly bin: string;
}

/** A place whose quantity is not the sum of its movements. */
export interface StockDifference extends StockPlace {
  /** Subdomain. */
  readonly store: string;
  /** Units in the bin. */
  readonly quantity: number;
  /** Sum of all movements, in units. */
  readonly ledger: number;
}

export interface StockVerification {
  /** Places compared. */
  readonly checked: number;
  /** By store, product, variant (product level first) and bin, each in the order of its id. */
  readonly differences: readonly StockDifference[];
}

/** The bins of all stores and the ledger of their movements, for operators. Has no time limit. */
export abstract class StockLedger {
  /**
   * Finds what the names of a place mean.
   *
   * @throws NotFound naming the first unknown of product, variant, warehouse and bin.
   */
  abstract locate(storeId: number, place: StockPlace): Promise<LocatedStock>;

  /**
   * Compares the quantity of every place with the sum of its movements, at one moment.
   *
   * @param storeId null = of all stores.
   */
  abstract verify(storeId: number | null): Promise<StockVerification>;
}
