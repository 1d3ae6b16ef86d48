import type { LineQuantity } from './line-units.js';
import type { PaymentStatus } from './order-status.js';

export interface MoneyRecord {
  /** Unique among the payments, or the refunds, of the order for ever. */
  readonly reference: string;
  /** Minor units of the order's currency. */
  readonly amount: number;
  readonly at: Date;
}

export interface PaymentRecord extends MoneyRecord {
  /** What it closed without being paid: a cash discount, a bank charge. */
  readonly writtenOff: number;
}

export interface RefundRecord extends MoneyRecord {
  /** The units that it was for, also those that came back without being named; empty when there are none. */
  readonly lines: readonly LineQuantity[];
  /** Whether these units went back to bins. */
  readonly restock: boolean;
}

type Amounts = readonly Pick<MoneyRecord, 'amount'>[];

interface MoneyState {
  readonly status: string;
  readonly fulfillmentStatus: string;
  readonly totalAmount: number;
  readonly lines: readonly { readonly unitPrice: number; readonly cancelledQuantity: number }[];
  readonly payments: readonly Pick<PaymentRecord, 'amount' | 'writtenOff'>[];
  readonly refunds: Amounts;
}

/** The total without the units that were given up, and without what is written off. */
function priceOf({ totalAmount, lines, payments }: MoneyState): number {
  const cancelled = lines.reduce((sum, { unitPrice, cancelledQuantity }) => sum + unitPrice * cancelledQuantity, 0);
  return totalAmount - cancelled - payments.reduce((sum, { writtenOff }) => sum + writtenOff, 0);
}

/**
 * What the order costs in minor units, whatever was paid of it. Nothing is owed for goods that were cancelled, or that
 * came back and are refunded.
 */
export function amountOwedOf(order: MoneyState): number {
  const { status, fulfillmentStatus } = order;
  const isCancelled = status === 'CANCELLED' || fulfillmentStatus === 'CANCELLED';
  const cameBack = status === 'REFUNDED' && fulfillmentStatus === 'RETURNED';
  return isCancelled || cameBack ? 0 : Math.max(0, priceOf(order));
}

/** The part of what is owed that is still to be paid. */
export function amountOpenOf(order: MoneyState): number {
  return Math.max(0, amountOwedOf(order) - Math.max(0, paidOf(order) - refundedOf(order)));
}

/** SUCCEEDED when payments cover what is owed, also after refunds. */
export function paymentStatusOf(order: MoneyState & { readonly status: PaymentStatus }): PaymentStatus {
  const { status, payments, refunds } = order;
  const isRefunded = status === 'REFUNDED' && sumOf(refunds) === refundedOf(order) && amountOwedOf(order) > 0;
  const isPayable = status === 'PENDING' || status === 'FAILED' || isRefunded;
  return isPayable && payments.length > 0 && amountOpenOf(order) === 0 ? 'SUCCEEDED' : status;
}

export function paidOf(order: MoneyState): number {
  return recordedOf(order.payments, order.status === 'SUCCEEDED' || order.status === 'REFUNDED', order);
}

/** What was paid in minor units, and is neither refunded nor owed. */
export function refundDueOf(order: MoneyState): number {
  return Math.max(0, paidOf(order) - refundedOf(order) - amountOwedOf(order));
}

function refundedOf(order: MoneyState): number {
  return recordedOf(order.refunds, order.status === 'REFUNDED', order);
}

/** An operator or another system may have set an order as paid, and then as refunded, without all records, or any. */
function recordedOf(records: Amounts, isSet: boolean, order: MoneyState): number {
  const least = records.length === 0 ? order.totalAmount : priceOf(order);
  return Math.max(sumOf(records), isSet ? least : 0);
}

/** Whether the records explain the status. Otherwise what was paid is known only as the total of that time. */
export function isRecorded(order: MoneyState): boolean {
  return paidOf(order) === sumOf(order.payments) && refundedOf(order) === sumOf(order.refunds);
}

export function sumOf(records: Amounts): number {
  return records.reduce((total, { amount }) => total + amount, 0);
}
