import { effectOf, type OrderChange } from './order-change.js';
import { ledgerOf, type PaymentRecord, type RefundRecord } from './order-money.js';
import { owedTaxesOf } from './owed-taxes.js';
import type { PlacedOrder } from './placed-order.js';
import { taxDifference, type TaxLine } from './tax.js';

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
export function bookingsOf(order: PlacedOrder, change: OrderChange): readonly Booking[] {
  const [payment, refund] = [effectOf(change, 'payment'), effectOf(change, 'refund')];
  const changed = order.after(change);
  const [before, after] = [ledgerOf(order.state), ledgerOf(changed.state)];
  const charged = changed.state.totalAmount - order.state.totalAmount;
  const records = [
    // What stands for a status was booked with the status.
    ...(payment && !payment.isOfStatus ? bookingsOfPayment(payment) : []),
    ...(refund ? bookingsOfRefund(refund) : []),
  ];
  const gains = (field: 'credited' | 'paid' | 'refunded') => after[field] - before[field];
  const amounts = { charged, credited: gains('credited'), paid: gains('paid'), refunded: gains('refunded') };
  const bookings = [...records, ...bookingsBeside(records, amounts, isCancelledBy(order, change))];
  return withTaxes(bookings, taxDifference(owedTaxesOf(order.state), owedTaxesOf(changed.state)));
}

/** The booking that changes what is owed has the taxes. A change of the country may change nothing else. */
function withTaxes(bookings: readonly Booking[], taxes: readonly TaxLine[]): readonly Booking[] {
  if (taxes.length === 0) return bookings;
  const index = bookings.findIndex(({ charged, credited }) => charged !== 0 || credited !== 0);
  const taxed: Booking = bookings[index] ?? { ...NOTHING, kind: 'lines' };
  const taxLines = taxed.credited === 0 ? taxes : taxes.map((tax) => ({ ...tax, amount: -tax.amount }));
  return [...bookings.filter((booking) => booking !== taxed), { ...taxed, taxLines }];
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
