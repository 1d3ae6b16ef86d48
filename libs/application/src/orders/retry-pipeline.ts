import { Injectable } from '@nestjs/common';
import type { OrderKey } from '../ports/order.repository.js';
import { StageRetries, type RetriedPipeline } from '../ports/pipeline-stages.js';

@Injectable()
export class RetryPipeline {
  constructor(private readonly retries: StageRetries) {}

  /**
   * Makes the failed stages of an order due again, at once and with all their attempts. Stages that a worker
   * attempts at this moment are left alone. Held stages stay held, and the confirmation of a cancelled order is not sent.
   *
   * @throws NotFound when the store has no such order.
   */
  execute({ storeId, orderId }: OrderKey): Promise<RetriedPipeline> {
    return this.retries.retry({ storeId, orderId });
  }
}
