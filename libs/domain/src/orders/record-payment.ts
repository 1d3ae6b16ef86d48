import { PaidAmountMismatch, PaymentReferenceTaken, PaymentsTooLarge } from '../errors.js';
import type { OrderChange, Repeatable } from './order-change.js';
import { orderEvent } from './order-event.js';
import { refundDueOf, sumOf } from './order-money.js';
import { assertPaidInFull } from './paid-amount.js';
import type { PlacedOrder } from './placed-order.js';

export interface PaymentRequest extends Repeatable {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  /** Null = now. */
  readonly at: Date | null;
}

/**
 * Records a payment of the whole total. Another amount is refused, and the refusal is recorded. The payment of an order
 * that is cancelled, paid or refunded is recorded as well: it must be refunded.
 *
 * @throws PaymentReferenceTaken when another request has the reference.
 * @throws PaymentsTooLarge
 */
export function recordPayment(order: PlacedOrder, request: PaymentRequest): OrderChange {
  const { reference, amount, currency, at, requestHash } = request;
  const { payments, totalAmount, currency: owedIn, status, fulfillmentStatus } = order.state;
  const existing = payments.find((payment) => payment.reference === reference);
  if (existing) return order.repeated(existing, request, new PaymentReferenceTaken());
  try {
    assertPaidInFull({ minor: amount, currency }, { minor: totalAmount, currency: owedIn });
  } catch (error) {
    if (!(error instanceof PaidAmountMismatch)) throw error;
    const refused = orderEvent('payment_refused', reference, { amount, currency, totalAmount });
    return { ...order.unchanged(), events: [refused], refusal: error };
  }
  if (sumOf(payments) + amount > Number.MAX_SAFE_INTEGER) throw new PaymentsTooLarge();
  const settles = status === 'PENDING' || status === 'FAILED';
  const after = { status: settles ? 'SUCCEEDED' : status, fulfillmentStatus } as const;
  const refundDue = refundDueOf({ ...order.state, ...after, payments: [...payments, request] });
  const recorded = orderEvent('payment_recorded', reference, { amount, ...(refundDue > 0 && { refundDue }) });
  return {
    ...after,
    events: [recorded, ...order.statusEventsTo(after, reference)],
    payment: { reference, amount, at, requestHash },
  };
}
