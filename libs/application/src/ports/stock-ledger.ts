import type { Actor, MovementKind, StockItem } from '@app/domain';
import type { Page, PageOf } from './page.js';
import type { StockFilter } from './stock.repository.js';

export interface StockMovement extends StockItem {
  /** The time that the movement is dated to: when its transaction began, unless the request names another. */
  readonly at: Date;
  /** When its transaction began. */
  readonly bookedAt: Date;
  readonly sku: string;
  readonly warehouse: string;
  readonly bin: string;
  /** Units that were put in (positive) or taken out (negative). */
  readonly quantity: number;
  readonly kind: MovementKind;
  /** The reference of the stock change that moved the units; `''` when there is none. */
  readonly reference: string;
  readonly orderId: string | null;
  /** Null for movements of orders and imports. */
  readonly actor: Actor | null;
}

export interface MovementFilter extends StockFilter {
  readonly from?: Date;
  /** The exclusive end: movements at this time are not listed. */
  readonly to?: Date;
}

/** A list without a product and without a start covers this many days, because its total counts each row. */
export const MOVEMENTS_LISTED_DAYS = 90;

/** Stock in a bin whose quantity is not the sum of its movements. */
export interface StockDifference {
  readonly store: string;
  readonly product: string;
  /** The SKU; null for stock of the product itself. */
  readonly variant: string | null;
  readonly bin: string;
  readonly quantity: number;
  readonly ledger: number;
}

export interface StockVerification {
  readonly checked: number;
  /** Sorted by store, product, variant (stock of the product itself first) and bin, each by id. */
  readonly differences: readonly StockDifference[];
}

export abstract class StockLedger {
  /**
   * Lists the newest first. Without `from`, `skus` and `productId`, it covers the {@link MOVEMENTS_LISTED_DAYS} before
   * `to`, or before now.
   */
  abstract list(storeId: number, filter: MovementFilter, page: Page): Promise<PageOf<StockMovement>>;

  /**
   * Compares every bin with the sum of its movements in one snapshot, for operators. It has no time limit.
   * @param storeId null verifies all stores.
   */
  abstract verify(storeId: number | null): Promise<StockVerification>;
}
