import type { FraudAssessment } from '@app/domain';
import type { OrderKey, OrderLocation, OrderRecord } from './order.repository.js';

/** An order under review. */
export interface HeldOrder
  extends OrderLocation, Pick<OrderRecord, 'receiptNumber' | 'totalAmount' | 'currency' | 'isTest' | 'createdAt'> {
  readonly reasons: readonly string[];
}

export interface HeldFilter {
  readonly subdomain: string | null;
  /** Orders that are held for these reasons and for no other; null = any reason. */
  readonly reasons: readonly string[] | null;
  /** Only orders that were placed here: an imported one has no facts to screen. */
  readonly placed?: true;
}

export abstract class HeldOrders {
  /**
   * Sorted by order id, so oldest first, then by store: ids are unique within a store only.
   * @param after only orders behind this one; null = from the beginning.
   */
  abstract list(filter: HeldFilter, limit: number, after: OrderKey | null): Promise<HeldOrder[]>;

  /** Names of the rules for which orders of any store are held, also those of an extension, in no order. */
  abstract reasons(): Promise<string[]>;

  /**
   * Replaces the assessment of an order that is held only because its analysis was unavailable. ACCEPT queues the
   * customer's confirmation and records the release; REVIEW holds it for the new reasons.
   * @param assessment not REJECT: a placed order is no longer rejected.
   * @returns whether the assessment was replaced.
   */
  abstract settle(order: OrderKey, assessment: FraudAssessment): Promise<boolean>;
}
