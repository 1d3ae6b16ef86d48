import { RefundExceedsLine, RefundExceedsPayment, RefundReferenceTaken } from '../errors.js';
import { isSameUnits, sumByLine, unitsBeyond, type LineQuantity } from './line-units.js';
import type { OrderChange, Repeatable } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';
import type { BinCodes } from './shipment.js';

export interface RefundRequest extends Repeatable {
  readonly reference: string;
  readonly amount: number;
  /** What the money is for; null = nothing in particular. */
  readonly lines: readonly LineQuantity[] | null;
  /** Whether the lines, or all shipped units without them, go back to their bins. */
  readonly restock: boolean;
  /** The bin that gets them instead; null = their own. */
  readonly restockTo: BinCodes | null;
  readonly notify: boolean;
  /** Null = now. */
  readonly at: Date | null;
}

/**
 * Refunds of all that was paid make the order REFUNDED. One of 0 only returns units.
 * @throws RefundReferenceTaken, RefundExceedsPayment, RefundExceedsLine
 * @throws NotFound, ReturnExceedsShipment, UnitsWithoutBin
 */
export function recordRefund(order: PlacedOrder, request: RefundRequest): OrderChange {
  const { reference, amount, at, requestHash, lines, restock, restockTo: to, notify } = request;
  const existing = order.state.refunds.find((refund) => refund.reference === reference);
  if (existing && lines && !isSameUnits(existing.lines, lines)) throw new RefundReferenceTaken();
  if (existing) return order.repeated(existing, request, new RefundReferenceTaken());
  const { refundable } = order;
  if (amount > refundable) throw new RefundExceedsPayment(refundable);
  if (lines) assertUnrefunded(order, lines);
  const returned = restock ? order.unitsToReturn(lines, to) : undefined;

  const { status, fulfillmentStatus } = order.state;
  const isAll = amount > 0 && amount === refundable && status === 'SUCCEEDED';
  const after = { status: isAll ? 'REFUNDED' : status, fulfillmentStatus } as const;
  const details = { amount, ...(lines && { items: lines }), ...(returned && { restocked: returned }) };
  return {
    ...after,
    events: [orderEvent('refund_recorded', reference, details), ...order.statusEventsTo(after, reference)],
    effects: [
      {
        kind: 'refund',
        ...{ reference, amount, at, requestHash, lines: sumByLine(lines ?? returned ?? []), restock },
      },
      ...(returned ? [{ kind: 'restock', movement: 'RETURN', lines: returned, ...(to && { to }) } as const] : []),
      ...(notify && amount > 0 ? [{ kind: 'mail', stage: 'notify-refund', reference } as const] : []),
    ],
  };
}

function assertUnrefunded(order: PlacedOrder, lines: readonly LineQuantity[]): void {
  order.assertLines(lines);
  const { unrefundedUnits } = order;
  const [beyond] = unitsBeyond(sumByLine(lines), unrefundedUnits);
  if (!beyond) return;
  const left = unrefundedUnits.find(({ line }) => line === beyond.line);
  throw new RefundExceedsLine({ line: beyond.line, quantity: left?.quantity ?? 0 });
}
