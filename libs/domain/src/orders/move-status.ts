import { IllegalTransition, OrderHeld, StaleStatus } from './change-errors.js';
import type { LineQuantity } from './line-units.js';
import type { OrderChange } from './order-change.js';
import type { StatusField } from './order-event.js';
import {
  FULFILLMENT_TRANSITIONS,
  PAYMENT_TRANSITIONS,
  TRANSITION_TARGETS,
  type FulfillmentStatus,
  type PaymentStatus,
} from './order-status.js';
import type { PlacedOrder } from './placed-order.js';
import { setStatuses } from './set-statuses.js';
import type { BinCodes } from './shipment.js';

export interface Transition {
  readonly field: StatusField;
  readonly expected: string;
  readonly to: string;
  /** Whether units go back to their bins when the order becomes RETURNED. */
  readonly restock: boolean;
  /** The bin that receives the units; null returns them to their own bins. */
  readonly restockTo: BinCodes | null;
  /** Which units go back; null selects all shipped units that have not come back. */
  readonly lines: readonly LineQuantity[] | null;
}

/**
 * Confirming does not end the review: otherwise a client that confirms each new order would release all of them.
 * @throws StaleStatus, IllegalTransition, OrderHeld, NotFound, BeingPicked, ReturnExceedsShipment, UnitsWithoutBin
 */
export function moveStatus(
  order: PlacedOrder,
  { field, expected, to, restock, restockTo, lines }: Transition,
): OrderChange {
  const isPayment = field === 'status';
  const present = order.state[field];
  const next: readonly string[] = isPayment
    ? PAYMENT_TRANSITIONS[order.state.status]
    : FULFILLMENT_TRANSITIONS[order.state.fulfillmentStatus];
  const possible = next.filter((status) => (TRANSITION_TARGETS as readonly string[]).includes(status));
  if (present !== expected) throw new StaleStatus(field, present, possible);
  if (!possible.includes(to)) {
    throw new IllegalTransition(isPayment ? 'payment' : 'fulfillment', present, to, possible);
  }

  if (to === 'CONFIRMED' && order.isHeld) throw new OrderHeld();
  const change = isPayment ? { status: to as PaymentStatus } : { fulfillmentStatus: to as FulfillmentStatus };
  // A payment may fail and be retried without end.
  const moved = { ...setStatuses(order, change), isEndless: isPayment };
  if (to !== 'RETURNED' || !restock) return moved;
  const returned = order.unitsToReturn(lines, restockTo);
  const events = moved.events.map((step) => ({ ...step, details: { restocked: returned } }));
  const back = { kind: 'restock', movement: 'RETURN', lines: returned, ...(restockTo && { to: restockTo }) } as const;
  return { ...moved, events, effects: [...moved.effects, back] };
}
