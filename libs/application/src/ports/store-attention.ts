export const KEY_EXPIRY_DAYS = 14;
export const LONG_WAIT_DAYS = 2;

/** What of a store waits for a person. Orders are those of one mode. */
export interface AttentionCounts {
  /** Orders under review. */
  readonly held: number;
  /** Orders of which money must be paid back. */
  readonly refundDue: number;
  /** Mails of orders that failed for good, other than because of their recipient. */
  readonly failedMails: number;
  /** Orders whose fulfillment status is before SHIPPED, without those under review. */
  readonly toShip: number;
  /** Orders of `toShip` that were placed more than {@link LONG_WAIT_DAYS} days ago. */
  readonly waitingLong: number;
  /** Active ones whose last attempt failed. */
  readonly webhooksFailing: number;
  /** Paused by the service. */
  readonly webhooksPaused: number;
  /** Active keys without a successor that end within {@link KEY_EXPIRY_DAYS} days. */
  readonly keysExpiring: number;
  /** Sellable units without stock. */
  readonly outOfStock: number;
}

export abstract class StoreAttention {
  /**
   * Reads one snapshot. Costs what is held, and what was placed within {@link LONG_WAIT_DAYS} days, however many orders
   * the store has. Where these are many, the counts may be a few seconds old.
   */
  abstract count(storeId: number, isTest: boolean): Promise<AttentionCounts>;
}
