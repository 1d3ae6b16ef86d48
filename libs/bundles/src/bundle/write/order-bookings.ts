import {
  bookingsBeside,
  bookingsOfPayment,
  bookingsOfRefund,
  creditTaxes,
  ledgerOf,
  NO_CREDITS,
  shareOf,
  shippingOf,
  taxesOfUnits,
  taxLinesOf,
  type BookedAmounts,
  type Booking,
} from '@app/domain';
import type { BundleOrderEvent, OrderRecordLine } from '../schema/bundle.js';
import { moneyOf, type CompleteRefund } from './order-money.js';

type DatedBooking = Booking & { readonly at: string; readonly bookedAt?: string };

/**
 * Returns the bookings that explain the amounts of an order: those of the bundle, or else those of its records, plus
 * what these leave unexplained. When no time is given, a payment counts for the time of the order, and everything else
 * for that of its last change.
 */
export function bookingsOfLine(line: OrderRecordLine): readonly DatedBooking[] {
  const money = moneyOf(line);
  const known = line.bookings?.map(readBooking) ?? recorded(line, money.refunds);
  const charged = known.reduce((sum, booking) => sum + booking.charged, 0);
  const isCancellation = line.status === 'CANCELLED' || line.fulfillment_status === 'CANCELLED';
  const rest = bookingsBeside(known, { charged, ...ledgerOf(money) }, isCancellation);
  const bookings = [...known, ...rest.map((booking) => ({ ...booking, at: timeOf(booking, line) }))];
  return line.bookings ? bookings : withTaxes(bookings, line, money.refunds);
}

/** Gives each credit the taxes of what its refund was for, if it says so, and otherwise a part of all taxes. */
function withTaxes(
  bookings: readonly DatedBooking[],
  line: OrderRecordLine,
  refunds: readonly CompleteRefund[],
): readonly DatedBooking[] {
  const { shipping_amount: shippingAmount = 0, shipping_tax: shippingTax = [], line_items = [] } = line;
  const lines = line_items.map((item, index) => ({
    ...{ line: index + 1, unitPrice: item.unit_price, quantity: item.quantity },
    ...{ tax: item.tax ?? [], discount: item.discount_amount ?? 0, cancelledQuantity: 0 },
  }));
  const order = {
    ...{ shippingAmount, shippingTax, isTaxIncluded: line.tax_included ?? false },
    ...{ lines, totalAmount: line.total_amount, refunds: [] },
  };
  const creditedBy = ({ kind, reference }: DatedBooking) => {
    const refund = kind === 'credit' ? refunds.find((each) => each.reference === reference) : undefined;
    if (refund?.reason === 'shipping') return { price: shippingOf(order), taxes: shippingTax };
    const units = refund?.lines ?? [];
    return units.length > 0 ? { price: shareOf(order, units, []), taxes: taxesOfUnits(order, units, []) } : null;
  };
  const credits = bookings.filter(({ credited }) => credited !== 0);
  const taxes = creditTaxes(
    { totalAmount: line.total_amount, sold: taxLinesOf(order) },
    NO_CREDITS,
    credits.map((booking) => ({ ...booking, of: creditedBy(booking) })),
  );
  return bookings.map((booking) => ({ ...booking, taxLines: taxes[credits.indexOf(booking)] ?? [] }));
}

function readBooking({
  kind,
  at,
  booked_at,
  reference = '',
  tax_lines: taxLines = [],
  ...amounts
}: NonNullable<OrderRecordLine['bookings']>[number]): DatedBooking {
  const { charged = 0, credited = 0, paid = 0, refunded = 0 } = amounts;
  return {
    kind,
    at,
    ...(booked_at && { bookedAt: booked_at }),
    reference,
    charged,
    credited,
    paid,
    refunded,
    taxLines,
  };
}

function recorded(
  { payments = [], history = [] }: OrderRecordLine,
  refunds: readonly CompleteRefund[],
): DatedBooking[] {
  const changes = history.flatMap(({ at, event, details = {} }) => {
    const [before, after] = [Number(details.total_before), Number(details.total_after)];
    const isChange = event === 'lines_changed' && Number.isSafeInteger(before) && Number.isSafeInteger(after);
    return isChange ? dated(bookingsBeside([], { ...NOTHING, charged: after - before }, false), at) : [];
  });
  return [
    ...changes,
    ...payments.flatMap(({ written_off: writtenOff = 0, fee = 0, ...payment }) =>
      dated(bookingsOfPayment({ ...payment, writtenOff, fee }), payment.at),
    ),
    ...refunds.flatMap((refund) => dated(bookingsOfRefund(refund), refund.at)),
  ];
}

const NOTHING: BookedAmounts = { charged: 0, credited: 0, paid: 0, refunded: 0 };

function dated(bookings: readonly Booking[], at: string): DatedBooking[] {
  return bookings.map((booking) => ({ ...booking, at }));
}

/** The statuses that stand for amounts without a record. */
const STATUSES: Partial<Record<Booking['kind'], string>> = {
  payment: 'SUCCEEDED',
  refund: 'REFUNDED',
  credit: 'REFUNDED',
  cancellation: 'CANCELLED',
};

function timeOf({ kind }: Booking, { history = [], created_at, updated_at = created_at }: OrderRecordLine): string {
  const isCause = ({ event, to }: BundleOrderEvent) =>
    (kind === 'credit' && event === 'units_cancelled') || (event === 'status_changed' && to === STATUSES[kind]);
  return history.findLast(isCause)?.at ?? (kind === 'payment' ? created_at : updated_at);
}
