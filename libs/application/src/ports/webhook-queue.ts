import type { Currency, PauseReason } from '@app/domain';
import type { FeedPosition } from './change-feed.js';
import type { Delivery, Webhook } from './webhook.repository.js';

export interface ClaimedWebhook extends Pick<
  Webhook,
  'storeId' | 'id' | 'mode' | 'url' | 'kinds' | 'body' | 'batch' | 'feedPosition'
> {
  readonly currency: Currency;
  /** The fixed headers by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The newest comes first; all of them sign. */
  readonly secrets: readonly string[];
  readonly isActive: boolean;
  readonly isTestDue: boolean;
  /** Consecutive failures since the last success. */
  readonly failures: number;
  /** The time since the first of these failures. */
  readonly failingForMs: number;
  readonly replays: number;
  /**
   * Up to this position, the cluster that the store has left may already have sent the messages: positions of its
   * branch end here.
   */
  readonly movedUpTo: number;
  readonly holder: string;
  /** The value of `performance.now()` before the claim was requested. */
  readonly claimedAt: number;
  /** Increases with each change by a client or an operator. */
  readonly epoch: number;
}

export type WebhookOutcome =
  /** Everything up to the position is delivered. */
  | { readonly kind: 'moved'; readonly feedPosition: FeedPosition }
  | { readonly kind: 'tested' }
  | { readonly kind: 'failed'; readonly delayMs: number }
  /** The webhook is paused, and the merchant gets a mail. */
  | { readonly kind: 'paused'; readonly reason: PauseReason };

export abstract class WebhookQueue {
  /**
   * Claims webhooks that have something to send, those of the least served store first, for 30 s from their last
   * record.
   * @param busy how many webhooks this worker already serves for each store, by store id, and for each store at a host,
   * by `<id> <host>`.
   */
  abstract claim(most: number, busy: ReadonlyMap<string, number>): Promise<ClaimedWebhook[]>;

  /**
   * Records an attempt and its outcome, and renews the claim.
   * @param delivery null when nothing was sent.
   * @returns false when the worker must send nothing more. Either the webhook was changed, deleted or claimed by
   * another worker, and nothing was recorded; or the attempt was recorded, and the store is about to move to another
   * cluster.
   */
  abstract record(claimed: ClaimedWebhook, outcome: WebhookOutcome, delivery: Delivery | null): Promise<boolean>;

  abstract release(claimed: ClaimedWebhook): Promise<void>;
}
