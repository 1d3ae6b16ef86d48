import { Injectable } from '@nestjs/common';
import type { OrderKey } from '../ports/order.repository.js';
import { StageRetries, type NotificationStage, type RetriedPipeline } from '../ports/pipeline-stages.js';

@Injectable()
export class RetryPipeline {
  constructor(private readonly retries: StageRetries) {}

  execute({ storeId, orderId }: OrderKey): Promise<RetriedPipeline> {
    return this.retries.retry({ storeId, orderId });
  }
}

@Injectable()
export class DismissMail {
  constructor(private readonly retries: StageRetries) {}

  execute({ storeId, orderId }: OrderKey): Promise<readonly NotificationStage[]> {
    return this.retries.dismiss({ storeId, orderId });
  }
}
