import { StageRetries, type NotificationStage, type OrderKey, type RetriedPipeline } from '@app/application';
import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../postgres/transactions.js';
import { dismissStages, findHoldReasons, retryStages } from './order-stages.js';
import { lockOrder } from './order-changes.js';

@Injectable()
export class PostgresStageRetries extends StageRetries {
  constructor(private readonly transactions: Transactions) {
    super();
  }

  override retry(order: OrderKey): Promise<RetriedPipeline> {
    return this.transactions.run(order.storeId, async (sql) => {
      const locked = await lockOrder(sql, { storeId: order.storeId, reference: order.orderId, isTest: null });
      if (!locked) throw new NotFound('Order');
      return {
        ...(await retryStages(sql, order)),
        heldFor: await findHoldReasons(sql, order),
        cancelled: locked.state.fulfillmentStatus === 'CANCELLED',
      };
    });
  }

  override dismiss(order: OrderKey): Promise<readonly NotificationStage[]> {
    return this.transactions.run(order.storeId, async (sql) => {
      const reference = { storeId: order.storeId, reference: order.orderId, isTest: null };
      if (!(await lockOrder(sql, reference))) throw new NotFound('Order');
      return dismissStages(sql, order);
    });
  }
}
