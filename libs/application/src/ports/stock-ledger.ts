import type { Actor, MovementKind, StockItem } from '@app/domain';
import type { Page, PageOf } from './page.js';
import type { StockFilter } from './stock.repository.js';

export interface StockMovement extends StockItem {
  /** The time for which it counts: when its transaction began, unless the request says another. */
  readonly at: Date;
  /** When its transaction began. */
  readonly bookedAt: Date;
  readonly sku: string;
  readonly warehouse: string;
  readonly bin: string;
  /** Units put in (positive) or taken out (negative). */
  readonly quantity: number;
  readonly kind: MovementKind;
  /** The reference of the change of stock that moved the units; `''` without one. */
  readonly reference: string;
  readonly orderId: string | null;
  /** Null for movements of orders and imports. */
  readonly actor: Actor | null;
}

export interface MovementFilter extends StockFilter {
  readonly from?: Date;
  /** Movements at this time are not in the list. */
  readonly to?: Date;
}

/** A list without a product covers so many days, unless it begins at a time: its total counts each row. */
export const MOVEMENTS_LISTED_DAYS = 90;

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
  /** Sorted by store, product, variant (product level first) and bin, each in the order of its id. */
  readonly differences: readonly StockDifference[];
}

export abstract class StockLedger {
  /** Newest first. Without `from`, `skus` and `productId`, the {@link MOVEMENTS_LISTED_DAYS} before `to`, or before now. */
  abstract list(storeId: number, filter: MovementFilter, page: Page): Promise<PageOf<StockMovement>>;

  /**
   * Compares every bin with the sum of its movements, at one moment, for operators. Has no time limit.
   * @param storeId null = of all stores.
   */
  abstract verify(storeId: number | null): Promise<StockVerification>;
}
