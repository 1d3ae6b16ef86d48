import { StageRetries, type NotificationStage, type OrderKey, type RetriedPipeline } from '@app/application';
import { NotFound } from '@app/domain';
import { findOrder, moveStages, type InMemoryTransactions } from './in-memory-transactions.js';

export class InMemoryStageRetries extends StageRetries {
  constructor(private readonly transactions: InMemoryTransactions) {
    super();
  }

  override retry(key: OrderKey): Promise<RetriedPipeline> {
    return this.transactions.run((state) => {
      const placed = findOrder(state, key);
      if (!placed) throw new NotFound('Order');
      const cancelled = placed.state.fulfillmentStatus === 'CANCELLED';
      const held = state.queued.find((job) => job.orderId === key.orderId && job.state === 'held');
      const isMeant = (stage: string) => !(cancelled && stage === 'notify-customer');
      return {
        stages: moveStages(state, key, 'dead', 'pending', isMeant),
        running: [],
        heldFor: held?.heldFor ?? null,
        cancelled,
      };
    });
  }

  /** Its orders have no dead letters: a stage is dead only because its order is cancelled. */
  override dismiss(key: OrderKey): Promise<readonly NotificationStage[]> {
    return this.transactions.run((state) => {
      if (!findOrder(state, key)) throw new NotFound('Order');
      return [];
    });
  }
}
