import { backOffMs, OrderCancelled } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { within } from '../deadline.js';
import { Notifier, UndeliverableMessage } from '../ports/notifier.js';
import { PipelineStages, type ClaimedStage, type ClaimLimits } from '../ports/pipeline-stages.js';
import { OrderRepository } from '../ports/order.repository.js';
import { StoreRepository } from '../ports/store.repository.js';

/** With this back-off, the last attempt is about 16 hours after the first. */
const MAX_ATTEMPTS = 12;
const BACK_OFF = { firstMs: 2_700, factor: Math.E, longestMs: 6 * 3_600_000 };

const NOTIFICATION_MS = 30_000;

/** Longer than a notification with the statements before and after it. */
const CLAIM_MS = 45_000;

/**
 * `failed`: the stage is due again later. `dead`: all attempts failed, and the stage is never due again.
 * `undeliverable`: it is never due again, because its recipient cannot receive it. `cancelled`: the order was cancelled
 * before its confirmation was sent.
 */
export interface StageResult {
  readonly outcome: 'done' | 'failed' | 'dead' | 'undeliverable' | 'cancelled';
  readonly error?: Error;
}

/** The worker that held the stage was killed, or lost its database connection. */
class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

@Injectable()
export class RunPipelineStage {
  constructor(
    private readonly stages: PipelineStages,
    private readonly orders: OrderRepository,
    private readonly stores: StoreRepository,
    private readonly notifier: Notifier,
  ) {}

  claim(limits: ClaimLimits): Promise<ClaimedStage[]> {
    return this.stages.claim(limits, CLAIM_MS);
  }

  /**
   * Marks the stage as done after the message is handed over: a crash in between sends the message again, with the same
   * id. The attempt of a lost worker counts; its stage does not run now, but becomes due again later.
   * @throws when no result can be recorded: the stage stays claimed, and the attempt counts as lost.
   */
  async execute(claim: ClaimedStage): Promise<StageResult> {
    try {
      if (claim.takenOver) throw new WorkerLost();
      // @protects done-after-mail
      await this.stages.succeed(claim, await this.notify(claim));
      return { outcome: 'done' };
    } catch (error) {
      if (error instanceof OrderCancelled) {
        await this.stages.abandon(claim, 'not_wanted', error);
        return { outcome: 'cancelled' };
      }
      if (error instanceof UndeliverableMessage) {
        await this.stages.abandon(claim, 'undeliverable', error);
        return { outcome: 'undeliverable', error };
      }
      const attempts = claim.attempts + 1;
      const retryInMs = attempts < MAX_ATTEMPTS ? backOffMs(BACK_OFF, attempts) : null;
      await this.stages.fail(claim, error as Error, retryInMs);
      return { outcome: retryInMs === null ? 'dead' : 'failed', error: error as Error };
    }
  }

  private async notify({ storeId, orderId, stage, reference }: ClaimedStage): Promise<'sent' | 'not_wanted'> {
    const [order, store] = await Promise.all([
      this.orders.findById(storeId, orderId),
      this.stores.findProfile(storeId),
    ]);
    if (!order || !store) throw new Error(`No order ${orderId} in store ${storeId}`);
    if (stage === 'notify-customer' && order.fulfillmentStatus === 'CANCELLED') throw new OrderCancelled();
    const isSent = await within(NOTIFICATION_MS, this.notifier.notify(stage, order, store, reference));
    return isSent ? 'sent' : 'not_wanted';
  }
}
