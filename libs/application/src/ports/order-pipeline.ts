import type { FraudAssessment } from '@app/domain';

/** What happens to an order after it is placed, each at least once. */
export const NOTIFICATION_STAGES = ['notify-customer', 'notify-merchant'] as const;
export type NotificationStage = (typeof NOTIFICATION_STAGES)[number];

/** All stages of an order, in their order. The first two happen in the order's own transaction. */
export const PIPELINE_STAGES = ['fraud-analysis', 'inventory', ...NOTIFICATION_STAGES] as const;

/** The stages of an order, within a transaction. */
export abstract class OrderPipeline {
  /**
   * Writes the order's stages and queues the notifications. Under REVIEW the customer's confirmation is held for the
   * reasons of the assessment.
   */
  abstract enqueue(storeId: number, orderId: string, assessment: FraudAssessment): Promise<void>;

  /** The fraud rules for which the customer's confirmation is held; null when it is not held. */
  abstract heldFor(storeId: number, orderId: string): Promise<readonly string[] | null>;

  /**
   * Queues what was held.
   *
   * @returns whether anything was.
   */
  abstract release(storeId: number, orderId: string): Promise<boolean>;

  /**
   * Replaces the assessment of an order that is held because it could not be analysed. Queues what was held when the
   * verdict is ACCEPT; holds it for the new reasons otherwise. Changes nothing when the order is not held for that.
   *
   * @param assessment ACCEPT or REVIEW: an order that was placed is not rejected any more.
   * @returns whether it was held for that.
   */
  abstract settle(storeId: number, orderId: string, assessment: FraudAssessment): Promise<boolean>;

  /** Gives up what was held: it will not be sent. */
  abstract abandonHeld(storeId: number, orderId: string): Promise<void>;

  /**
   * Queues the stages that were given up or failed, as if for the first time; of a cancelled order not the customer's
   * confirmation.
   *
   * @returns their names.
   */
  abstract retry(storeId: number, orderId: string): Promise<NotificationStage[]>;
}

/** The stages of placed orders, as the worker sees them. */
export abstract class PipelineStages {
  /**
   * Notes that an attempt begins.
   *
   * @returns whether the stage is still to be done; false makes the job a no-op.
   */
  abstract begin(storeId: number, orderId: string, stage: NotificationStage): Promise<boolean>;

  abstract succeed(storeId: number, orderId: string, stage: NotificationStage): Promise<void>;

  /** @param dead whether this was the last attempt. */
  abstract fail(storeId: number, orderId: string, stage: NotificationStage, error: Error, dead: boolean): Promise<void>;
}
