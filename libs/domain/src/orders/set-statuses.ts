import { UnitsLeftToShip } from './change-errors.js';
import { cancelledAs } from './cancel-order.js';
import { freeReference, type OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import { ledgerOf } from './order-money.js';
import { changeState, type OrderState } from './order-status.js';
import type { PlacedOrder } from './placed-order.js';
import { isVoid } from './shipment.js';

/**
 * Confirming ends the review; cancelling returns the stock; REFUNDED records the remaining payment as a refund.
 * @throws IllegalTransition
 * @throws UnitsLeftToShip when the order is SHIPPED or DELIVERED, and its shipments lack units.
 * @throws CancelledTooLate, BeingPicked
 */
export function setStatuses(order: PlacedOrder, change: Partial<OrderState>): OrderChange {
  const after = changeState(order.state, change);
  const { status, fulfillmentStatus } = after;
  switch (change.fulfillmentStatus) {
    case 'CANCELLED':
      order.assertNothingShipped();
      return cancelledAs(order, after, { reason: '', restock: null, notify: false });
    case 'RETURNED':
      order.assertNothingPicked();
      break;
    case 'SHIPPED':
    case 'DELIVERED':
      assertShipmentsAreWhole(order);
  }
  const owed = change.status === 'CANCELLED' ? ledgerOf(order.state).owed : 0;
  const isReleased = order.isHeld && change.fulfillmentStatus === 'CONFIRMED';
  const amount = change.status === 'REFUNDED' ? order.refundable : 0;
  const refund =
    amount > 0
      ? {
          reference: freeReference(order.state.refunds, 'REFUNDED'),
          amount,
          reason: 'goodwill' as const,
          credited: ledgerOf(order.state).owed,
          at: null,
          requestHash: '',
          lines: [],
          restock: false,
        }
      : null;
  return {
    status,
    fulfillmentStatus,
    events: [
      ...(isReleased ? [orderEvent('released')] : []),
      ...(refund ? [orderEvent('refund_recorded', refund.reference, { amount })] : []),
      ...order.statusEventsTo(after),
    ],
    effects: [
      ...(isReleased ? [{ kind: 'review', to: 'released' } as const] : []),
      ...(refund ? [{ kind: 'refund', ...refund } as const] : []),
      ...(owed > 0 ? [{ kind: 'cancelledUnits', lines: [], amount: owed } as const] : []),
    ],
  };
}

/** An order without shipments ships as a whole. */
function assertShipmentsAreWhole(order: PlacedOrder): void {
  const { unshippedUnits } = order;
  if (!order.state.shipments.every(isVoid) && unshippedUnits.length > 0) throw new UnitsLeftToShip(unshippedUnits);
}
