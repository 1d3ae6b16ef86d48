import type { ApiKeyMode, PauseReason, WebhookBody, WebhookState } from '@app/domain';
import type { ChangeOrigin } from './audit-log.js';
import type { ChangeKind, FeedPosition } from './change-feed.js';
import type { IdempotentRequest } from './idempotency.js';

export interface WebhookKey {
  readonly storeId: number;
  readonly id: string;
}

/**
 * A subscription to the feed: the service stores its cursor and sends it the changes. It does not contain the secret.
 */
export interface Webhook extends WebhookKey {
  /** The webhook sends only orders of keys of this mode. */
  readonly mode: ApiKeyMode;
  /** A display name that the client gives; empty when there is none. */
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly ChangeKind[];
  readonly body: WebhookBody;
  /** The maximum number of changes in one message. */
  readonly batch: number;
  /** The names of the fixed headers, whose values are secret. */
  readonly headerNames: readonly string[];
  readonly state: WebhookState;
  readonly reason: PauseReason | null;
  /** Changes after this position are not delivered yet. */
  readonly feedPosition: FeedPosition;
  /** The age of the oldest undelivered change, from its entry into the feed; 0 when there is none. */
  readonly lagSeconds: number;
  /** The time of the first failed attempt since the last success or pause; null when there is none. */
  readonly failingSince: Date | null;
  /** When the next attempt is due or began; null while paused, or when nothing has failed since the last delivery. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

export interface ShownWebhook extends Webhook {
  /** The last 20 attempts, newest first. */
  readonly deliveries: readonly Delivery[];
}

export interface NewWebhook extends Pick<
  Webhook,
  'storeId' | 'id' | 'mode' | 'name' | 'url' | 'kinds' | 'body' | 'batch'
> {
  readonly secret: string;
}

/** Absent fields keep their value. */
export interface WebhookSettings extends Partial<Pick<Webhook, 'name' | 'url' | 'kinds' | 'body' | 'batch'>> {
  /** The new headers replace all earlier ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const DELIVERY_PHASES = ['address', 'connect', 'tls', 'request', 'answer', 'done'] as const;
export type DeliveryPhase = (typeof DELIVERY_PHASES)[number];

export interface Delivery {
  readonly messageId: string;
  /** The type of the message, such as `orders.changed`. */
  readonly type: string;
  readonly at: Date;
  /** `done` means that the receiver answered; any other phase is the one that failed. */
  readonly phase: DeliveryPhase;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The first 4 kB of the answer; when there is none, a text that says what failed. */
  readonly answer: string;
}

/** A change by a client or an operator. A running delivery ends first and does not undo it. */
export type WebhookChange =
  | { readonly kind: 'pause' }
  /** Continues from its position at once. Only after a pause does the time until it is paused for failures start again. */
  | { readonly kind: 'resume' }
  /** Sends a message that reports no change of the store, even while paused. */
  | { readonly kind: 'test' }
  /** Keeps the position, and tries at once. A running attempt to the previous URL is not recorded. */
  | { readonly kind: 'configure'; readonly settings: WebhookSettings }
  /** Sends everything again that changed after a position, or at or after a time. */
  | { readonly kind: 'replay'; readonly from: FeedPosition | Date }
  /** The previous secret also signs until the overlap has passed. */
  | { readonly kind: 'rotate'; readonly secret: string; readonly overlapMs: number };

/** A null mode finds webhooks of both modes. */
export abstract class WebhookRepository {
  /**
   * Adds a webhook whose position is the end of the feed.
   * @returns the webhook of an earlier request with the key, if there was one.
   * @throws TooManyWebhooks when the store has `MAX_WEBHOOKS` in the mode.
   * @throws WebhookDeleted, IdempotencyMismatch, IdempotencyInFlight
   */
  abstract insert(webhook: NewWebhook, origin: ChangeOrigin, request?: IdempotentRequest | null): Promise<ShownWebhook>;

  abstract list(storeId: number, mode: ApiKeyMode | null): Promise<Webhook[]>;

  abstract find(key: WebhookKey, mode: ApiKeyMode | null): Promise<ShownWebhook | null>;

  /** Finds a webhook of any store, for operators. */
  abstract locate(id: string): Promise<WebhookKey | null>;

  abstract newestSecret(key: WebhookKey): Promise<string | null>;

  /** @returns null when there is no such webhook. */
  abstract change(
    key: WebhookKey,
    mode: ApiKeyMode | null,
    change: WebhookChange,
    origin: ChangeOrigin,
  ): Promise<ShownWebhook | null>;

  /** @returns the webhook before its deletion; null when there is no such webhook. */
  abstract delete(key: WebhookKey, mode: ApiKeyMode | null, origin: ChangeOrigin): Promise<ShownWebhook | null>;
}
