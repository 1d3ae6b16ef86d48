import { DomainError } from '../shared/domain-error.js';

/** How far the payment of an order is. */
export const PAYMENT_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** How far the goods of an order are. */
export const FULFILLMENT_STATUSES = [
  'PENDING',
  'CONFIRMED',
  'PROCESSING',
  'SHIPPED',
  'DELIVERED',
  'CANCELLED',
  'RETURNED',
] as const;
export type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number];

/** Where an order was taken. */
export const ORDER_SOURCES = ['POS', 'WEBSITE'] as const;
export type OrderSource = (typeof ORDER_SOURCES)[number];

const PAYMENT_TRANSITIONS: Record<PaymentStatus, readonly PaymentStatus[]> = {
  PENDING: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
  SUCCEEDED: ['REFUNDED'],
  FAILED: ['PENDING', 'CANCELLED'],
  REFUNDED: [],
  CANCELLED: [],
};

const FULFILLMENT_TRANSITIONS: Record<FulfillmentStatus, readonly FulfillmentStatus[]> = {
  PENDING: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['SHIPPED', 'CANCELLED'],
  SHIPPED: ['DELIVERED', 'RETURNED'],
  DELIVERED: ['RETURNED'],
  CANCELLED: [],
  RETURNED: [],
};

/** A status change that the order's life cycle does not allow. */
export class IllegalTransition extends DomainError {
  readonly kind = 'rejected';

  constructor(what: 'payment' | 'fulfillment', from: string, to: string) {
    super(`${what} cannot go from ${from} to ${to}`);
  }
}

/** @throws IllegalTransition unless the payment may go from `from` to `to`. */
export function assertPaymentTransition(from: PaymentStatus, to: PaymentStatus): void {
  if (!PAYMENT_TRANSITIONS[from].includes(to)) throw new IllegalTransition('payment', from, to);
}

/** @throws IllegalTransition unless the fulfillment may go from `from` to `to`. */
export function assertFulfillmentTransition(from: FulfillmentStatus, to: FulfillmentStatus): void {
  if (!FULFILLMENT_TRANSITIONS[from].includes(to)) throw new IllegalTransition('fulfillment', from, to);
}
