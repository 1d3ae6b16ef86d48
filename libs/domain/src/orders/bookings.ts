import type { BookedAmounts, Booking } from './booking.js';
import { creditTaxes, restatedTaxes, sumOfCredits, type BookedCredit, type TaxedCredit } from './credit-taxes.js';
import { creditedUnitsOf, shareOf, shippingOf, taxesOfUnits } from './line-shares.js';
import { sumByLine, unitsBeyond, type LineQuantity } from './line-units.js';
import { effectOf, type OrderChange } from './order-change.js';
import { ledgerOf, type PaymentRecord, type RefundRecord } from './order-money.js';
import type { PlacedOrder, PlacedOrderState } from './placed-order.js';
import { isTaxedAlike, sumByRate, taxDifference, taxLinesOf } from './tax.js';

const NOTHING = { reference: '', charged: 0, credited: 0, paid: 0, refunded: 0, taxLines: [] };

/** Returns the bookings of a change. Their sum is the change of the order's amounts. */
export function bookingsOf(order: PlacedOrder, change: OrderChange): readonly Booking[] {
  const [payment, refund] = [effectOf(change, 'payment'), effectOf(change, 'refund')];
  const changed = order.after(change);
  const [before, after] = [ledgerOf(order.state), ledgerOf(changed.state)];
  const charged = changed.state.totalAmount - order.state.totalAmount;
  const records = [
    // A payment that only stands for a status was already booked with that status.
    ...(payment && !payment.isOfStatus ? bookingsOfPayment(payment) : []),
    ...(refund ? bookingsOfRefund(refund) : []),
  ];
  const gains = (field: 'credited' | 'paid' | 'refunded') => after[field] - before[field];
  const amounts = { charged, credited: gains('credited'), paid: gains('paid'), refunded: gains('refunded') };
  const bookings = [...records, ...bookingsBeside(records, amounts, isCancelledBy(order, change))];
  return withTaxes(bookings, { order, changed, change });
}

/**
 * Charges of changed lines carry their own taxes, and so does each credit.
 * @param made the change, with the order before and after it.
 */
function withTaxes(
  bookings: readonly Booking[],
  made: { readonly order: PlacedOrder; readonly changed: PlacedOrder; readonly change: OrderChange },
): readonly Booking[] {
  const { order, change } = made;
  const { state } = made.changed;
  const taxed = { totalAmount: state.totalAmount, sold: taxLinesOf(state) };
  const charged = taxDifference(taxLinesOf(order.state), taxed.sold);
  const restated = charged.length > 0 ? restatedBookings(taxed, order.state, state) : [];
  const before = sumOfCredits([...order.state.credits, ...restated]);
  const credits = bookings.filter(({ credited }) => credited !== 0);
  const taxes = creditTaxes(
    taxed,
    before,
    credits.map((booking) => ({ ...booking, of: creditedBy(booking, order, change) })),
  );
  const hasLines = bookings.some(({ kind }) => kind === 'lines');
  return [
    ...bookings.map((booking) => {
      if (booking.kind === 'lines') return { ...booking, taxLines: charged };
      return { ...booking, taxLines: taxes[credits.indexOf(booking)] ?? [] };
    }),
    // A change of the country may change the taxes and nothing else.
    ...(charged.length > 0 && !hasLines ? [{ ...NOTHING, kind: 'lines' as const, taxLines: charged }] : []),
    ...restated,
  ];
}

/** Returns the units, or the shipping, that a credit of the change is for. */
function creditedBy({ kind }: Booking, order: PlacedOrder, change: OrderChange): TaxedCredit['of'] {
  if (kind !== 'credit') return null;
  const [refund, cancelled] = [effectOf(change, 'refund'), effectOf(change, 'cancelledUnits')];
  const { state } = order;
  if (refund?.reason === 'shipping') return { price: shippingOf(state), taxes: state.shippingTax };
  const units = refund
    ? unitsBeyond(sumByLine(refund.lines), order.unrefundedCancelledUnits)
    : (cancelled?.lines ?? []);
  return creditOf(units, state, creditedUnitsOf(state));
}

/** @param before units that earlier credits were for. */
function creditOf(
  units: readonly LineQuantity[],
  state: PlacedOrderState,
  before: readonly LineQuantity[],
): TaxedCredit['of'] {
  if (units.length === 0) return null;
  return { price: shareOf(state, sumByLine(units), before), taxes: sumByRate(taxesOfUnits(state, units, before)) };
}

/**
 * Restates earlier credits when the taxes of goods or shipping change, or when more of a tax was credited than is left.
 */
function restatedBookings(
  taxed: Parameters<typeof restatedTaxes>[0],
  before: PlacedOrderState,
  state: PlacedOrderState,
): readonly Booking[] {
  const { credits } = before;
  const isBeyond = () => taxDifference(sumOfCredits(credits).all.taxes, taxed.sold).some(({ amount }) => amount < 0);
  if (credits.length === 0 || !(isTaxedAnew(before, state) || isBeyond())) return [];
  // An order may have thousands of credits, and what a credit was for takes all lines to compute: once for each record.
  const ofRefunds = new Map(state.refunds.map((refund) => [refund.reference, creditedEarlier(state, refund)]));
  const ofUnits = creditedEarlier(state, null);
  const ofCredit = ({ kind, reference }: BookedCredit) => {
    if (kind !== 'credit') return null;
    const of = ofRefunds.get(reference);
    return of === undefined ? ofUnits : of;
  };
  const { credits: credited, writeOffs } = restatedTaxes(
    taxed,
    credits,
    credits.map((credit) => ({ ...credit, of: ofCredit(credit) })),
  );
  const bookings: Booking[] = [
    { ...NOTHING, kind: 'credit', taxLines: credited },
    { ...NOTHING, kind: 'write_off', taxLines: writeOffs },
  ];
  return bookings.filter(({ taxLines }) => taxLines.length > 0);
}

function isTaxedAnew(before: PlacedOrderState, after: PlacedOrderState): boolean {
  if (before.isTaxIncluded !== after.isTaxIncluded) return true;
  const shipping = [before, after].map(({ shippingAmount }) => shippingAmount);
  const isShippingAnew = !isTaxedAlike(before.shippingTax, after.shippingTax) && !shipping.includes(0);
  const kept = after.lines.filter(({ quantity }) => quantity > 0);
  const taxesBefore = new Map(before.lines.map(({ line, tax }) => [line, tax]));
  return isShippingAnew || kept.some(({ line, tax }) => !isTaxedAlike(taxesBefore.get(line) ?? tax, tax));
}

/** Finds what an earlier credit was for: the refund, or null for the cancelled units. */
function creditedEarlier(
  state: PlacedOrderState,
  refund: PlacedOrderState['refunds'][number] | null,
): TaxedCredit['of'] {
  if (refund?.reason === 'shipping') return { price: shippingOf(state), taxes: state.shippingTax };
  const units = refund
    ? refund.lines.map(({ line, quantity, cancelledQuantity }) => ({ line, quantity: quantity - cancelledQuantity }))
    : state.lines.map(({ line, cancelledQuantity }) => ({ line, quantity: cancelledQuantity }));
  return creditOf(
    units.filter(({ quantity }) => quantity > 0),
    state,
    [],
  );
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
 * Returns the bookings that records do not explain: changed lines, cancelled units, a cancellation, and amounts that
 * follow from a status without records.
 */
export function bookingsBeside(
  records: readonly Booking[],
  amounts: BookedAmounts,
  isCancellation: boolean,
): Booking[] {
  const rest = (field: keyof BookedAmounts) => records.reduce((left, booking) => left - booking[field], amounts[field]);
  const bookings: Booking[] = [
    { ...NOTHING, kind: 'lines', charged: rest('charged') },
    {
      ...NOTHING,
      kind: isCancellation && rest('credited') > 0 ? 'cancellation' : 'credit',
      credited: rest('credited'),
    },
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
