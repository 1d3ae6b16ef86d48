import type { OrderKey } from './order.repository.js';

/** The stages that notify people after an order is placed. Each runs at least once. */
export const NOTIFICATION_STAGES = ['notify-customer', 'notify-merchant'] as const;
export type NotificationStage = (typeof NOTIFICATION_STAGES)[number];

/** All stages of an order, in order. The first two complete in the transaction that places the order. */
export const PIPELINE_STAGES = ['fraud-analysis', 'inventory', ...NOTIFICATION_STAGES] as const;

/** The result of a retry. */
export interface RetriedPipeline {
  /** The stages that run again. */
  readonly stages: readonly NotificationStage[];
  /** Unfinished stages that stay as they are, because a worker attempts them at this moment. */
  readonly running: readonly NotificationStage[];
  /** The fraud rules for which the customer's confirmation is held; null when it is not held. */
  readonly heldFor: readonly string[] | null;
  /** Whether the order is cancelled, so that the customer's confirmation is never sent. */
  readonly cancelled: boolean;
}

/** The stages of placed orders, for the worker. */
export abstract class PipelineStages {
  /**
   * Records that an attempt begins.
   *
   * @returns whether the stage is still pending; false makes the job a no-op.
   */
  abstract begin(storeId: number, orderId: string, stage: NotificationStage): Promise<boolean>;

  abstract succeed(storeId: number, orderId: string, stage: NotificationStage): Promise<void>;

  /** @param dead whether this was the last attempt. */
  abstract fail(storeId: number, orderId: string, stage: NotificationStage, error: Error, dead: boolean): Promise<void>;
}

/** Retries of the stages of placed orders, for operators. */
export abstract class StageRetries {
  /**
   * Queues the dead and failed stages of an order again, at once and with all their attempts. Never adds an attempt
   * beside one that runs. An attempt counts as lost, and its stage as failed, when its worker has not ended it within a
   * minute. Held stages stay held, and the confirmation of a cancelled order is not sent.
   *
   * @throws NotFound when the store has no such order.
   */
  abstract retry(order: OrderKey): Promise<RetriedPipeline>;
}
