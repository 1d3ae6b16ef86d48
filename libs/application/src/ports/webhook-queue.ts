import type { Currency, PauseReason } from '@app/domain';
import type { FeedPosition } from './change-feed.js';
import type { Delivery, Webhook } from './webhook.repository.js';

export interface ClaimedWebhook extends Pick<
  Webhook,
  'storeId' | 'id' | 'mode' | 'url' | 'kinds' | 'body' | 'batch' | 'place'
> {
  readonly currency: Currency;
  /** Fixed ones, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Newest first; all sign. */
  readonly secrets: readonly string[];
  readonly isActive: boolean;
  readonly isTestDue: boolean;
  /** Failures since the last attempt that did not fail. */
  readonly failures: number;
  /** The time since the first of them. */
  readonly failingForMs: number;
  readonly replays: number;
  /** Up to this position, the branch of the place is of the cluster that the store has left, which may have sent the messages. */
  readonly movedUpTo: number;
  readonly holder: string;
  /** `performance.now()` before the claim was asked for. */
  readonly claimedAt: number;
  /** Counts the changes by clients and operators. */
  readonly epoch: number;
}

export type WebhookOutcome =
  /** Everything up to the place is delivered. */
  | { readonly kind: 'moved'; readonly place: FeedPosition }
  | { readonly kind: 'tested' }
  | { readonly kind: 'failed'; readonly delayMs: number }
  /** The merchant gets a mail. */
  | { readonly kind: 'paused'; readonly reason: PauseReason };

export abstract class WebhookQueue {
  /**
   * Claims webhooks that have something to send, of the least served store first, for 30 s from their last record.
   * @param busy how many webhooks of each store, by its id, and of each store at a host, as `<id> <host>`, this worker serves already.
   */
  abstract claim(most: number, busy: ReadonlyMap<string, number>): Promise<ClaimedWebhook[]>;

  /**
   * Records an attempt and its outcome, and renews the claim.
   * @param delivery null when nothing was sent.
   * @returns false when the worker must send nothing more: the webhook is changed, deleted or another worker's, and nothing
   *   is noted; or it is noted, and the store is about to move to another cluster.
   */
  abstract record(claimed: ClaimedWebhook, outcome: WebhookOutcome, delivery: Delivery | null): Promise<boolean>;

  abstract release(claimed: ClaimedWebhook): Promise<void>;
}
