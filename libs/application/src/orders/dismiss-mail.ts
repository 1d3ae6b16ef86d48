import { Injectable } from '@nestjs/common';
import type { OrderKey } from '../ports/order.repository.js';
import { StageRetries, type NotificationStage } from '../ports/pipeline-stages.js';

@Injectable()
export class DismissMail {
  constructor(private readonly retries: StageRetries) {}

  /**
   * Sets the mails of an order aside that failed for good: `/health` counts them no more, and they can still be retried.
   *
   * @returns their stages; none when the order has no dead letter.
   * @throws NotFound when the store has no such order.
   */
  execute({ storeId, orderId }: OrderKey): Promise<readonly NotificationStage[]> {
    return this.retries.dismiss({ storeId, orderId });
  }
}
