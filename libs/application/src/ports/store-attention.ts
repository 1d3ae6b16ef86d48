export const KEY_EXPIRY_DAYS = 14;
export const LONG_WAIT_DAYS = 2;

/** Counts what needs the attention of a store's staff. Orders are those of one mode. */
export interface AttentionCounts {
  /** Orders under review. */
  readonly held: number;
  /** Orders whose customer must get money back. */
  readonly refundDue: number;
  /** Order mails that failed for good for another reason than their recipient. */
  readonly failedMails: number;
  /** Orders whose fulfillment status is before SHIPPED, except those under review. */
  readonly toShip: number;
  /** Orders of `toShip` that were placed more than {@link LONG_WAIT_DAYS} days ago. */
  readonly waitingLong: number;
  /** Active webhooks whose last attempt failed. */
  readonly webhooksFailing: number;
  /** Webhooks that the service paused. */
  readonly webhooksPaused: number;
  /** Active keys without a successor that expire within {@link KEY_EXPIRY_DAYS} days. */
  readonly keysExpiring: number;
  /** Sellable units without stock. */
  readonly outOfStock: number;
  /** Sellable units whose stock is at or below their limit, also those without stock. */
  readonly lowStock: number;
}

export abstract class StoreAttention {
  /**
   * Reads one snapshot. The cost depends on the held orders, on those of the last {@link LONG_WAIT_DAYS} days, and on the
   * products with a limit of low stock, not on the size of the store.
   */
  abstract count(storeId: number, isTest: boolean): Promise<AttentionCounts>;
}
