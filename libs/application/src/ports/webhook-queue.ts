import type { Currency, PauseReason } from '@app/domain';
import type { FeedPlace } from './change-feed.js';
import type { Delivery, Webhook } from './webhook.repository.js';

export interface ClaimedWebhook extends Pick<
  Webhook,
  'storeId' | 'id' | 'mode' | 'url' | 'kinds' | 'body' | 'batch' | 'place'
> {
  readonly currency: Currency;
  /** The secrets that sign, newest first. */
  readonly secrets: readonly string[];
  readonly isActive: boolean;
  readonly isTestDue: boolean;
  /** Failed attempts since the last one that did not. */
  readonly failures: number;
  /** Since the first of them. */
  readonly failingForMs: number;
  /** How often a replay was asked for. */
  readonly replays: number;
  readonly holder: string;
  /** `performance.now()` before the claim was asked for. */
  readonly claimedAt: number;
  /** Counts the changes by clients and operators. */
  readonly epoch: number;
}

/** The result of an attempt, or of a page without anything to send. */
export type WebhookOutcome =
  /** Everything up to the place is delivered. */
  | { readonly kind: 'moved'; readonly place: FeedPlace }
  | { readonly kind: 'tested' }
  | { readonly kind: 'failed'; readonly delayMs: number }
  /** The merchant gets a mail. */
  | { readonly kind: 'paused'; readonly reason: PauseReason };

/** Lends webhooks to workers, each to one at a time. */
export abstract class WebhookQueue {
  /**
   * Claims webhooks that have something to send, those of the least served store first. A claim lasts 30 seconds from its last
   * record: the webhooks of a killed worker are then another's.
   *
   * @param busy how many webhooks of each host, and of each store by its id, this worker serves already.
   */
  abstract claim(most: number, busy: ReadonlyMap<string, number>): Promise<ClaimedWebhook[]>;

  /**
   * Records an attempt and its outcome, and renews the claim.
   *
   * @param delivery null when nothing was sent.
   * @returns false when the webhook is changed, deleted or another worker's: nothing is noted.
   */
  abstract record(claimed: ClaimedWebhook, outcome: WebhookOutcome, delivery: Delivery | null): Promise<boolean>;

  /** Lets another claim it at once. */
  abstract release(claimed: ClaimedWebhook): Promise<void>;
}
