import { NotFound, OrderCancelled } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { OrderLocation } from '../ports/order.repository.js';
import { UnitOfWork } from '../ports/unit-of-work.js';

@Injectable()
export class ReleaseOrder {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Ends the review of an order: the customer's confirmation is sent, as that of an order that was accepted.
   *
   * @returns false when the order is not held, or not any more; nothing is sent then.
   * @throws NotFound when the store has no such order.
   * @throws OrderCancelled when it was cancelled.
   */
  execute({ storeId, orderId }: Pick<OrderLocation, 'storeId' | 'orderId'>): Promise<boolean> {
    return this.unitOfWork.run(async ({ orderStates, pipeline }) => {
      // The lock makes a cancellation and a release wait for each other.
      const state = await orderStates.lock(storeId, orderId);
      if (!state) throw new NotFound('Order');
      if (state.fulfillmentStatus === 'CANCELLED') throw new OrderCancelled();
      return pipeline.release(storeId, orderId);
    });
  }
}
