import type { OrderLocation } from './order.repository.js';

/** An order whose customer waits for a confirmation until the order was reviewed. */
export interface HeldOrder extends OrderLocation {
  readonly receiptNumber: string;
  /** In minor units of `currency`. */
  readonly totalAmount: number;
  readonly currency: string;
  readonly isTest: boolean;
  readonly createdAt: Date;
  /** The fraud rules for which it is held. */
  readonly reasons: readonly string[];
}

/** Which held orders are meant. */
export interface HeldFilter {
  /** Of the store; null = any store. */
  readonly subdomain: string | null;
  /** Orders that are held for these reasons and for no other; null = any reason. */
  readonly reasons: readonly string[] | null;
}

/** Orders under review, of any store: for operators, and for the worker that screens them again. */
export abstract class HeldOrders {
  /**
   * By order id, so oldest first.
   *
   * @param limit 1 or more.
   * @param after the id of an order: only those behind it; null = from the beginning.
   */
  abstract list(filter: HeldFilter, limit: number, after: string | null): Promise<HeldOrder[]>;
}
