import type { OrderKey, PipelineStageRecord } from './order.repository.js';

/** The stages that notify people after an order is placed or changed. Each runs at least once. */
export const NOTIFICATION_STAGES = [
  'notify-customer',
  'notify-merchant',
  'notify-shipment',
  'notify-cancellation',
  'notify-refund',
] as const;
export type NotificationStage = (typeof NOTIFICATION_STAGES)[number];

/** The stages that complete in the order's own transaction, in their order. No row keeps them. */
export const PLACEMENT_STAGES = ['fraud-analysis', 'inventory'] as const;

export const PIPELINE_STAGES = [...PLACEMENT_STAGES, ...NOTIFICATION_STAGES] as const;

/** The records of those stages of an order. @param at when it was placed. */
export function stagesOfPlacement(at: Date): PipelineStageRecord[] {
  return PLACEMENT_STAGES.map((stage) => ({ stage, reference: '', state: 'done', attempts: 1, lastError: '', at }));
}

/** A stage that one worker holds. No other worker claims it before `lockedUntil`, by the database's clock. */
export interface ClaimedStage extends OrderKey {
  readonly stage: NotificationStage;
  /** The shipment or refund that the stage is about; `''` for none. */
  readonly reference: string;
  /** The attempts that ended, without this one. */
  readonly attempts: number;
  /** Also identifies the claim: each claim of a stage has a later one. */
  readonly lockedUntil: Date;
  /** Whether an earlier worker claimed the stage and did not end its attempt in time. */
  readonly takenOver: boolean;
}

export interface RetriedPipeline {
  readonly stages: readonly NotificationStage[];
  /** Unfinished stages that stay as they are, because a worker attempts them at this moment. */
  readonly running: readonly NotificationStage[];
  /** The fraud rules for which the customer's confirmation is held; null when it is not held. */
  readonly heldFor: readonly string[] | null;
  /** Whether the order is cancelled, so that the customer's confirmation is never sent. */
  readonly cancelled: boolean;
}

export abstract class PipelineStages {
  /**
   * Claims due stages of all stores, the longest due first. An order is claimed only when it is where an
   * acknowledgement of it would have to be: with synchronous replication, the standbys have it.
   *
   * @param most the maximum number.
   * @param forMs how long no other worker may claim them.
   * @throws CommitOutcomeUnknown when the standbys may not have the orders; their stages stay claimed.
   */
  abstract claim(most: number, forMs: number): Promise<ClaimedStage[]>;

  /** Ends an attempt: the stage is done. Does nothing when the claim has been taken over. */
  abstract succeed(claim: ClaimedStage): Promise<void>;

  /**
   * Ends a failed attempt. Does nothing when the claim has been taken over.
   *
   * @param retryInMs when the stage is due again; null = never, the stage is dead and a dead letter.
   */
  abstract fail(claim: ClaimedStage, error: Error, retryInMs: number | null): Promise<void>;

  /**
   * Ends an attempt after which none can or need deliver the message: the stage is dead, and no dead letter. Does nothing
   * when the claim has been taken over.
   */
  abstract setAside(claim: ClaimedStage, error: Error): Promise<void>;
}

export abstract class StageRetries {
  /**
   * Makes the dead and failed stages of an order due again, at once and with all their attempts. Never adds an attempt
   * while one runs. An attempt counts as lost, and its stage as failed, when its worker has not ended it within 45
   * seconds. Held stages stay held, and the confirmation of a cancelled order is not sent.
   *
   * @throws NotFound when the store has no such order.
   */
  abstract retry(order: OrderKey): Promise<RetriedPipeline>;

  /**
   * Sets the dead letters of an order aside: they stay dead, keep their error and can be retried.
   *
   * @returns their stages; none when the order has no dead letter.
   * @throws NotFound when the store has no such order.
   */
  abstract dismiss(order: OrderKey): Promise<readonly NotificationStage[]>;
}
