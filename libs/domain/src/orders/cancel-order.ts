import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import { cancelState, type OrderState } from './order-status.js';
import type { PlacedOrder } from './placed-order.js';

export interface Cancellation {
  readonly reason: string;
  /** Whether the units go back to their bins; null = those that came from bins. */
  readonly restock: boolean | null;
  readonly notify: boolean;
}

/** A cancelled order stays as it is. @throws CancelledTooLate, BeingPicked, UnitsWithoutBin */
export function cancelOrder(order: PlacedOrder, cancellation: Cancellation): OrderChange {
  if (order.isCancelled) return order.unchanged();
  order.assertNothingShipped();
  if (cancellation.restock) order.assertHasTakenStock();
  return cancelledAs(order, cancelState(order.state), cancellation);
}

/** @param after the statuses of the cancelled order. */
export function cancelledAs(
  order: PlacedOrder,
  { status, fulfillmentStatus }: OrderState,
  { reason, restock, notify }: Cancellation,
): OrderChange {
  const { isHeld, isConfirmationHeld, hasTakenStock, lines } = order.state;
  const returns = restock ?? hasTakenStock;
  const after = { status, fulfillmentStatus };
  return {
    ...after,
    events: [
      orderEvent('cancelled', '', { ...(reason && { reason }), restock: returns }),
      ...order.statusEventsTo(after),
    ],
    ...(returns && { restock: { kind: 'CANCELLATION', lines } }),
    ...(isHeld && { review: 'abandoned' }),
    // Without the confirmation, the cancellation would be the first mail.
    ...(notify && !isConfirmationHeld && { mail: { stage: 'notify-cancellation', reference: '' } }),
  };
}
