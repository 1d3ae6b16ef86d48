import { creditTaxes, restatedTaxes, type TaxedCredit } from './credit-taxes.js';
import { shippingOf, taxesOfUnits } from './line-shares.js';
import { sumByLine, unitsBeyond } from './line-units.js';
import { effectOf, type OrderChange } from './order-change.js';
import { ledgerOf, type PaymentRecord, type RefundRecord } from './order-money.js';
import type { PlacedOrder } from './placed-order.js';
import { taxDifference, taxLinesOf, type TaxLine } from './tax.js';

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
  return withTaxes(bookings, { order, changed, change });
}

/**
 * The charges of changed lines have their taxes, and each credit has its own.
 * @param made the change, with the order before and after it.
 */
function withTaxes(
  bookings: readonly Booking[],
  made: { readonly order: PlacedOrder; readonly changed: PlacedOrder; readonly change: OrderChange },
): readonly Booking[] {
  const { order, change } = made;
  const { state } = made.changed;
  const sold = taxLinesOf(state);
  const charged = taxDifference(taxLinesOf(order.state), sold);
  const { creditedTaxes } = order.state;
  const creditedAmount = ledgerOf(order.state).credited;
  const taxed = { totalAmount: state.totalAmount, sold, creditedTaxes, creditedAmount };
  const restated = charged.length > 0 ? restatedTaxes(taxed) : [];
  const credits = bookings.filter(({ credited }) => credited !== 0);
  const taxes = creditTaxes(
    { ...taxed, creditedTaxes: [...creditedTaxes, ...restated] },
    credits.map((booking) => ({ credited: booking.credited, of: creditedBy(booking, order, change) })),
  );
  const hasLines = bookings.some(({ kind }) => kind === 'lines');
  return [
    ...bookings.map((booking) => {
      if (booking.kind === 'lines') return { ...booking, taxLines: charged };
      return { ...booking, taxLines: taxes[credits.indexOf(booking)] ?? [] };
    }),
    // A change of the country may change nothing else.
    ...(charged.length > 0 && !hasLines ? [{ ...NOTHING, kind: 'lines' as const, taxLines: charged }] : []),
    ...(restated.length > 0 ? [{ ...NOTHING, kind: 'credit' as const, taxLines: restated }] : []),
  ];
}

/** The units, or the shipping, that a credit of the change is for. */
function creditedBy({ kind }: Booking, order: PlacedOrder, change: OrderChange): TaxedCredit['of'] {
  if (kind !== 'credit') return null;
  const [refund, cancelled] = [effectOf(change, 'refund'), effectOf(change, 'cancelledUnits')];
  const { state } = order;
  if (refund?.reason === 'shipping') return { price: shippingOf(state), taxes: state.shippingTax };
  const units = refund
    ? unitsBeyond(sumByLine(refund.lines), order.unrefundedCancelledUnits)
    : (cancelled?.lines ?? []);
  return units.length > 0 ? { price: order.shareOf(units), taxes: taxesOfUnits(state, units) } : null;
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
