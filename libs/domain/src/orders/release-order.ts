import { NotHeld, OrderCancelled } from './change-errors.js';
import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';

/** @throws OrderCancelled, NotHeld */
export function releaseOrder(order: PlacedOrder): OrderChange {
  if (order.isCancelled) throw new OrderCancelled();
  if (!order.isHeld) throw new NotHeld();
  return { ...order.unchanged(), events: [orderEvent('released')], effects: [{ kind: 'review', to: 'released' }] };
}
