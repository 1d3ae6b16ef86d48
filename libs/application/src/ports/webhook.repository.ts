import type { ApiKeyMode, PauseReason, WebhookBody, WebhookState } from '@app/domain';
import type { ChangeKind, FeedPosition } from './change-feed.js';
import type { IdempotentRequest } from './idempotency.js';

export interface WebhookKey {
  readonly storeId: number;
  readonly id: string;
}

/** A reader of the feed whose place the service keeps, and to whom it sends what changes. Without its secret. */
export interface Webhook extends WebhookKey {
  /** It sends only orders of keys of this mode. */
  readonly mode: ApiKeyMode;
  /** Given by the client, for people; empty without one. */
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly ChangeKind[];
  readonly body: WebhookBody;
  /** The most changes in one message. */
  readonly batch: number;
  /** The names of the fixed headers, whose values are secret. */
  readonly headerNames: readonly string[];
  readonly state: WebhookState;
  readonly reason: PauseReason | null;
  /** What is after it was not delivered. */
  readonly place: FeedPosition;
  /** The time since the oldest change that was not delivered got its place in the feed; 0 without any. */
  readonly lagSeconds: number;
  /** The first failed attempt since the last one that did not fail, and since the last pause; null without one. */
  readonly failingSince: Date | null;
  /** When it tries again, or began to; null while it is paused, or without a failure since the last delivery. */
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

/** Absent ones stay. */
export interface WebhookSettings extends Partial<Pick<Webhook, 'name' | 'url' | 'kinds' | 'body' | 'batch'>> {
  /** Replace all earlier ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const DELIVERY_PHASES = ['address', 'connect', 'tls', 'request', 'answer', 'done'] as const;
export type DeliveryPhase = (typeof DELIVERY_PHASES)[number];

export interface Delivery {
  readonly messageId: string;
  /** The type of the message, such as `orders.changed`. */
  readonly type: string;
  readonly at: Date;
  /** `done` = the receiver answered; otherwise, what failed. */
  readonly phase: DeliveryPhase;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The first 4 kB of the answer; without one, what failed. */
  readonly answer: string;
}

/** What a client or an operator changes. A delivery in flight ends first and does not undo it. */
export type WebhookChange =
  | { readonly kind: 'pause' }
  /** Goes on at its place, at once. The time after which it is paused for failures begins again after a pause only. */
  | { readonly kind: 'resume' }
  /** Sends a message without a change of the store, also while it is paused. */
  | { readonly kind: 'test' }
  /** Keeps its place, and tries at once. An attempt in flight to an earlier URL is not noted. */
  | { readonly kind: 'configure'; readonly settings: WebhookSettings }
  /** Sends again what changed after a place, or at or after a time. */
  | { readonly kind: 'replay'; readonly from: FeedPosition | Date }
  /** The old secret signs as well until the overlap has passed. */
  | { readonly kind: 'rotate'; readonly secret: string; readonly overlapMs: number };

/** A mode of null finds those of both. */
export abstract class WebhookRepository {
  /**
   * Its place is the end of the feed.
   * @returns the webhook of the earlier request, if there was one with the key.
   * @throws TooManyWebhooks when the store has `MAX_WEBHOOKS` in the mode.
   * @throws WebhookDeleted, IdempotencyMismatch, IdempotencyInFlight
   */
  abstract insert(webhook: NewWebhook, request?: IdempotentRequest | null): Promise<ShownWebhook>;

  abstract list(storeId: number, mode: ApiKeyMode | null): Promise<Webhook[]>;

  abstract find(key: WebhookKey, mode: ApiKeyMode | null): Promise<ShownWebhook | null>;

  /** Finds a webhook of any store, for operators. */
  abstract locate(id: string): Promise<WebhookKey | null>;

  abstract newestSecret(key: WebhookKey): Promise<string | null>;

  /** @returns null when there is no such webhook. */
  abstract change(key: WebhookKey, mode: ApiKeyMode | null, change: WebhookChange): Promise<ShownWebhook | null>;

  /** @returns it as it was; null when there is no such webhook. */
  abstract delete(key: WebhookKey, mode: ApiKeyMode | null): Promise<ShownWebhook | null>;
}
