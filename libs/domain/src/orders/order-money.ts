import type { LineQuantity } from './line-units.js';
import type { Metadata } from '../shared/metadata.js';
import type { PaymentStatus } from './order-status.js';

export interface MoneyRecord {
  /** Unique among the payments, or the refunds, of the order for ever. */
  readonly reference: string;
  /** In minor units of the order's currency. */
  readonly amount: number;
  readonly at: Date;
}

/** What a client tells of a payment for its books. */
export interface PaymentDetails {
  /** How it was paid, such as `card`; `''` when that is not known. */
  readonly method: string;
  /** What the gateway keeps of it, in minor units. */
  readonly fee: number;
  /** The client's number of the settlement by which the gateway pays it out; `''` when there is none. */
  readonly payout: string;
  readonly metadata: Metadata;
}

export const NO_DETAILS: PaymentDetails = { method: '', fee: 0, payout: '', metadata: {} };

export interface PaymentRecord extends MoneyRecord, PaymentDetails {
  /**
   * What it closed without being paid: a cash discount, a bank charge. Negative: it paid what an earlier one had written off.
   */
  readonly writtenOff: number;
}

/** Goods, shipping and goodwill lower what is owed; a chargeback and a repayment of what was not owed do not. */
export const REFUND_REASONS = ['goods', 'shipping', 'goodwill', 'chargeback', 'repayment'] as const;
export type RefundReason = (typeof REFUND_REASONS)[number];

const CREDITING: readonly RefundReason[] = ['goods', 'shipping', 'goodwill'];

export function isCrediting(reason: RefundReason): boolean {
  return CREDITING.includes(reason);
}

export interface RefundedUnits extends LineQuantity {
  /** How many of the units were given up before they shipped. */
  readonly cancelledQuantity: number;
}

export interface RefundRecord extends MoneyRecord {
  readonly reason: RefundReason;
  /** What is owed no more, in minor units. */
  readonly credited: number;
  /** The units that it was for, also those that came back without being named; empty when there are none. */
  readonly lines: readonly RefundedUnits[];
  /** Whether these units went back to bins. */
  readonly restock: boolean;
}

export interface MoneyState {
  readonly status: string;
  readonly fulfillmentStatus: string;
  /** In minor units. An imported order may have a negative one. */
  readonly totalAmount: number;
  /** The credit for units that were given up before they shipped, in minor units. */
  readonly cancelledAmount: number;
  /** What stayed owed when the order was cancelled, in minor units; null = nothing. */
  readonly cancellationFee: number | null;
  readonly payments: readonly Pick<PaymentRecord, 'amount' | 'writtenOff'>[];
  readonly refunds: readonly Pick<RefundRecord, 'amount' | 'credited'>[];
}

/** All in minor units of the order's currency. */
export interface OrderLedger {
  /** What the merchant has given up of the total. */
  readonly credited: number;
  /** The total less `credited`, and never below 0. */
  readonly owed: number;
  /** What was paid, paid back or not. */
  readonly paid: number;
  /** What was paid back. */
  readonly refunded: number;
  /** `owed` less what was paid and not paid back. */
  readonly balance: number;
  /** What is still to be paid: the balance, where it is positive. */
  readonly open: number;
  /** What is still to be paid back: the balance, where it is negative. */
  readonly refundDue: number;
}

/**
 * The ledger of an order. Nothing is owed for a refunded one, and for a cancelled one no more than its fee. Where an operator or another system has set an order as
 * paid, or as refunded, without all records, so much counts as paid, or as paid back, that nothing is open.
 */
export function ledgerOf(order: MoneyState): OrderLedger {
  const { status, totalAmount, payments, refunds } = order;
  const credits = creditsOf(order);
  const isOver = status === 'REFUNDED' || isCancelledWhole(order);
  // A change of lines may leave less than was credited before.
  const credited = isOver ? Math.max(0, totalAmount) : Math.min(credits, Math.max(0, totalAmount));
  const owed = Math.max(0, totalAmount - credited);
  const isSetPaid = status === 'SUCCEEDED' || status === 'REFUNDED';
  const least = payments.length === 0 ? totalAmount : owed + sumOf(refunds);
  const paid = Math.max(sumOf(payments), isSetPaid ? least : 0);
  const refunded = Math.max(sumOf(refunds), status === 'REFUNDED' ? Math.min(paid, totalAmount) : 0);
  const balance = owed - (paid - refunded);
  return { credited, owed, paid, refunded, balance, open: Math.max(0, balance), refundDue: Math.max(0, -balance) };
}

/** Whether it is cancelled without a fee: the cancellation itself has credited all but a fee. */
export function isCancelledWhole({ fulfillmentStatus, cancellationFee }: MoneyState): boolean {
  return fulfillmentStatus === 'CANCELLED' && !cancellationFee;
}

function creditsOf({ cancelledAmount, payments, refunds }: MoneyState): number {
  const writtenOff = payments.reduce((sum, payment) => sum + payment.writtenOff, 0);
  return cancelledAmount + writtenOff + refunds.reduce((sum, refund) => sum + refund.credited, 0);
}

/**
 * SUCCEEDED while something is paid and nothing open, REFUNDED once all that was paid is paid back and nothing is open, and
 * PENDING again when something is. An order of which all is credited before anything is paid is CANCELLED, one of which all is
 * written off FAILED. A cancelled order whose payment is CANCELLED stays so while nothing is owed.
 * @param order after a change. @param before the same before it.
 */
export function paymentStatusOf(
  order: MoneyState & { readonly status: PaymentStatus },
  before: MoneyState,
): PaymentStatus {
  const { status, fulfillmentStatus, totalAmount, payments, refunds } = order;
  const unpaid = status === 'CANCELLED' ? 'PENDING' : status;
  // Where the records explained the status before, they alone decide.
  const { owed, paid, refunded, open } = ledgerOf(isRecorded(before) ? { ...order, status: 'PENDING' } : order);
  if (status === 'CANCELLED' && fulfillmentStatus === 'CANCELLED' && owed === 0) return status;
  if (paid === 0 && payments.length === 0) {
    return owed === 0 && refunds.some(({ credited }) => credited > 0) ? 'CANCELLED' : unpaid;
  }
  if (paid === 0 && open === 0 && totalAmount > 0) return 'FAILED';
  if (open > 0) return status === 'FAILED' ? status : 'PENDING';
  return paid > 0 && refunded >= paid ? 'REFUNDED' : 'SUCCEEDED';
}

/** Whether the records explain the status. Otherwise what was paid is known only as the total of that time. */
export function isRecorded(order: MoneyState): boolean {
  const { paid, refunded } = ledgerOf(order);
  return paid === sumOf(order.payments) && refunded === sumOf(order.refunds);
}

export function sumOf(records: readonly Pick<MoneyRecord, 'amount'>[]): number {
  return records.reduce((total, { amount }) => total + amount, 0);
}
