import { Injectable } from '@nestjs/common';
import { HeldOrders } from '../ports/held-orders.js';
import type { OrderKey } from '../ports/order.repository.js';

@Injectable()
export class ReleaseOrder {
  constructor(private readonly held: HeldOrders) {}

  /**
   * Ends the review of an order: sends the customer's confirmation, as for an accepted order.
   *
   * @returns false when the order is not held; nothing is sent then.
   * @throws NotFound when the store has no such order.
   * @throws OrderCancelled when the order is cancelled.
   */
  execute({ storeId, orderId }: OrderKey): Promise<boolean> {
    return this.held.release({ storeId, orderId });
  }
}
