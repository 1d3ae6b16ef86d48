import { FeeExceedsOwed, OrderCancelled } from './change-errors.js';
import { sumByLine, type LineQuantity } from './line-units.js';
import type { OrderChange } from './order-change.js';
import { orderEvent, type OrderEvent } from './order-event.js';
import { ledgerOf, paymentStatusOf } from './order-money.js';
import { cancelState, furtherOf, type OrderState } from './order-status.js';
import type { PlacedOrder } from './placed-order.js';
import { isVoid, type BinCodes } from './shipment.js';

export interface Cancellation {
  readonly reason: string;
  /** Whether the units go back to their bins. Null restocks the units that came from bins. */
  readonly restock: boolean | null;
  /** What stays owed when the whole order is cancelled, in minor units. Absent means nothing. */
  readonly fee?: number;
  /** Has an effect only when the whole order is cancelled. Cancelled units appear in the mail of a later shipment. */
  readonly notify: boolean;
}

const RESTOCK = { kind: 'restock', movement: 'CANCELLATION' } as const;

/**
 * A cancelled order does not change, nor does its fee.
 * @param items units that have not shipped; null cancels the whole order.
 * @throws CancelledTooLate, NotFound, AlreadyShipped, BeingPicked, UnitsWithoutBin
 * @throws FeeExceedsOwed, and OrderCancelled for another fee than that of the cancelled order
 */
export function cancelOrder(
  order: PlacedOrder,
  cancellation: Cancellation,
  items: readonly LineQuantity[] | null = null,
): OrderChange {
  if (order.isCancelled) return repeated(order, cancellation);
  if (items) return cancelUnits(order, cancellation, sumByLine(items));
  order.assertNothingShipped();
  if (cancellation.restock) order.assertHasTakenStock();
  const cancelled = cancelState(order.state);
  return cancellation.fee
    ? cancelledFor(order, cancelled, cancellation, cancellation.fee)
    : cancelledAs(order, cancelled, cancellation);
}

function repeated(order: PlacedOrder, { fee }: Cancellation): OrderChange {
  if (fee !== undefined && fee !== (order.state.cancellationFee ?? 0)) throw new OrderCancelled();
  return order.unchanged();
}

/** Credits everything except the fee, so that a later credit or write-off lowers what is owed of the fee. */
function cancelledFor(order: PlacedOrder, after: OrderState, how: Cancellation, fee: number): OrderChange {
  const { owed } = ledgerOf(order.state);
  if (fee > owed) throw new FeeExceedsOwed(owed);
  const kept = { amount: fee, credited: owed - fee };
  const { fulfillmentStatus } = after;
  const cancelledAmount = order.state.cancelledAmount + kept.credited;
  const state = { ...order.state, fulfillmentStatus, cancelledAmount, cancellationFee: fee };
  const change = cancelledAs(order, { fulfillmentStatus, status: paymentStatusOf(state, order.state) }, how);
  return { ...change, effects: [...change.effects, { kind: 'cancellationFee', ...kept }] };
}

/** An order that cancels all its units is cancelled as a whole: nothing is left to ship. */
function cancelUnits(order: PlacedOrder, cancellation: Cancellation, items: readonly LineQuantity[]): OrderChange {
  order.assertUnclaimed(items);
  if (cancellation.restock) order.assertHasTakenStock();
  const amount = Math.min(order.shareOf(items), ledgerOf(order.state).owed);
  const rest = order.without(items, amount);
  if (rest.keptUnits.length === 0) return cancelledAs(order, cancelState(order.state), cancellation);

  const returns = cancellation.restock ?? order.state.hasTakenStock;
  const cancelled = cancellationOf(order, items, { reason: cancellation.reason, returns, amount });
  const status = paymentStatusOf(rest.state, order.state);
  return {
    ...{ status, fulfillmentStatus: cancelled.fulfillmentStatus, effects: cancelled.effects },
    events: [
      ...cancelled.events,
      ...order.statusEventsTo({ ...order.state, status }, order.state.payments.at(-1)?.reference),
      ...cancelled.steps,
    ],
  };
}

interface UnitsCancellation extends Pick<OrderChange, 'fulfillmentStatus' | 'events' | 'effects'> {
  /** The history events of the fulfillment status. */
  readonly steps: readonly OrderEvent[];
}

/**
 * Returns the effects of cancelling units, except for those on the payment status.
 * @param items units that are in no shipment.
 * @param how whether the units go back to bins, and to which; the credit for them; the refund that causes it; and the
 * fee of the cancelled order.
 */
export function cancellationOf(
  order: PlacedOrder,
  items: readonly LineQuantity[],
  how: {
    readonly reason: string;
    readonly returns: boolean;
    readonly amount: number;
    readonly to?: BinCodes | null;
    readonly refund?: string;
    readonly fee?: number | undefined;
  },
): UnitsCancellation {
  const { reason, returns, amount, to, refund = '', fee } = how;
  const { status, shipments, fulfillmentStatus: before } = order.state;
  if (items.length === 0) return { fulfillmentStatus: before, events: [], effects: [], steps: [] };
  const rest = order.without(items, amount);
  const isWhole = rest.keptUnits.length === 0;
  const fulfillmentStatus = isWhole ? 'CANCELLED' : furtherOf(rest.fulfillmentWith(shipments), before);
  // Each event names the shipment that causes it, because a void shipment undoes its own events.
  const shipment = isWhole ? '' : shipments.findLast((one) => !isVoid(one))?.reference;
  const details = { ...(!isWhole && { items }), ...(reason && { reason }), restock: returns, ...(fee && { fee }) };
  const back = {
    ...RESTOCK,
    lines: items,
    ...(to && { to }),
    ...(!isWhole && ({ isOfCancelledUnits: true } as const)),
  };
  return {
    fulfillmentStatus,
    events: [orderEvent(isWhole ? 'cancelled' : 'units_cancelled', refund, details)],
    steps: order.statusEventsTo({ status, fulfillmentStatus }, shipment),
    effects: [
      ...(isWhole ? [] : [{ kind: 'cancelledUnits', lines: items, amount } as const]),
      ...(returns ? [back] : []),
      ...(isWhole && order.isHeld ? [{ kind: 'review', to: 'abandoned' } as const] : []),
    ],
  };
}

/** @param after the statuses of the cancelled order. */
export function cancelledAs(
  order: PlacedOrder,
  { status, fulfillmentStatus }: OrderState,
  { reason, restock, fee, notify }: Cancellation,
): OrderChange {
  const returns = restock ?? order.state.hasTakenStock;
  const { events, effects } = cancellationOf(order, order.keptUnits, { reason, returns, amount: 0, fee });
  const after = { status, fulfillmentStatus };
  return {
    ...after,
    events: [...events, ...order.statusEventsTo(after)],
    effects: [
      ...effects,
      // A customer who has had no confirmation would get the cancellation as the first mail.
      ...(notify && !order.isConfirmationHeld
        ? [{ kind: 'mail', stage: 'notify-cancellation', reference: '' } as const]
        : []),
    ],
  };
}
