import { effectOf, type OrderChange } from './order-change.js';
import { ledgerOf, type PaymentRecord, type RefundRecord } from './order-money.js';
import type { PlacedOrder } from './placed-order.js';

/** `order` is the placing. */
export const BOOKING_KINDS = [
  'order',
  'lines',
  'credit',
  'payment',
  'refund',
  'chargeback',
  'write_off',
  'cancellation',
] as const;
export type BookingKind = (typeof BOOKING_KINDS)[number];

export interface TaxLine {
  readonly name: string;
  /** In percent. */
  readonly rate: number;
  /** In minor units. */
  readonly amount: number;
  /** Whether the prices include it. */
  readonly included: boolean;
}

/** What a booking adds to the amounts of its order, in minor units; negative where it takes from them. */
export interface BookedAmounts {
  /** To the total. */
  readonly charged: number;
  readonly credited: number;
  readonly paid: number;
  readonly refunded: number;
}

export interface Booking extends BookedAmounts {
  readonly kind: BookingKind;
  /** The payment or refund that it is about; `''` for none. */
  readonly reference: string;
  /** The tax in what is charged or credited. */
  readonly taxLines: readonly TaxLine[];
}

const NOTHING = { reference: '', charged: 0, credited: 0, paid: 0, refunded: 0, taxLines: [] };

/** The bookings of a change: together, what the amounts of the order change by. */
export function bookingsOf(order: PlacedOrder, change: OrderChange): Booking[] {
  const [payment, refund] = [effectOf(change, 'payment'), effectOf(change, 'refund')];
  const { totalAmount } = order.state;
  const before = ledgerOf(order.state);
  const after = order.ledgerAfter(change);
  const charged = (effectOf(change, 'lines')?.totalAmount ?? totalAmount) - totalAmount;
  const records = [
    // What stands for a status was booked with the status.
    ...(payment && !payment.isOfStatus ? bookingsOfPayment(payment) : []),
    ...(refund ? bookingsOfRefund(refund) : []),
  ];
  const gains = (field: 'credited' | 'paid' | 'refunded') => after[field] - before[field];
  const amounts = { charged, credited: gains('credited'), paid: gains('paid'), refunded: gains('refunded') };
  return [...records, ...bookingsBeside(records, amounts, isCancelledBy(order, change))];
}

export function bookingsOfPayment({
  reference,
  amount,
  writtenOff,
  fee,
}: Pick<PaymentRecord, 'reference' | 'amount' | 'writtenOff' | 'fee'>): Booking[] {
  return [
    ...(amount > 0 || fee > 0 ? [{ ...NOTHING, kind: 'payment' as const, reference, paid: amount }] : []),
    ...(writtenOff !== 0 ? [{ ...NOTHING, kind: 'write_off' as const, reference, credited: writtenOff }] : []),
  ];
}

export function bookingsOfRefund({
  reference,
  amount,
  credited,
  reason,
}: Pick<RefundRecord, 'reference' | 'amount' | 'credited' | 'reason'>): Booking[] {
  const kind = reason === 'chargeback' ? 'chargeback' : 'refund';
  return [
    ...(amount > 0 ? [{ ...NOTHING, kind, reference, refunded: amount } as const] : []),
    ...(credited > 0 ? [{ ...NOTHING, kind: 'credit' as const, reference, credited }] : []),
  ];
}

/**
 * What the bookings of records leave of the amounts: changed lines, units that were given up, a cancellation, and what a status
 * stands for without records.
 */
export function bookingsBeside(
  records: readonly Booking[],
  amounts: BookedAmounts,
  isCancellation: boolean,
): Booking[] {
  const rest = (field: keyof BookedAmounts) => records.reduce((left, booking) => left - booking[field], amounts[field]);
  const bookings: Booking[] = [
    { ...NOTHING, kind: 'lines', charged: rest('charged') },
    { ...NOTHING, kind: isCancellation ? 'cancellation' : 'credit', credited: rest('credited') },
    { ...NOTHING, kind: 'payment', paid: rest('paid') },
    { ...NOTHING, kind: 'refund', refunded: rest('refunded') },
  ];
  return bookings.filter(({ charged, credited, paid, refunded }) => charged || credited || paid || refunded);
}

function isCancelledBy({ state }: PlacedOrder, { status, fulfillmentStatus }: OrderChange): boolean {
  return (
    (fulfillmentStatus === 'CANCELLED' && state.fulfillmentStatus !== 'CANCELLED') ||
    (status === 'CANCELLED' && state.status !== 'CANCELLED')
  );
}
