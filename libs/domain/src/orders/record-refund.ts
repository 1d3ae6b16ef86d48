import { CreditExceedsOwed, RefundExceedsLine, RefundExceedsPayment, RefundReferenceTaken } from './change-errors.js';
import { cancellationOf } from './cancel-order.js';
import { covers, isSameUnits, sumByLine, unitsBeyond, unitsByLine, type LineQuantity } from './line-units.js';
import { freeReference, type RecordedPayment, type OrderChange, type Repeatable } from './order-change.js';
import { orderEvent } from './order-event.js';
import {
  isCrediting,
  ledgerOf,
  NO_DETAILS,
  sumOf,
  paymentStatusOf,
  type RefundedUnits,
  type RefundReason,
} from './order-money.js';
import { cancelState } from './order-status.js';
import type { PlacedOrder } from './placed-order.js';
import type { BinCodes } from './shipment.js';

export interface RefundRequest extends Repeatable {
  readonly reference: string;
  readonly amount: number;
  /**
   * Null means goods when lines are named or units come back, else a repayment when money is due back, else goodwill.
   */
  readonly reason: RefundReason | null;
  /** How much the refund lowers what is owed, in minor units. Null takes the default of `creditOf`. */
  readonly credited: number | null;
  /** The units that the money is for; null for none in particular. Units that have not shipped are cancelled. */
  readonly lines: readonly LineQuantity[] | null;
  /**
   * Whether the named lines, or without them all shipped units, go back to their bins. Null restocks cancelled units
   * that came from bins.
   */
  readonly restock: boolean | null;
  /** The bin that receives the units; null returns them to their own bins. */
  readonly restockTo: BinCodes | null;
  readonly notify: boolean;
  /** Null means now. */
  readonly at: Date | null;
}

/**
 * Records money that was paid back, and its reason. When the order owes nothing any more, its unshipped units are
 * cancelled; if nothing has shipped, so is the order.
 * @throws RefundReferenceTaken, RefundExceedsPayment, RefundExceedsLine, CreditExceedsOwed
 * @throws NotFound, ReturnExceedsShipment, UnitsWithoutBin, BeingPicked
 */
export function recordRefund(placed: PlacedOrder, request: RefundRequest): OrderChange {
  const unrecorded = unrecordedPayment(placed);
  const order = unrecorded ? placed.withPayment(unrecorded) : placed;
  const { reference, amount, at, requestHash, restockTo: to, notify } = request;
  const existing = order.state.refunds.find((refund) => refund.reference === reference);
  if (existing && request.lines && !isSameUnits(existing.lines, request.lines)) throw new RefundReferenceTaken();
  if (existing) return order.repeated(existing, request, new RefundReferenceTaken());
  const { refundable } = order;
  if (amount > refundable) throw new RefundExceedsPayment(refundable);
  const units = refundedUnitsOf(order, request);
  const reason = reasonOf(order, request);
  const credited = creditOf(order, request, { reason, units });
  const isReturn = units.returned.length > 0;

  const refund = {
    ...{ reference, amount, reason, credited, requestHash, lines: linesOf(units) },
    restock: isReturn || (units.cancelledNow.length > 0 && units.shipped.length === 0 && restocks(order, request)),
  };
  const refunded = order.withRefund(refund);
  const isAllCredited = credited > 0 && ledgerOf(refunded.state).owed === 0;
  // A cancelled order whose fee is now credited has already cancelled its units.
  const unshipped = isAllCredited && !order.isCancelled ? order.unclaimedUnits : units.cancelledNow;
  const returns = unshipped.length > 0 && restocks(order, request);
  const cancellation = cancellationOf(order, unshipped, { reason: '', returns, amount: 0, to, refund: reference });
  const { fulfillmentStatus } = cancellation;
  const isCancelledNow = fulfillmentStatus === 'CANCELLED' && !order.isCancelled;
  const before = isCancelledNow ? cancelState(order.state).status : order.state.status;
  const status = paymentStatusOf({ ...refunded.state, status: before, fulfillmentStatus }, order.state);
  const details = {
    ...{ amount, reason, credited },
    ...(refund.lines.length > 0 && { items: sumByLine(refund.lines) }),
    ...(isReturn && { restocked: units.returned }),
  };
  return {
    ...{ status, fulfillmentStatus },
    events: [
      ...(unrecorded ? [orderEvent('payment_recorded', unrecorded.reference, { amount: unrecorded.amount })] : []),
      orderEvent('refund_recorded', reference, details),
      ...cancellation.events,
      ...order.statusEventsTo({ ...order.state, status }, reference),
      ...cancellation.steps,
    ],
    effects: [
      ...(unrecorded ? [{ kind: 'payment', ...unrecorded, at: null, isOfStatus: true } as const] : []),
      { kind: 'refund', ...refund, at },
      ...(isReturn ? [{ kind: 'restock', movement: 'RETURN', lines: units.returned, ...(to && { to }) } as const] : []),
      ...cancellation.effects,
      ...(notify && amount > 0 ? [{ kind: 'mail', stage: 'notify-refund', reference } as const] : []),
    ],
  };
}

/** Returns what an order that was set as paid was paid without a record. The status may no longer show it. */
function unrecordedPayment({ state }: PlacedOrder): RecordedPayment | null {
  if (state.status !== 'SUCCEEDED') return null;
  const amount = ledgerOf(state).paid - sumOf(state.payments);
  const reference = freeReference(state.payments, 'SUCCEEDED');
  return amount > 0 ? { reference, amount, writtenOff: 0, ...NO_DETAILS, requestHash: '' } : null;
}

/** The units of a refund, grouped by what happens to them. */
interface RefundUnits {
  /** Units that the order cancelled earlier. Their share is already credited. */
  readonly before: readonly LineQuantity[];
  readonly shipped: readonly LineQuantity[];
  /** Shipped units that now go back to bins. */
  readonly returned: readonly LineQuantity[];
  /** Units that the order now cancels. */
  readonly cancelledNow: readonly LineQuantity[];
}

const NO_UNITS: RefundUnits = { before: [], shipped: [], returned: [], cancelledNow: [] };

function refundedUnitsOf(order: PlacedOrder, { lines, restock, restockTo }: RefundRequest): RefundUnits {
  if (!lines) {
    const returned = restock ? order.unitsToReturn(null, restockTo) : [];
    return { ...NO_UNITS, shipped: returned, returned };
  }
  assertUnrefunded(order, lines);
  const asked = sumByLine(lines);
  const before = atMost(asked, order.unrefundedCancelledUnits);
  const kept = unitsBeyond(asked, before);
  const shipped = atMost(kept, order.unrefundedShippedUnits);
  const cancelledNow = unitsBeyond(kept, shipped);
  if (restock && !covers(cancelledNow, asked)) {
    const returned = order.unitsToReturn(asked, restockTo);
    return { ...NO_UNITS, shipped: returned, returned };
  }
  order.assertUnclaimed(cancelledNow);
  return { before, shipped, returned: [], cancelledNow };
}

/** Limits the units to as many as the others have. */
function atMost(units: readonly LineQuantity[], others: readonly LineQuantity[]): LineQuantity[] {
  const available = unitsByLine(others);
  return units
    .map(({ line, quantity }) => ({ line, quantity: Math.min(quantity, available.get(line) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
}

function linesOf({ before, shipped, cancelledNow }: RefundUnits): RefundedUnits[] {
  const cancelled = unitsByLine([...before, ...cancelledNow]);
  return sumByLine([...before, ...shipped, ...cancelledNow]).map(({ line, quantity }) => {
    return { line, quantity, cancelledQuantity: cancelled.get(line) ?? 0 };
  });
}

function restocks(order: PlacedOrder, { restock }: RefundRequest): boolean {
  if (restock) order.assertHasTakenStock();
  return restock ?? order.state.hasTakenStock;
}

function reasonOf(order: PlacedOrder, { reason, lines, restock, amount, credited }: RefundRequest): RefundReason {
  if (reason) return reason;
  if (lines || restock) return 'goods';
  if (credited) return 'goodwill';
  return amount <= ledgerOf(order.state).refundDue ? 'repayment' : 'goodwill';
}

/**
 * The default credit is what is paid back beyond what was due back, and for goods at least their share of the total. It
 * never exceeds what is owed. @throws CreditExceedsOwed
 */
function creditOf(
  order: PlacedOrder,
  { amount, credited, reason: given }: RefundRequest,
  { reason, units }: { readonly reason: RefundReason; readonly units: RefundUnits },
): number {
  if (!isCrediting(reason)) return 0;
  const { owed, refundDue } = ledgerOf(order.state);
  if (credited !== null) {
    if (credited > owed) throw new CreditExceedsOwed(owed);
    return credited;
  }
  const share = order.shareOf([...units.shipped, ...units.cancelledNow]);
  const beyond = given && reason !== 'goods' ? amount : amount - refundDue;
  return Math.min(owed, Math.max(share, beyond));
}

function assertUnrefunded(order: PlacedOrder, lines: readonly LineQuantity[]): void {
  order.assertLines(lines);
  const { unrefundedUnits } = order;
  const [beyond] = unitsBeyond(sumByLine(lines), unrefundedUnits);
  if (!beyond) return;
  const left = unrefundedUnits.find(({ line }) => line === beyond.line);
  throw new RefundExceedsLine({ line: beyond.line, quantity: left?.quantity ?? 0 });
}
