import { Injectable } from '@nestjs/common';
import type { NotificationStage } from '../ports/order-pipeline.js';
import type { OrderLocation } from '../ports/order.repository.js';
import { UnitOfWork } from '../ports/unit-of-work.js';

@Injectable()
export class RetryPipeline {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Queues the failed stages of an order again, at once and with all their attempts. Returns their names. */
  execute({ storeId, orderId }: Pick<OrderLocation, 'storeId' | 'orderId'>): Promise<NotificationStage[]> {
    return this.unitOfWork.run(({ pipeline }) => pipeline.retry(storeId, orderId));
  }
}
