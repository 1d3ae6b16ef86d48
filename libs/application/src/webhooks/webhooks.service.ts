import { NotFound, type ApiKeyMode } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { CursorExpired, CursorInvalid } from '../feed/cursor-errors.js';
import { decodeCursor } from '../feed/cursor.js';
import type { ChangeOrigin } from '../ports/audit-log.js';
import { ChangeFeed } from '../ports/change-feed.js';
import type { IdempotentRequest } from '../ports/idempotency.js';
import { WebhookSender } from '../ports/webhook-sender.js';
import {
  WebhookRepository,
  type NewWebhook,
  type ShownWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookKey,
  type WebhookSettings,
} from '../ports/webhook.repository.js';
import { drawWebhookSecret } from './webhook-message.js';

export interface WebhookReference extends WebhookKey {
  readonly mode: ApiKeyMode | null;
}

export interface CreatedWebhook extends ShownWebhook {
  readonly secret: string;
  readonly isReplay: boolean;
}

@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly sender: WebhookSender,
    private readonly feed: ChangeFeed,
  ) {}

  /**
   * Only this result contains the secret.
   * @param idempotency a repeated request adds nothing, and returns the current webhook and its newest secret.
   * @throws UrlNotAllowed, TooManyWebhooks, WebhookDeleted, IdempotencyMismatch, IdempotencyInFlight
   */
  async create(
    webhook: Omit<NewWebhook, 'id' | 'secret'>,
    origin: ChangeOrigin,
    idempotency: IdempotentRequest | null = null,
  ): Promise<CreatedWebhook> {
    this.sender.check(webhook.url);
    const id = uuidv7();
    const secret = drawWebhookSecret();
    const created = await this.webhooks.insert({ ...webhook, id, secret }, origin, idempotency);
    if (created.id === id) return { ...created, secret, isReplay: false };
    return { ...created, secret: orNotFound(await this.webhooks.newestSecret(created)), isReplay: true };
  }

  list(storeId: number, mode: ApiKeyMode | null): Promise<Webhook[]> {
    return this.webhooks.list(storeId, mode);
  }

  async find({ mode, ...key }: WebhookReference): Promise<ShownWebhook> {
    return orNotFound(await this.webhooks.find(key, mode));
  }

  async change({ mode, ...key }: WebhookReference, change: WebhookChange, origin: ChangeOrigin): Promise<ShownWebhook> {
    return orNotFound(await this.webhooks.change(key, mode, change, origin));
  }

  /**
   * A new URL without headers removes the earlier headers: they are secret and must not reach another receiver.
   * @throws UrlNotAllowed, NotFound
   */
  async configure(reference: WebhookReference, settings: WebhookSettings, origin: ChangeOrigin): Promise<ShownWebhook> {
    const { url } = settings;
    if (url === undefined) return this.change(reference, { kind: 'configure', settings }, origin);
    this.sender.check(url);
    return this.change(reference, { kind: 'configure', settings: { headers: {}, ...settings } }, origin);
  }

  /**
   * @param start a cursor of a message, or a time.
   * @throws NotFound
   * @throws CursorInvalid unless the cursor has the same mode and kinds.
   * @throws CursorExpired when deletions after it are no longer kept, or the database has lost its place.
   */
  async replayFrom(reference: WebhookReference, start: string | Date, origin: ChangeOrigin): Promise<ShownWebhook> {
    if (start instanceof Date) return this.change(reference, { kind: 'replay', from: start }, origin);
    const { storeId, mode, kinds } = await this.find(reference);
    const { kinds: ofCursor, isTest, branch, position, base } = decodeCursor(start, { storeId, mode });
    const from = { branch, position, base };
    if (ofCursor.join() !== kinds.join() || isTest !== (mode === 'test')) throw new CursorInvalid();
    const { rewound } = await this.feed.read(storeId, { kinds, after: from, limit: 1 });
    if (rewound) throw new CursorExpired();
    return this.change(reference, { kind: 'replay', from }, origin);
  }

  /** Only this result contains the new secret. @param overlapMs how long the old one still signs. @throws NotFound */
  async rotateSecret(
    reference: WebhookReference,
    overlapMs: number,
    origin: ChangeOrigin,
  ): Promise<ShownWebhook & { readonly secret: string }> {
    const secret = drawWebhookSecret();
    return { ...(await this.change(reference, { kind: 'rotate', secret, overlapMs }, origin)), secret };
  }

  /** @returns the webhook before its deletion. @throws NotFound */
  async delete({ mode, ...key }: WebhookReference, origin: ChangeOrigin): Promise<ShownWebhook> {
    return orNotFound(await this.webhooks.delete(key, mode, origin));
  }
}

function orNotFound<T>(found: T | null): T {
  if (found === null) throw new NotFound('Webhook');
  return found;
}
