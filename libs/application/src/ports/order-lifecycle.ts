import type { Actor, OrderChange, PlacedOrder } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { IdempotencyScope } from './order-placement.js';
import type { OrderRecord } from './order.repository.js';

/** The order that a request or a command changes. */
export interface OrderTarget {
  readonly storeId: number;
  /** UUID or receipt number in any letter case. */
  readonly reference: string;
  /** Orders of the other mode do not exist; null = of both modes. */
  readonly isTest: boolean | null;
}

/** A request with an idempotency key that changes an order. */
export interface IdempotentChange {
  readonly scope: IdempotencyScope;
  /** SHA-256 of the validated request, with its route. */
  readonly requestHash: Buffer;
  /** Serialises the answer that is stored with the key and replayed byte for byte. */
  readonly answer: (order: OrderRecord) => Buffer;
}

export interface ChangeRequest {
  readonly order: OrderTarget;
  readonly actor: Actor;
  /** Computes the change; throws to refuse it. May run more than once, so it must have no side effects. */
  readonly decide: (order: PlacedOrder) => OrderChange;
  /** `null` when the client sent no idempotency key. */
  readonly idempotency: IdempotentChange | null;
  readonly deadline?: Deadline;
}

/** An order after a change. */
export interface ChangedOrder {
  readonly order: OrderRecord;
  /** Units that went back to their bins. */
  readonly restocked: number;
  /** The answer to the earlier request with the same idempotency key, which made the change; null = this request made it. */
  readonly replay: Buffer | null;
}

/** Changes placed orders, one transaction per change. */
export abstract class OrderLifecycle {
  /**
   * Locks the order, decides, and writes the change: its events, its records, the stock that returns, its mail and the
   * answer of the idempotency key, all or nothing. A change without events writes nothing, and waits for the standbys as a
   * write does. A refusal of the change writes its events only.
   *
   * @throws NotFound when the store has no such order.
   * @throws the refusal of the change, and the error that `decide` throws; nothing else is written.
   * @throws IdempotencyMismatch when the key was used with another request; nothing is written.
   * @throws IdempotencyInFlight when another request with the key is still running after 2 s; nothing is written.
   * @throws CommitOutcomeUnknown when the commit went unanswered, or stopped waiting for the standbys.
   */
  abstract change(request: ChangeRequest): Promise<ChangedOrder>;
}
