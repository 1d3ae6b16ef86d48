import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import { OrderCancelled } from './order.errors.js';
import { NotHeld } from './placed-order.errors.js';
import type { PlacedOrder } from './placed-order.js';

/**
 * Ends the review of the order.
 *
 * @throws OrderCancelled, NotHeld
 */
export function releaseOrder(order: PlacedOrder): OrderChange {
  if (order.isCancelled) throw new OrderCancelled();
  if (!order.state.isHeld) throw new NotHeld();
  return { ...order.unchanged(), events: [orderEvent('released')], review: 'released' };
}
