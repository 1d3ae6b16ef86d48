import { changeState, type OrderState } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { OrderLifecycle, type CancelledOrder } from '../ports/order-lifecycle.js';
import type { OrderKey } from '../ports/order.repository.js';

@Injectable()
export class ChangeOrderStatus {
  constructor(private readonly lifecycle: OrderLifecycle) {}

  /**
   * Sets the payment status, the fulfillment status, or both. Confirming an order under review releases the customer's
   * confirmation; cancelling the fulfillment returns the stock.
   *
   * @throws NotFound when the store has no such order.
   * @throws IllegalTransition when the life cycle does not allow it; nothing is changed.
   */
  async execute(order: OrderKey, change: Partial<OrderState>): Promise<CancelledOrder> {
    const next = ({ status, fulfillmentStatus }: OrderState) => changeState({ status, fulfillmentStatus }, change);
    if (change.fulfillmentStatus === 'CANCELLED') return this.lifecycle.cancel(order, next);
    return { ...(await this.lifecycle.change(order, next)), restocked: 0 };
  }
}
