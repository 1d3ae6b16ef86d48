import type { Actor } from '@app/domain';

/** Stock of a product, or of one variant of it, in a bin of a store, by its natural keys. */
export interface StockPlace {
  /** Slug. */
  readonly product: string;
  /** SKU; null = stock at product level. */
  readonly variant: string | null;
  /** Codes of the warehouse and the bin: `WAREHOUSE/BIN`. The warehouse's code contains no slash. */
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
   * Brings a place to a quantity, in one transaction. Writes the difference as a movement: the opening stock of a
   * product that is new in the bin, otherwise an adjustment; no movement when the quantity is already right. Creates no
   * product, warehouse or bin.
   *
   * @param quantity units, from 0 to 2147483647.
   * @param actor recorded with the movement.
   * @returns the quantity before; null when the product was never in the bin.
   * @throws NotFound naming the first unknown of product, variant, warehouse and bin.
   */
  abstract setQuantity(storeId: number, place: StockPlace, quantity: number, actor: Actor): Promise<number | null>;

  /**
   * Compares the quantity of every place with the sum of its movements, at one moment.
   *
   * @param storeId null = of all stores.
   */
  abstract verify(storeId: number | null): Promise<StockVerification>;
}
