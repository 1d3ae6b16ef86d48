import { cancelState } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { OrderLifecycle, type CancelledOrder } from '../ports/order-lifecycle.js';
import type { OrderKey } from '../ports/order.repository.js';

@Injectable()
export class CancelOrder {
  constructor(private readonly lifecycle: OrderLifecycle) {}

  /**
   * Cancels an order before it ships, and returns its stock to the bins it came from.
   *
   * @throws NotFound when the store has no such order.
   * @throws IllegalTransition when it has shipped or is already cancelled; nothing is changed.
   */
  execute(order: OrderKey): Promise<CancelledOrder> {
    return this.lifecycle.cancel(order, ({ status, fulfillmentStatus }) => cancelState({ status, fulfillmentStatus }));
  }
}
