import { IllegalTransition } from './change-errors.js';

export const PAYMENT_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const STEPS = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED'] as const;
export const FULFILLMENT_STATUSES = [...STEPS, 'CANCELLED', 'RETURNED'] as const;
export type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number];

/** The steps to the customer, in sequence. A shipment that skips steps records all of them. */
export const FULFILLMENT_STEPS: readonly FulfillmentStatus[] = STEPS;

/** @returns the status that is further along. */
export function furtherOf(one: FulfillmentStatus, other: FulfillmentStatus): FulfillmentStatus {
  return FULFILLMENT_STEPS.indexOf(one) < FULFILLMENT_STEPS.indexOf(other) ? other : one;
}

export const ORDER_SOURCES = ['POS', 'WEBSITE'] as const;
export type OrderSource = (typeof ORDER_SOURCES)[number];

export const PAYMENT_TRANSITIONS: Record<PaymentStatus, readonly PaymentStatus[]> = {
  PENDING: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
  SUCCEEDED: ['REFUNDED'],
  FAILED: ['PENDING', 'CANCELLED'],
  REFUNDED: [],
  CANCELLED: [],
};

export const FULFILLMENT_TRANSITIONS: Record<FulfillmentStatus, readonly FulfillmentStatus[]> = {
  PENDING: ['CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['PROCESSING', 'CANCELLED'],
  PROCESSING: ['SHIPPED', 'CANCELLED'],
  SHIPPED: ['DELIVERED', 'RETURNED'],
  DELIVERED: ['RETURNED'],
  CANCELLED: [],
  RETURNED: [],
};

/** The statuses that a client may set by a transition. All other moves follow from shipments, payments and refunds. */
export const TRANSITION_TARGETS = ['PENDING', 'FAILED', 'CONFIRMED', 'RETURNED'] as const;

export function assertPaymentTransition(from: PaymentStatus, to: PaymentStatus): void {
  const possible = PAYMENT_TRANSITIONS[from];
  if (!possible.includes(to)) throw new IllegalTransition('payment', from, to, possible);
}

export function assertFulfillmentTransition(from: FulfillmentStatus, to: FulfillmentStatus): void {
  const possible = FULFILLMENT_TRANSITIONS[from];
  if (!possible.includes(to)) throw new IllegalTransition('fulfillment', from, to, possible);
}

export interface OrderState {
  readonly status: PaymentStatus;
  readonly fulfillmentStatus: FulfillmentStatus;
}

export interface FeeState {
  /** What stayed owed when the order was cancelled, in minor units; null for nothing. */
  readonly cancellationFee: number | null;
  /** What is still to be paid, in minor units. It is negative when money is to be paid back. */
  readonly balance: number;
}

const UNDER_WAY: readonly FulfillmentStatus[] = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED'];

/**
 * Whether something is still owed: goods until they are delivered, money for delivered goods whose payment is pending,
 * and a refund for cancelled or returned goods that are paid. When an order was cancelled for a fee, its balance
 * decides.
 */
export function isOpen({
  status,
  fulfillmentStatus,
  cancellationFee,
  balance,
}: OrderState & Partial<FeeState>): boolean {
  if (cancellationFee) return balance !== 0;
  if (UNDER_WAY.includes(fulfillmentStatus)) return true;
  return status === (fulfillmentStatus === 'DELIVERED' ? 'PENDING' : 'SUCCEEDED');
}

/** @throws IllegalTransition unless both moves are allowed. */
export function changeState(state: OrderState, change: Partial<OrderState>): OrderState {
  const { status, fulfillmentStatus } = change;
  if (status !== undefined) assertPaymentTransition(state.status, status);
  if (fulfillmentStatus !== undefined) assertFulfillmentTransition(state.fulfillmentStatus, fulfillmentStatus);
  return { ...state, ...change };
}

/**
 * A payment that has not succeeded is cancelled with the order; a successful payment stays, to be refunded.
 * @throws IllegalTransition when the order has shipped, or is already cancelled.
 */
export function cancelState(state: OrderState): OrderState {
  const payable = PAYMENT_TRANSITIONS[state.status].includes('CANCELLED');
  return changeState(state, { fulfillmentStatus: 'CANCELLED', ...(payable ? { status: 'CANCELLED' } : {}) });
}
