import type { FraudAssessment } from '@app/domain';
import type { OrderKey, OrderLocation, OrderRecord } from './order.repository.js';

/** An order under review. */
export interface HeldOrder
  extends OrderLocation, Pick<OrderRecord, 'receiptNumber' | 'totalAmount' | 'currency' | 'isTest' | 'createdAt'> {
  readonly reasons: readonly string[];
}

export interface HeldFilter {
  readonly subdomain: string | null;
  /** Selects orders that are held for these reasons and no other; null selects any reason. */
  readonly reasons: readonly string[] | null;
  /** Selects only orders that were placed here: an imported one has no facts to screen. */
  readonly placed?: true;
}

export abstract class HeldOrders {
  /**
   * Sorted by order id, so oldest first, then by store, because ids are unique only within a store.
   * @param after returns only orders after this one; null starts from the beginning.
   */
  abstract list(filter: HeldFilter, limit: number, after: OrderKey | null): Promise<HeldOrder[]>;

  /** Lists the rules for which any store's orders are held, including those of an extension, unsorted. */
  abstract reasons(): Promise<string[]>;

  /**
   * Replaces the assessment of an order that is held only because its analysis was unavailable. ACCEPT queues the
   * customer's confirmation and records the release; REVIEW holds it for the new reasons.
   * @param assessment never REJECT: a placed order is no longer rejected.
   * @returns whether the assessment was replaced.
   */
  abstract settle(order: OrderKey, assessment: FraudAssessment): Promise<boolean>;
}
