import type { Actor, OrderChange, PlacedOrder } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { IdempotentRequest } from './idempotency.js';
import type { OrderRecord } from './order.repository.js';

export interface OrderTarget {
  readonly storeId: number;
  /** UUID or receipt number in any letter case. */
  readonly reference: string;
  /** Orders of the other mode do not exist; null = of both modes. */
  readonly isTest: boolean | null;
}

export interface ChangeRequest {
  readonly order: OrderTarget;
  readonly actor: Actor;
  /** Throws to refuse the change. May run more than once, so it must have no side effects. */
  readonly decide: (order: PlacedOrder) => OrderChange;
  readonly idempotency: IdempotentRequest | null;
  readonly deadline?: Deadline;
  /** Writes nothing, and returns the order as it would be. */
  readonly isPreview?: boolean;
}

export interface ChangedOrder {
  /** The order as it was after the change, or as it is once its person is erased. */
  readonly order: OrderRecord;
  readonly restocked: number;
  /** An earlier request with the same idempotency key made the change. */
  readonly isReplay: boolean;
  /** The request was to make a shipment, and has shipped the one with its reference, which was being picked. */
  readonly shipsPicked: boolean;
}

export abstract class OrderLifecycle {
  /**
   * Locks the order, decides, and writes the change: its events, its records, the stock that returns, its mail and the
   * changed order with the idempotency key, all or nothing. A change without events writes nothing, and waits for the
   * standbys as a write does. A refusal of the change writes its events only, an error of `decide` nothing.
   * @throws NotFound, IdempotencyMismatch, CommitOutcomeUnknown, and what `decide` throws or returns as a refusal.
   * @throws IdempotencyInFlight when another request with the key is still running after 2 s.
   */
  abstract change(request: ChangeRequest): Promise<ChangedOrder>;
}
