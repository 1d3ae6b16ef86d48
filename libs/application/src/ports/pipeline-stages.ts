import type { MailOutcome, OrderKey, PipelineStageRecord } from './order.repository.js';

/** These stages run after an order is placed or changed, each at least once. */
export const NOTIFICATION_STAGES = [
  'notify-customer',
  'notify-merchant',
  'notify-shipment',
  'notify-cancellation',
  'notify-refund',
] as const;
export type NotificationStage = (typeof NOTIFICATION_STAGES)[number];

/** These stages complete in the order's own transaction, in this sequence. No row stores them. */
export const PLACEMENT_STAGES = ['fraud-analysis', 'inventory'] as const;

export const PIPELINE_STAGES = [...PLACEMENT_STAGES, ...NOTIFICATION_STAGES] as const;

/** @param outcome null while the stage waits. @returns `none` for a stage that is not a mail. */
export function outcomeOf(stage: string, outcome: MailOutcome | null): PipelineStageRecord['outcome'] {
  return (NOTIFICATION_STAGES as readonly string[]).includes(stage) ? (outcome ?? 'waiting') : 'none';
}

export function stagesOfPlacement(at: Date): PipelineStageRecord[] {
  return PLACEMENT_STAGES.map((stage) => ({
    stage,
    reference: '',
    state: 'done',
    attempts: 1,
    lastError: '',
    outcome: 'none',
    at,
  }));
}

/** How much work a worker may claim. */
export interface ClaimLimits {
  /** From 1. */
  readonly most: number;
  /** The limit of one store, with what the worker already runs. */
  readonly mostOfStore: number;
  /** How much the worker runs, by store. */
  readonly running: ReadonlyMap<number, number>;
}

/** No other worker claims the stage before `lockedUntil`, by the database's clock. */
export interface ClaimedStage extends OrderKey {
  readonly stage: NotificationStage;
  /** The shipment or refund that the stage is about; `''` for none. */
  readonly reference: string;
  /** The number of attempts before this one. */
  readonly attempts: number;
  /** Identifies the claim: each claim of a stage has a later time. */
  readonly lockedUntil: Date;
  /** Whether an earlier worker claimed the stage and did not end its attempt in time. */
  readonly takenOver: boolean;
}

export interface RetriedPipeline {
  readonly stages: readonly NotificationStage[];
  /** Stages that are not changed, because a worker is attempting them at this moment. */
  readonly running: readonly NotificationStage[];
  /** Why the order is under review; null when it is not. */
  readonly heldReasons: readonly string[] | null;
  /** Whether the order is cancelled. The customer's confirmation is then never sent. */
  readonly cancelled: boolean;
}

/** Methods that end an attempt do nothing when another worker has taken over the claim. */
export abstract class PipelineStages {
  /**
   * Claims due stages, the longest due of each store before the second of any: with synchronous replication, of orders that the
   * standbys have.
   * @throws CommitOutcomeUnknown when the standbys may not have the orders; their stages stay claimed.
   */
  abstract claim(limits: ClaimLimits, forMs: number): Promise<ClaimedStage[]>;

  /** @param outcome `not_wanted` when there was nothing to send. */
  abstract succeed(claim: ClaimedStage, outcome: 'sent' | 'not_wanted'): Promise<void>;

  /** @param retryInMs when the stage is due again; null means never: the stage is dead and a dead letter. */
  abstract fail(claim: ClaimedStage, error: Error, retryInMs: number | null): Promise<void>;

  /** Ends a stage whose message no attempt can or need deliver: it is dead, but not a dead letter. */
  abstract abandon(claim: ClaimedStage, outcome: 'undeliverable' | 'not_wanted', error: Error): Promise<void>;
}

export abstract class StageRetries {
  /**
   * Makes the dead and failed stages of an order due again, at once and with all their attempts. It never starts an
   * attempt while another one runs; a running attempt counts as lost, and its stage as failed, after 45 s. Held stages
   * stay held, and the confirmation of a cancelled order is not sent.
   * @throws NotFound
   */
  abstract retry(order: OrderKey): Promise<RetriedPipeline>;

  /**
   * Dismissed stages stay dead, keep their error and can be retried. @returns the dismissed stages. @throws NotFound
   */
  abstract dismiss(order: OrderKey): Promise<readonly NotificationStage[]>;
}
