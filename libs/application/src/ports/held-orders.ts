import type { FraudAssessment } from '@app/domain';
import type { OrderKey, OrderLocation } from './order.repository.js';

/** An order under review: its customer's confirmation is held. */
export interface HeldOrder extends OrderLocation {
  readonly receiptNumber: string;
  readonly totalAmount: number;
  readonly currency: string;
  readonly isTest: boolean;
  readonly createdAt: Date;
  /** The fraud rules for which it is held. */
  readonly reasons: readonly string[];
}

export interface HeldFilter {
  readonly subdomain: string | null;
  /** Orders that are held for these reasons and for no other; null = any reason. */
  readonly reasons: readonly string[] | null;
}

export abstract class HeldOrders {
  /**
   * Lists orders of any store by order id, so oldest first, then by store: ids are unique within a store only.
   *
   * @param limit 1 or more.
   * @param after an order: only those behind it; null = from the beginning.
   */
  abstract list(filter: HeldFilter, limit: number, after: OrderKey | null): Promise<HeldOrder[]>;

  /** Names of the rules for which orders of any store are held, in no order. Those of an extension are among them. */
  abstract reasons(): Promise<string[]>;

  /**
   * Replaces the assessment of an order that is held because its analysis was unavailable. ACCEPT queues the
   * customer's confirmation and records the release; REVIEW holds it for the new reasons. Changes nothing when the order is not held for that
   * reason alone.
   *
   * @param assessment ACCEPT or REVIEW: a placed order is no longer rejected.
   * @returns whether the assessment was replaced.
   */
  abstract settle(order: OrderKey, assessment: FraudAssessment): Promise<boolean>;
}
