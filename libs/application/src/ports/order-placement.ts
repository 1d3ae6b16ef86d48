import { type ApiKeyMode, type FraudAssessment, type Order, type Shortage, type StockDemand } from '@app/domain';
import type { Deadline } from '../deadline.js';

/** The scope within which an idempotency key is unique. */
export interface IdempotencyScope {
  readonly storeId: number;
  readonly mode: ApiKeyMode;
  readonly key: string;
}

/** A request that carries an idempotency key. */
export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  /** SHA-256 of the validated request. */
  readonly requestHash: Buffer;
  /** Serialises the answer that is stored with the key and replayed byte for byte. Must be deterministic. */
  readonly answer: (order: Order) => Buffer;
}

/** The order that the first request with an idempotency key placed, and its stored answer. */
export interface Replay {
  readonly orderId: string;
  readonly answer: Buffer;
}

/** Identifies an order by its number in the client's own system. */
export interface ExternalReference {
  readonly storeId: number;
  readonly isTest: boolean;
  readonly externalReference: string;
}

/** Why `place` would refuse an order at this moment. */
export interface PlacementCheck {
  /** One entry for each line that is short, by line. */
  readonly shortages: readonly Shortage[];
  /** Whether a committed order has the reference. */
  readonly isReferenceTaken: boolean;
}

export interface Placement {
  readonly order: Order;
  /** ACCEPT or REVIEW. REVIEW holds the customer's confirmation for the reasons of the assessment. */
  readonly assessment: FraudAssessment;
  /** One entry per product and variant. */
  readonly demand: readonly StockDemand[];
  /** `null` when the client sent no idempotency key. */
  readonly idempotency: IdempotentRequest | null;
}

/** `replayed`: another request with the key placed its order. `short`: stock is missing. Both write nothing. */
export type PlacementOutcome =
  | { readonly outcome: 'placed' }
  | { readonly outcome: 'replayed'; readonly replay: Replay }
  | { readonly outcome: 'short'; readonly shortages: readonly Shortage[] };

/** Places orders atomically, each idempotency key and each external reference at most once. */
export abstract class OrderPlacement {
  /**
   * Finds the committed order of the request's key. Does not wait for a request that is still running, but for the
   * standbys that a commit waits for.
   *
   * @returns null when the key is free or its first request is still running.
   * @throws IdempotencyMismatch when the key was used with another request.
   * @throws CommitOutcomeUnknown when the database stopped waiting for its standbys.
   */
  abstract findReplay(request: IdempotentRequest): Promise<Replay | null>;

  /**
   * Like `findReplay`, but waits up to 2 s, within the deadline, for another request that holds the key.
   *
   * @returns null when no other request has placed an order with the key. The key stays free.
   * @throws IdempotencyMismatch when the key was used with another request.
   * @throws IdempotencyInFlight when the other request is still running after the wait.
   * @throws CommitOutcomeUnknown when the database stopped waiting for its standbys.
   */
  abstract awaitReplay(request: IdempotentRequest, deadline: Deadline): Promise<Replay | null>;

  /**
   * Finds the committed order with the reference. Does not wait for an order that is being placed, but for the standbys
   * that a commit waits for.
   *
   * @returns the order's id; null when no committed order has the reference.
   * @throws CommitOutcomeUnknown when the database stopped waiting for its standbys.
   */
  abstract findByReference(reference: ExternalReference): Promise<string | null>;

  /**
   * Checks stock and reference of an order that is not placed, by the rules of `place`. Takes no locks, waits for no
   * other order, and writes nothing.
   *
   * @param reference its `externalReference` may be `''`, which is never taken.
   * @param demand may be empty.
   */
  abstract check(reference: ExternalReference, demand: readonly StockDemand[]): Promise<PlacementCheck>;

  /**
   * Writes the order, its assessment, its pipeline stages and the answer of its key, and withdraws the stock: all or
   * nothing. The order is linked to the store's customer with the same e-mail, if there is one. The bins of the
   * store's active warehouses supply each demand, in the order that {@link StockDemand} states. Waits for other orders
   * of the same stock, and up to 2 s for another request that holds the key or places an order with the same external
   * reference: the reference is free again when that order is not placed. Placing an order whose id is already
   * committed changes nothing and reports `placed`: an attempt whose answer was lost may be repeated.
   *
   * @param deadline limits all waiting and all retries together.
   * @returns `short` with one entry for each line that is short, by line.
   * @throws ReceiptNumberTaken when another order of the store has the receipt number; nothing is written.
   * @throws ExternalReferenceTaken when another committed order, acknowledged by the standbys, has the reference;
   *   nothing is written.
   * @throws IdempotencyMismatch when the key was used with another request; nothing is written.
   * @throws IdempotencyInFlight when another request with the key is still running after the wait; nothing is written.
   * @throws DeadlineExceeded when the transaction cannot begin in time; nothing is written.
   * @throws CommitOutcomeUnknown when a commit went unanswered, or stopped waiting for the standbys, and neither a
   *   look-up nor a further attempt shows in time whether it took effect.
   */
  abstract place(placement: Placement, deadline: Deadline): Promise<PlacementOutcome>;
}

/** The receipt number is in use: place the order with another one. */
export class ReceiptNumberTaken extends Error {}
