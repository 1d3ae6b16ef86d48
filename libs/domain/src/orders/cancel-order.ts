import { AlreadyShipped } from '../errors.js';
import { covers, sumByLine, type LineQuantity } from './line-units.js';
import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import { paymentStatusOf } from './order-money.js';
import { cancelState, furtherOf, type OrderState } from './order-status.js';
import type { PlacedOrder } from './placed-order.js';
import { isVoid } from './shipment.js';

export interface Cancellation {
  readonly reason: string;
  /** Whether the units go back to their bins; null = those that came from bins. */
  readonly restock: boolean | null;
  /** Applies to the order as a whole. The mail of a shipment names the units that were given up. */
  readonly notify: boolean;
}

const RESTOCK = { kind: 'restock', movement: 'CANCELLATION' } as const;

/**
 * A cancelled order stays as it is.
 * @param items units that have not shipped; null = the order as a whole.
 * @throws CancelledTooLate, NotFound, AlreadyShipped, BeingPicked, UnitsWithoutBin
 */
export function cancelOrder(
  order: PlacedOrder,
  cancellation: Cancellation,
  items: readonly LineQuantity[] | null = null,
): OrderChange {
  if (order.isCancelled) return order.unchanged();
  if (items) return cancelUnits(order, cancellation, sumByLine(items));
  order.assertNothingShipped();
  if (cancellation.restock) order.assertHasTakenStock();
  return cancelledAs(order, cancelState(order.state), cancellation);
}

/** Nothing ships of an order that gives up all its units: it is cancelled as a whole. */
function cancelUnits(order: PlacedOrder, cancellation: Cancellation, items: readonly LineQuantity[]): OrderChange {
  const { unshippedUnits, unclaimedUnits } = order;
  order.assertLines(items);
  // @protects cancelled-units
  if (!covers(unshippedUnits, items)) throw new AlreadyShipped(unshippedUnits);
  if (!covers(unclaimedUnits, items)) throw order.beingPicked();
  if (cancellation.restock) order.assertHasTakenStock();
  const rest = order.without(items);
  if (rest.keptUnits.length === 0) return cancelledAs(order, cancelState(order.state), cancellation);

  const { reason } = cancellation;
  const { fulfillmentStatus, shipments, payments, hasTakenStock } = order.state;
  const returns = cancellation.restock ?? hasTakenStock;
  const after = {
    status: paymentStatusOf(rest.state),
    fulfillmentStatus: furtherOf(rest.fulfillmentWith(shipments), fulfillmentStatus),
  };
  // Each step names the payment or the shipment from which it follows: a void shipment undoes its own.
  const shipment = shipments.findLast((one) => !isVoid(one))?.reference;
  return {
    ...after,
    events: [
      orderEvent('units_cancelled', '', { items, ...(reason && { reason }), restock: returns }),
      ...order.statusEventsTo({ ...after, fulfillmentStatus }, payments.at(-1)?.reference),
      ...order.statusEventsTo({ ...after, status: order.state.status }, shipment),
    ],
    effects: [
      { kind: 'cancelledUnits', lines: items },
      ...(returns ? [{ ...RESTOCK, lines: items, isOfCancelledUnits: true } as const] : []),
    ],
  };
}

/** @param after the statuses of the cancelled order. */
export function cancelledAs(
  order: PlacedOrder,
  { status, fulfillmentStatus }: OrderState,
  { reason, restock, notify }: Cancellation,
): OrderChange {
  const returns = restock ?? order.state.hasTakenStock;
  const after = { status, fulfillmentStatus };
  return {
    ...after,
    events: [
      orderEvent('cancelled', '', { ...(reason && { reason }), restock: returns }),
      ...order.statusEventsTo(after),
    ],
    effects: [
      ...(returns ? [{ ...RESTOCK, lines: order.keptUnits }] : []),
      ...(order.isHeld ? [{ kind: 'review', to: 'abandoned' } as const] : []),
      // Without the confirmation, the cancellation would be the first mail.
      ...(notify && !order.isConfirmationHeld
        ? [{ kind: 'mail', stage: 'notify-cancellation', reference: '' } as const]
        : []),
    ],
  };
}
