import { OrderCancelled } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { Notifier, UndeliverableMessage } from '../ports/notifier.js';
import { PipelineStages, type NotificationStage } from '../ports/pipeline-stages.js';
import { OrderRepository } from '../ports/order.repository.js';
import { StoreRepository } from '../ports/store.repository.js';

export interface RunPipelineStageCommand {
  readonly storeId: number;
  readonly orderId: string;
  readonly stage: NotificationStage;
  /** Whether no attempt follows this one. */
  readonly lastAttempt: boolean;
}

/** `skipped`: the stage was not pending. `dead`: the message cannot be delivered and is not retried. */
export type StageOutcome = 'done' | 'dead' | 'skipped';

@Injectable()
export class RunPipelineStage {
  constructor(
    private readonly stages: PipelineStages,
    private readonly orders: OrderRepository,
    private readonly stores: StoreRepository,
    private readonly notifier: Notifier,
  ) {}

  /**
   * Runs one stage of an order. Marks the stage done after the message is handed over: a crash in between sends the
   * message again, with the same id, and never loses it. The confirmation of a cancelled order is not sent; its stage
   * becomes dead.
   *
   * @throws the error of the attempt, after recording it; the queue retries later. A stage whose message cannot be
   *   delivered becomes dead at once, without an error.
   */
  async execute({ storeId, orderId, stage, lastAttempt }: RunPipelineStageCommand): Promise<StageOutcome> {
    if (!(await this.stages.begin(storeId, orderId, stage))) return 'skipped';
    try {
      const [order, store] = await Promise.all([
        this.orders.findById(storeId, orderId),
        this.stores.findProfile(storeId),
      ]);
      if (!order || !store) throw new Error(`No order ${orderId} in store ${storeId}`);
      if (stage === 'notify-customer' && order.fulfillmentStatus === 'CANCELLED') throw new OrderCancelled();
      await this.notifier.notify(stage, order, store);
    } catch (error) {
      const isHopeless = error instanceof UndeliverableMessage || error instanceof OrderCancelled;
      await this.stages.fail(storeId, orderId, stage, error as Error, lastAttempt || isHopeless);
      if (isHopeless) return 'dead';
      throw error;
    }
    await this.stages.succeed(storeId, orderId, stage);
    return 'done';
  }
}
