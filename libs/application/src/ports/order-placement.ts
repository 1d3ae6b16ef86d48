import type { Currency, FraudAssessment, Order, PaymentMethod, Quote, Shortage, StockDemand } from '@app/domain';
import type { Deadline } from '../deadline.js';
import type { IdempotentRequest } from './idempotency.js';

/** Stored with the idempotency key. Amounts are in minor units. */
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

export type ExternalReference = Pick<Order, 'storeId' | 'isTest' | 'externalReference'>;

export interface PlacementCheck {
  readonly shortages: readonly Shortage[];
  readonly isReferenceTaken: boolean;
}

export interface Placement {
  readonly order: Order;
  /** The verdict REVIEW holds the customer's confirmation for the assessment's reasons. */
  readonly assessment: FraudAssessment;
  /** Contains one entry for each product and variant. */
  readonly demand: readonly StockDemand[];
  readonly idempotency: IdempotentRequest | null;
}

/** Identifies an order that is placed at most once. */
export interface OrderClaim extends ExternalReference {
  readonly idempotency: IdempotentRequest | null;
}

/** `replayed`: an earlier identical request placed its order. `taken`: another order has the external reference. */
export type Winner =
  | { readonly outcome: 'replayed'; readonly receipt: OrderReceipt }
  | { readonly outcome: 'taken'; readonly orderId: string };

/** Only `placed` has written anything. `short` means that stock is missing. */
export type PlacementOutcome =
  | { readonly outcome: 'placed'; readonly receipt: OrderReceipt }
  | { readonly outcome: 'short'; readonly shortages: readonly Shortage[] }
  | Winner;

/**
 * Places orders, each idempotency key and each external reference at most once. A read of a committed order waits for
 * the standbys as a commit does, and throws CommitOutcomeUnknown when the database stopped waiting for them.
 */
export abstract class OrderPlacement {
  /**
   * Finds the earlier request that has placed an order with the key or the external reference; null when none has.
   * @param look `once`: one look-up of the key, which costs little. `wait`: waits up to 2 s, within the deadline, for
   * another request that holds the key, and then looks for the reference.
   * @throws IdempotencyInFlight when the other request is still running after the wait.
   * @throws IdempotencyMismatch, CommitOutcomeUnknown, DeadlineExceeded
   */
  abstract winnerOf(claim: OrderClaim, look: 'once' | 'wait', deadline: Deadline): Promise<Winner | null>;

  /**
   * Checks stock and reference by the rules of `place`. It takes no locks, waits for no other order, and writes
   * nothing.
   * @param reference an `externalReference` of `''` is never taken.
   */
  abstract check(reference: ExternalReference, demand: readonly StockDemand[]): Promise<PlacementCheck>;

  /**
   * Writes the order, its assessment, its pipeline stages and its receipt with its key, and withdraws the stock: all or
   * nothing. Links the order to the store's customer with the same e-mail. The bins of active warehouses supply each
   * demand, in the sequence that {@link StockDemand} states. Waits for other orders of the same stock, and up to 2 s
   * for another request that holds the key or places an order with the same external reference. Placing an order whose
   * id is committed changes nothing and reports `placed`: an attempt whose answer was lost may be repeated. After an
   * error, except CommitOutcomeUnknown, nothing is written.
   * @param deadline limits all waiting and all retries together.
   * @returns `short` with one entry for each line that is short, by line; `taken` only when the other order is
   * committed and acknowledged by the standbys.
   * @throws ReceiptNumberTaken, IdempotencyMismatch
   * @throws IdempotencyInFlight when another request with the key is still running after the wait.
   * @throws DeadlineExceeded when the transaction cannot begin in time.
   * @throws CommitOutcomeUnknown when neither a look-up nor a further attempt shows in time whether it took effect.
   */
  abstract place(placement: Placement, deadline: Deadline): Promise<PlacementOutcome>;
}

/** Another order of the store has the receipt number. The caller places the order with another number. */
export class ReceiptNumberTaken extends Error {}
