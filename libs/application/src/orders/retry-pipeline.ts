import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { NotificationStage } from '../ports/order-pipeline.js';
import type { OrderLocation } from '../ports/order.repository.js';
import { UnitOfWork } from '../ports/unit-of-work.js';

/** What was retried, and what was not and why. */
export interface RetriedPipeline {
  readonly stages: readonly NotificationStage[];
  /** The fraud rules for which the customer's confirmation is held; null when it is not held. */
  readonly heldFor: readonly string[] | null;
  /** Whether the order is cancelled: the customer's confirmation is never sent then. */
  readonly cancelled: boolean;
}

@Injectable()
export class RetryPipeline {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Queues the failed stages of an order again, at once and with all their attempts. What is held stays held, and a
   * cancelled order is not confirmed to its customer.
   *
   * @throws NotFound when the store has no such order.
   */
  execute({ storeId, orderId }: Pick<OrderLocation, 'storeId' | 'orderId'>): Promise<RetriedPipeline> {
    return this.unitOfWork.run(async ({ orderStates, pipeline }) => {
      const state = await orderStates.lock(storeId, orderId);
      if (!state) throw new NotFound('Order');
      return {
        stages: await pipeline.retry(storeId, orderId),
        heldFor: await pipeline.heldFor(storeId, orderId),
        cancelled: state.fulfillmentStatus === 'CANCELLED',
      };
    });
  }
}
