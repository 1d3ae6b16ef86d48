import type { LineQuantity } from './line-units.js';
import type { Metadata } from '../shared/metadata.js';
import type { PaymentStatus } from './order-status.js';

export interface MoneyRecord {
  /** Unique among all payments, or all refunds, of the order, and never reused. */
  readonly reference: string;
  /** In minor units of the order's currency. */
  readonly amount: number;
  readonly at: Date;
}

/** What a client reports about a payment for bookkeeping. */
export interface PaymentDetails {
  /** How the order was paid, such as `card`; `''` when that is not known. */
  readonly method: string;
  /** The fee that the gateway keeps, in minor units. */
  readonly fee: number;
  /** The client's number of the settlement in which the gateway pays the money out; `''` when there is none. */
  readonly payout: string;
  readonly metadata: Metadata;
}

export const NO_DETAILS: PaymentDetails = { method: '', fee: 0, payout: '', metadata: {} };

export interface PaymentRecord extends MoneyRecord, PaymentDetails {
  /**
   * The amount that the payment closed without money, such as a cash discount or a bank charge. It is negative when the
   * payment recovers an earlier write-off.
   */
  readonly writtenOff: number;
}

/**
 * Refunds for goods, shipping and goodwill lower what is owed. A chargeback and a repayment of money that was not owed
 * do not.
 */
export const REFUND_REASONS = ['goods', 'shipping', 'goodwill', 'chargeback', 'repayment'] as const;
export type RefundReason = (typeof REFUND_REASONS)[number];

const CREDITING: readonly RefundReason[] = ['goods', 'shipping', 'goodwill'];

export function isCrediting(reason: RefundReason): boolean {
  return CREDITING.includes(reason);
}

export interface RefundedUnits extends LineQuantity {
  /** How many of the units were cancelled before they shipped. */
  readonly cancelledQuantity: number;
}

export interface RefundRecord extends MoneyRecord {
  readonly reason: RefundReason;
  /** How much the refund lowers what is owed, in minor units. */
  readonly credited: number;
  /** The refunded units, including returned units that the request did not name; empty when there are none. */
  readonly lines: readonly RefundedUnits[];
  /** Whether these units went back to bins. */
  readonly restock: boolean;
}

export interface MoneyState {
  readonly status: string;
  readonly fulfillmentStatus: string;
  /** The total in minor units. An imported order may have a negative one. */
  readonly totalAmount: number;
  /** The credit for units that were cancelled before they shipped, in minor units. */
  readonly cancelledAmount: number;
  /** What stayed owed when the order was cancelled, in minor units; null for nothing. */
  readonly cancellationFee: number | null;
  readonly payments: readonly Pick<PaymentRecord, 'amount' | 'writtenOff'>[];
  readonly refunds: readonly Pick<RefundRecord, 'amount' | 'credited'>[];
}

/** All amounts are in minor units of the order's currency. */
export interface OrderLedger {
  /** How much of the total the merchant has waived. */
  readonly credited: number;
  /** The total minus `credited`, never below 0. */
  readonly owed: number;
  /** What was paid, including money that was paid back. */
  readonly paid: number;
  /** What was paid back. */
  readonly refunded: number;
  /** `owed` minus what was paid and not paid back. */
  readonly balance: number;
  /** What is still to be paid: the balance when it is positive, else 0. */
  readonly open: number;
  /** What is still to be paid back: the negated balance when it is negative, else 0. */
  readonly refundDue: number;
}

/**
 * Computes the ledger of an order. A refunded order owes nothing, and a cancelled one owes at most its fee. When an
 * operator or another system has set an order as paid or refunded without complete records, the missing amount counts
 * as paid or paid back, so that nothing is open.
 */
export function ledgerOf(order: MoneyState): OrderLedger {
  const { status, totalAmount, payments, refunds } = order;
  const credits = creditsOf(order);
  const isOver = status === 'REFUNDED' || isCancelledWhole(order);
  // After a change of lines, the total may be smaller than the earlier credits.
  const credited = isOver ? Math.max(0, totalAmount) : Math.min(credits, Math.max(0, totalAmount));
  const owed = Math.max(0, totalAmount - credited);
  const isSetPaid = status === 'SUCCEEDED' || status === 'REFUNDED';
  const least = payments.length === 0 ? totalAmount : owed + sumOf(refunds);
  const paid = Math.max(sumOf(payments), isSetPaid ? least : 0);
  const refunded = Math.max(sumOf(refunds), status === 'REFUNDED' ? Math.min(paid, totalAmount) : 0);
  const balance = owed - (paid - refunded);
  return { credited, owed, paid, refunded, balance, open: Math.max(0, balance), refundDue: Math.max(0, -balance) };
}

/** Whether the order is cancelled without a fee. The cancellation itself has then credited the whole total. */
export function isCancelledWhole({ fulfillmentStatus, cancellationFee }: MoneyState): boolean {
  return fulfillmentStatus === 'CANCELLED' && !cancellationFee;
}

function creditsOf({ cancelledAmount, payments, refunds }: MoneyState): number {
  const writtenOff = payments.reduce((sum, payment) => sum + payment.writtenOff, 0);
  return cancelledAmount + writtenOff + refunds.reduce((sum, refund) => sum + refund.credited, 0);
}

/**
 * The status is SUCCEEDED when something is paid and nothing is open, REFUNDED when everything paid is paid back and
 * nothing is open, and PENDING again when something is open. An order that is fully credited before any payment is
 * CANCELLED; one that is fully written off is FAILED. A cancelled order whose payment is CANCELLED keeps that status
 * while nothing is owed.
 * @param order the order after a change. @param before the order before it.
 */
export function paymentStatusOf(
  order: MoneyState & { readonly status: PaymentStatus },
  before: MoneyState,
): PaymentStatus {
  const { status, fulfillmentStatus, totalAmount, payments, refunds } = order;
  const unpaid = status === 'CANCELLED' ? 'PENDING' : status;
  // If the records explained the status before, they alone decide.
  const { owed, paid, refunded, open } = ledgerOf(isRecorded(before) ? { ...order, status: 'PENDING' } : order);
  if (status === 'CANCELLED' && fulfillmentStatus === 'CANCELLED' && owed === 0) return status;
  if (paid === 0 && payments.length === 0) {
    return owed === 0 && refunds.some(({ credited }) => credited > 0) ? 'CANCELLED' : unpaid;
  }
  if (paid === 0 && open === 0 && totalAmount > 0) return 'FAILED';
  if (open > 0) return status === 'FAILED' ? status : 'PENDING';
  return paid > 0 && refunded >= paid ? 'REFUNDED' : 'SUCCEEDED';
}

/** Whether the records explain the status. Otherwise, what was paid is known only as the total at that time. */
export function isRecorded(order: MoneyState): boolean {
  const { paid, refunded } = ledgerOf(order);
  return paid === sumOf(order.payments) && refunded === sumOf(order.refunds);
}

export function sumOf(records: readonly Pick<MoneyRecord, 'amount'>[]): number {
  return records.reduce((total, { amount }) => total + amount, 0);
}
