import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { WebhookBody } from '@app/domain';
import { encodeCursor } from '../feed/cursor.js';
import type { ChangedResource, FeedPosition } from '../ports/change-feed.js';
import type { ClaimedWebhook } from '../ports/webhook-queue.js';
import type { Webhook } from '../ports/webhook.repository.js';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A message as Standard Webhooks defines it (https://www.standardwebhooks.com, 1.0.0), before it is signed. */
export interface WebhookMessage {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export function drawWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** @param secrets each makes one signature, so that a receiver may have any of them. */
export function signedHeaders(
  { id, body }: WebhookMessage,
  time: Date,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * @param changes at most one batch of the webhook, in the sequence of the feed. @param feedPosition the position after them.
 */
export function changesMessage(
  webhook: ClaimedWebhook,
  changes: readonly (ChangedResource & { readonly data: unknown })[],
  feedPosition: FeedPosition,
): WebhookMessage {
  const { id, replays, batch, body } = webhook;
  const entries = changes.map((change) => entryOf(change, body));
  const cursor = webhookCursor(webhook, feedPosition);
  const [first] = entries;
  const newest = changes.at(-1);
  if (!first || !newest) throw new Error('A message needs a change');
  const timestamp = newest.at.toISOString();
  const [type, data] =
    batch === 1
      ? [`${first.kind}.${first.deleted ? 'deleted' : 'changed'}`, { ...first, cursor }]
      : ['changes', { cursor, changes: entries }];
  // Each new state of a record gets another position, so the same positions identify the same message.
  const positions = changes.map(({ position }) => position).join();
  return {
    id: messageId([id, feedPosition.branch, replays, positions]),
    type,
    body: JSON.stringify({ type, timestamp, data }),
  };
}

export function testMessage(webhook: ClaimedWebhook, time: Date): WebhookMessage {
  const data = { cursor: webhookCursor(webhook, webhook.feedPosition) };
  const type = 'webhook.test';
  const timestamp = time.toISOString();
  return { id: messageId([webhook.id, timestamp]), type, body: JSON.stringify({ type, timestamp, data }) };
}

/**
 * Encodes the feed position of a webhook as a cursor for `GET /v1/changes` with its kinds and mode. More changes may follow, so
 * a count cannot use it.
 */
export function webhookCursor(
  { storeId, mode, kinds }: Pick<Webhook, 'storeId' | 'mode' | 'kinds'>,
  feedPosition: FeedPosition,
): string {
  return encodeCursor({ storeId, mode }, { ...feedPosition, kinds, hasMore: true, isTest: mode === 'test' });
}

function entryOf({ kind, id, record, data }: ChangedResource & { readonly data: unknown }, body: WebhookBody) {
  return { kind, id, deleted: record === null, ...(body === 'full' && { record: data }) };
}

function messageId(parts: readonly (string | number)[]): string {
  return `msg_${createHash('sha256').update(parts.join(' ')).digest('base64url').slice(0, 27)}`;
}
