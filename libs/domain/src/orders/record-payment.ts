import { PaidAmountMismatch, PaymentReferenceTaken, PaymentsTooLarge } from '../errors.js';
import type { OrderChange, Repeatable } from './order-change.js';
import { orderEvent } from './order-event.js';
import { refundDueOf, sumOf } from './order-money.js';
import type { PlacedOrder } from './placed-order.js';

export interface PaymentRequest extends Repeatable {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  /** Null = now. */
  readonly at: Date | null;
}

/**
 * Records the refusal of another amount than the total. The payment of a cancelled, paid or refunded order is recorded.
 * @throws PaymentReferenceTaken, PaymentsTooLarge
 */
export function recordPayment(order: PlacedOrder, request: PaymentRequest): OrderChange {
  const { reference, amount, currency, at, requestHash } = request;
  const { payments, totalAmount, currency: owedIn, status, fulfillmentStatus } = order.state;
  const existing = payments.find((payment) => payment.reference === reference);
  if (existing) return order.repeated(existing, request, new PaymentReferenceTaken());
  if (amount !== totalAmount || currency !== owedIn) {
    const refused = orderEvent('payment_refused', reference, { amount, currency, totalAmount });
    const refusal = new PaidAmountMismatch({ minor: amount, currency }, { minor: totalAmount, currency: owedIn });
    return { ...order.unchanged(), events: [refused], refusal };
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
