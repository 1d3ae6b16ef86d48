import {
  CHANGE_KINDS,
  DELIVERY_PHASES,
  webhookCursor,
  type Delivery,
  type ShownWebhook,
  type Webhook as Installed,
} from '@app/application';
import { PAUSE_REASONS, WEBHOOK_BODIES } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const FIELDS = {
  id: is.uuid('Identifies the webhook.', '0199a1c2-8c4f-7d55-8e20-3b7c9d1e5f60'),
  name: is.text('Given by the client, for people; `""` without one.', 'ERP'),
  url: is.text('Where messages are sent.', 'https://erp.example.com/hooks/store'),
  kinds: is.arrayOf(is.oneOf(CHANGE_KINDS, 'A kind of resource.'), 'The kinds that it sends.', ['orders', 'skus']),
  body: is.oneOf(WEBHOOK_BODIES, 'Whether a message has the records (`full`) or only names them.'),
  batch: is.integer('The maximum number of changes per message.', 1),
  header_names: is.arrayOf(
    is.text('Name of a header.', 'Authorization'),
    'The fixed headers of its messages. Their values are not shown.',
  ),
  mode: is.oneOf(['live', 'test'], 'That of the key that installed it: it sends only orders of this mode.'),
  state: is.oneOf(['active', 'paused'], 'A paused webhook sends nothing and keeps its position.'),
  reason: is.oneOf(
    ['', ...PAUSE_REASONS],
    'Why it is paused: by request, because the receiver answered 410 or failed for three days, or because deletions after ' +
      'its position are no longer stored. `""` while it is active.',
    { names: ['active', ...PAUSE_REASONS] },
  ),
  cursor: is.text(
    'Its position: everything before it is delivered. A cursor of `GET /v1/changes` with the same kinds and mode.',
    'MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0',
  ),
  lag_seconds: is.integer('Age of the oldest undelivered change in the feed; 0 without any.', 0),
  failing_since: is.orNull(
    is.timestamp(
      'The first failed attempt since the last one that did not fail, and since the last pause; null without one.',
    ),
    null,
  ),
  next_attempt_at: is.orNull(
    is.timestamp(
      'When it tries again, or began to; null while it is paused, or without a failure since the last delivery.',
    ),
    null,
  ),
  created_at: is.timestamp('When it was installed.'),
};

const LAST_DELIVERIES = is.arrayOf(
  is.object({
    message_id: is.text('`webhook-id` of the message.', 'msg_0nYtWk2Zr8q1c5d7e9f1a3b5c7d'),
    type: is.text('Of the message; `webhook.test` is a test.', 'orders.changed'),
    at: is.timestamp('When the attempt began.', '2026-11-20T09:30:01.080Z'),
    phase: is.oneOf(
      DELIVERY_PHASES,
      'Phase of the attempt: `done` = the receiver answered; otherwise the phase that failed.',
      {
        example: 'done',
      },
    ),
    status: is.orNull(is.integer('HTTP status of the answer; null without one.', 204)),
    duration_ms: is.integer('How long it took.', 38),
    answer: is.text('The first 4 kB of the answer; without one, what failed.', ''),
  }),
  'The last 20 attempts, newest first.',
);

const SECRET = is.text(
  'Verifies the signatures of messages. Not shown again.',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
);

export const WebhookListItem = representation('WebhookListItem', is.object(FIELDS));
export const Webhook = representation('Webhook', is.object({ ...FIELDS, last_deliveries: LAST_DELIVERIES }));
export const WebhookWithSecret = representation(
  'WebhookWithSecret',
  is.object({ ...FIELDS, secret: SECRET, last_deliveries: LAST_DELIVERIES }),
);

export function toWebhookListItem(webhook: Installed): ValueOf<typeof WebhookListItem> {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    kinds: webhook.kinds,
    body: webhook.body,
    batch: webhook.batch,
    header_names: webhook.headerNames,
    mode: webhook.mode,
    state: webhook.state,
    reason: webhook.reason ?? '',
    cursor: webhookCursor(webhook, webhook.feedPosition),
    lag_seconds: Math.floor(webhook.lagSeconds),
    failing_since: webhook.failingSince?.toISOString() ?? null,
    next_attempt_at: webhook.nextAttemptAt?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
  };
}

export function toWebhookResponse(webhook: ShownWebhook): ValueOf<typeof Webhook> {
  return { ...toWebhookListItem(webhook), last_deliveries: webhook.deliveries.map(toDelivery) };
}

export function toWebhookWithSecret(
  webhook: ShownWebhook & { readonly secret: string },
): ValueOf<typeof WebhookWithSecret> {
  return { ...toWebhookResponse(webhook), secret: webhook.secret };
}

function toDelivery({ messageId, type, at, phase, status, durationMs, answer }: Delivery) {
  return { message_id: messageId, type, at: at.toISOString(), phase, status, duration_ms: durationMs, answer };
}
