import type { Actor, OrderChange, PlacedOrder } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { IdempotentRequest } from './idempotency.js';
import type { OrderRecord } from './order.repository.js';

export interface OrderTarget {
  readonly storeId: number;
  /** The UUID, or the receipt number in any letter case. */
  readonly reference: string;
  /** The mode: orders of the other mode are not found. Null finds both. */
  readonly isTest: boolean | null;
}

export interface ChangeRequest {
  readonly order: OrderTarget;
  readonly actor: Actor;
  /** Decides the change, or throws to refuse it. It may run more than once, so it must have no side effects. */
  readonly decide: (order: PlacedOrder) => OrderChange;
  readonly idempotency: IdempotentRequest | null;
  readonly deadline?: Deadline;
  /** Whether to write nothing and return the order as it would be. */
  readonly isPreview?: boolean;
}

export interface ChangedOrder {
  /** The order after the change. After an erasure of its person, the order as it is now. */
  readonly order: OrderRecord;
  readonly restocked: number;
  /** Whether an earlier request with the same idempotency key made the change. */
  readonly isReplay: boolean;
  /**
   * Whether the request to create a shipment has shipped the existing one with its reference, which was being picked.
   */
  readonly shipsPicked: boolean;
}

export abstract class OrderLifecycle {
  /**
   * Locks the order, decides, and writes the change: its events, its records, the stock that returns, its mail and the
   * changed order with the idempotency key, all or nothing. A change without events writes nothing, and waits for the
   * standbys like a write. A refusal writes only its events, an error of `decide` nothing.
   * @throws NotFound, IdempotencyMismatch, CommitOutcomeUnknown, and what `decide` throws or returns as a refusal.
   * @throws IdempotencyInFlight when another request with the key is still running after 2 s.
   */
  abstract change(request: ChangeRequest): Promise<ChangedOrder>;
}
