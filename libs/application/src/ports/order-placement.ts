import type { Currency, FraudAssessment, Order, PaymentMethod, Quote, Shortage, StockDemand } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { IdempotentRequest } from './idempotency.js';

/** What the answer to a placed order shows, kept with its idempotency key. Amounts in minor units. */
export interface OrderReceipt extends QuotedAmounts {
  readonly orderId: string;
  readonly receiptNumber: string;
}

export interface QuotedAmounts {
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly subtotal: number;
  readonly total: number;
  readonly items: readonly {
    readonly productId: number;
    readonly name: string;
    readonly quantity: number;
    readonly unitPrice: number;
  }[];
}

export function receiptOf(order: Order): OrderReceipt {
  return { orderId: order.id, receiptNumber: order.receiptNumber, ...amountsOf(order) };
}

export function amountsOf({ currency, paymentMethod, subtotal, total, lines }: Quote): QuotedAmounts {
  return {
    currency,
    paymentMethod,
    subtotal: subtotal.minor,
    total: total.minor,
    items: lines.map(({ productId, name, quantity, unitPrice }) => ({
      productId,
      name,
      quantity,
      unitPrice: unitPrice.minor,
    })),
  };
}

/** Identifies an order by its number in the client's own system. */
export interface ExternalReference {
  readonly storeId: number;
  readonly isTest: boolean;
  readonly externalReference: string;
}

/** Why `place` would refuse an order at this moment. */
export interface PlacementCheck {
  readonly shortages: readonly Shortage[];
  readonly isReferenceTaken: boolean;
}

export interface Placement {
  readonly order: Order;
  /** ACCEPT or REVIEW. REVIEW holds the customer's confirmation for the reasons of the assessment. */
  readonly assessment: FraudAssessment;
  /** One entry per product and variant. */
  readonly demand: readonly StockDemand[];
  readonly idempotency: IdempotentRequest | null;
}

/** `replayed`: another request with the key placed its order. `short`: stock is missing. Both write nothing. */
export type PlacementOutcome =
  | { readonly outcome: 'placed' }
  | { readonly outcome: 'replayed'; readonly receipt: OrderReceipt }
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
  abstract findReplay(request: IdempotentRequest): Promise<OrderReceipt | null>;

  /**
   * Like `findReplay`, but waits up to 2 s, within the deadline, for another request that holds the key.
   *
   * @returns null when no other request has placed an order with the key. The key stays free.
   * @throws IdempotencyMismatch when the key was used with another request.
   * @throws IdempotencyInFlight when the other request is still running after the wait.
   * @throws CommitOutcomeUnknown when the database stopped waiting for its standbys.
   */
  abstract awaitReplay(request: IdempotentRequest, deadline: Deadline): Promise<OrderReceipt | null>;

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
   * Writes the order, its assessment, its pipeline stages and its receipt with its key, and withdraws the stock: all or
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
