import { PaidAmountMismatch, PaymentReferenceTaken, PaymentsTooLarge } from './change-errors.js';
import { assertMetadataFits, metadataOf } from './change-metadata.js';
import type { OrderChange, Repeatable } from './order-change.js';
import { orderEvent } from './order-event.js';
import { isCancelledWhole, ledgerOf, paymentStatusOf, sumOf, type PaymentDetails } from './order-money.js';
import type { PlacedOrder, PlacedOrderState } from './placed-order.js';

export interface PaymentRequest extends Repeatable, PaymentDetails {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  /** Whether the payment may be less than what is still to be paid. */
  readonly partial: boolean;
  /** Whether the payment may be less than what is still to be paid, and the remainder is written off. */
  readonly settles: boolean;
  /** Whether the payment may be more than what is still to be paid. */
  readonly excess: boolean;
  /** Null means now. */
  readonly at: Date | null;
}

/**
 * A payment after a write-off first reverses the write-off. Another amount than expected is refused, and the refusal is
 * recorded. Payments of cancelled, paid or refunded orders are recorded.
 * @throws PaymentReferenceTaken, PaymentsTooLarge, MetadataTooLarge
 */
export function recordPayment(order: PlacedOrder, request: PaymentRequest): OrderChange {
  const { reference, amount, currency, settles, at, requestHash, method, fee, payout, metadata } = request;
  const { payments, totalAmount, currency: owedIn, fulfillmentStatus } = order.state;
  const existing = payments.find((payment) => payment.reference === reference);
  if (existing) return order.repeated(existing, request, new PaymentReferenceTaken());
  const { open } = ledgerOf(order.state);
  if (currency !== owedIn || !isExpected(order.state, request)) {
    const refused = orderEvent('payment_refused', reference, { amount, currency, totalAmount });
    const refusal = new PaidAmountMismatch({ minor: amount, currency }, { minor: open, currency: owedIn }, totalAmount);
    return { ...order.unchanged(), events: [refused], refusal };
  }
  if (sumOf(payments) + amount > Number.MAX_SAFE_INTEGER) throw new PaymentsTooLarge();
  if (Object.keys(metadata).length > 0) assertMetadataFits([...metadataOf(order.state), metadata]);
  const takenBack = Math.min(recoverableOf(order.state), Math.max(0, amount - open));
  const writtenOff = settles ? open - amount : 0 - takenBack;
  const payment = { reference, amount, writtenOff, method, fee, payout, metadata, requestHash };
  const paid = { ...order.state, payments: [...payments, payment] };
  const after = { status: paymentStatusOf(paid, order.state), fulfillmentStatus };
  const { refundDue } = ledgerOf({ ...paid, ...after });
  const details = { amount, ...(writtenOff !== 0 && { writtenOff }), ...(refundDue > 0 && { refundDue }) };
  return {
    ...after,
    events: [orderEvent('payment_recorded', reference, details), ...order.statusEventsTo(after, reference)],
    effects: [{ kind: 'payment', ...payment, at }],
  };
}

/** A second payment of the full amount is also expected: the customer may have paid twice. */
function isExpected(state: PlacedOrderState, { amount, partial, settles, excess }: PaymentRequest): boolean {
  const { open, owed } = ledgerOf(state);
  const writtenOff = writtenOffOf(state.payments);
  if (excess) return amount > 0;
  if (settles) return open > 0 && amount <= open;
  if (partial) return amount > 0 ? amount <= open + writtenOff : open > 0;
  const whole = [state.totalAmount, open || owed, open + writtenOff];
  return amount === state.totalAmount || (amount > 0 && whole.includes(amount));
}

/**
 * Returns how much of the write-offs can be owed again: nothing if the order is cancelled without a fee, or if its
 * payment is cancelled or refunded. With a cancellation fee, it is at most the part of the fee that is not owed.
 */
function recoverableOf(state: PlacedOrderState): number {
  if (isCancelledWhole(state) || state.status === 'CANCELLED' || state.status === 'REFUNDED') return 0;
  const writtenOff = writtenOffOf(state.payments);
  const { cancellationFee } = state;
  return cancellationFee ? Math.min(writtenOff, cancellationFee - ledgerOf(state).owed) : writtenOff;
}

function writtenOffOf(payments: PlacedOrderState['payments']): number {
  return payments.reduce((sum, { writtenOff }) => sum + writtenOff, 0);
}
