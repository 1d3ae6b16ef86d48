import { HeldTooLate, OrderCancelled } from './change-errors.js';
import { MANUAL } from '../fraud/fraud-assessment.js';
import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { PlacedOrder } from './placed-order.js';

/**
 * Only a person ends this review; no later analysis does. An order that a person already holds does not change.
 * @throws OrderCancelled, HeldTooLate, BeingPicked
 */
export function holdOrder(order: PlacedOrder, reason: string): OrderChange {
  if (order.isCancelled) throw new OrderCancelled();
  order.assertNothingShipped(new HeldTooLate());
  if (order.isHeldManually) return order.unchanged();
  return {
    ...order.unchanged(),
    events: [orderEvent('held', '', { reason })],
    effects: [{ kind: 'review', to: { heldFor: [MANUAL] } }],
  };
}
