import { CommitOutcomeUnknown, CursorInvalid } from '@app/application';
import { MAX_WEBHOOKS, NotFound, TooManyWebhooks, UrlNotAllowed, WebhookDeleted } from '@app/domain';
import {
  Webhook,
  WebhookListItem,
  WebhookWithSecret,
  type Representation,
  type ResourceDocumentation,
} from '@app/representations';
import { applyDecorators, BadRequestException } from '@nestjs/common';
import { ApiList, ApiPath, ApiSingle, ApiWrite } from '../openapi/endpoints.js';
import { webhookMessages, WebhookBatch, WebhookMessage, WebhookTest } from './webhook-messages.openapi.js';
import {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  ReplayWebhookRequest,
  RotateSecretRequest,
} from './webhooks.request.js';
import { invalidField } from '../errors/invalid-fields.js';

const TAG = 'Webhooks';

export const WEBHOOKS_DOCUMENTATION: ResourceDocumentation = {
  tag: TAG,
  description:
    'Webhooks send the changes of the feed in order, each until the receiver answers 2xx. A key ' +
    'can read and change the webhooks of its mode.',
  schemas: [WebhookListItem, Webhook, WebhookWithSecret, WebhookMessage, WebhookBatch, WebhookTest],
  webhooks: webhookMessages(TAG),
};

const WEBHOOK = { name: 'id', description: 'UUID of the webhook.', example: Webhook.example.id };

export const ApiListWebhooks = ApiList({
  operationId: 'listWebhooks',
  summary: 'The webhooks of the store',
  description: 'Oldest first, without their deliveries.',
  of: WebhookListItem,
});

export const ApiShowWebhook = ApiSingle({
  operationId: 'getWebhook',
  summary: 'A webhook with its last deliveries',
  description: 'Its state, its position in the feed, its lag, and the results of the last attempts.',
  of: Webhook,
  by: WEBHOOK,
});

export const ApiCreateWebhook = ApiWrite({
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'It sends changes from now on. Read existing records with `GET /v1/changes`. A repeat with the same Idempotency-Key ' +
    'creates nothing: it returns the same webhook in its current state, with its newest secret, and `idempotency_mismatch` once ' +
    `it is deleted. A store can have at most ${MAX_WEBHOOKS} webhooks per mode.`,
  of: WebhookWithSecret,
  body: { type: CreateWebhookRequest, example: { url: Webhook.example.url, kinds: ['orders', 'skus'] } },
  answer: { status: 201, description: 'The webhook, by this request or by an earlier one. Keep the `secret`.' },
  isRepeatable: true,
  failures: [
    invalidField('url is required'),
    new UrlNotAllowed('must begin with https://'),
    new TooManyWebhooks(MAX_WEBHOOKS),
    new WebhookDeleted(),
  ],
});

/** Takes no Idempotency-Key, because a change of a webhook can be repeated safely. */
const ApiChange = (operation: Omit<Parameters<typeof ApiWrite>[0], 'of' | 'answer'>, of: Representation = Webhook) =>
  applyDecorators(
    ApiPath(WEBHOOK),
    ApiWrite({
      ...operation,
      of,
      answer: { status: 200, description: 'The webhook after the change.' },
      failures: [...(operation.failures ?? []), new NotFound('Webhook'), new CommitOutcomeUnknown(null)],
    }),
  );

export const ApiChangeWebhook = ApiChange({
  operationId: 'changeWebhook',
  summary: 'Change a webhook',
  description:
    'Absent fields keep their values, null resets a field. The webhook keeps its position and its secret, and retries immediately: undelivered changes ' +
    'are sent with the new settings. Added kinds begin at its position.',
  body: { type: ChangeWebhookRequest, example: { name: 'ERP', headers: { Authorization: 'Bearer 4f1c' } } },
  failures: [
    invalidField('headers must not have Host, which the service sets'),
    new UrlNotAllowed('must begin with https://'),
  ],
});

export const ApiTestWebhook = ApiChange({
  operationId: 'testWebhook',
  summary: 'Send a test message',
  description:
    'Queues a message of the type `webhook.test`, even while the webhook is paused. `last_deliveries` then contains the ' +
    'result. A failed test is not retried.',
});

export const ApiPauseWebhook = ApiChange({
  operationId: 'pauseWebhook',
  summary: 'Pause a webhook',
  description: 'It keeps its position. A delivery in flight can still arrive, and is then sent again after `resume`.',
});

export const ApiResumeWebhook = ApiChange({
  operationId: 'resumeWebhook',
  summary: 'Resume a webhook',
  description:
    'Continues immediately at its position. A webhook that waits for its next attempt retries immediately, too, and is still paused three ' +
    'days after its first failure.',
});

export const ApiReplayWebhook = ApiChange({
  operationId: 'replayWebhook',
  summary: 'Replay changes',
  description:
    'Moves the position of the webhook back or forward: after a `cursor`, or to a time. The newest state of each resource ' +
    'that changed since is sent, under a new `webhook-id`. A paused webhook stays paused.',
  body: { type: ReplayWebhookRequest, example: { from: '2026-11-20T09:30:00.000Z' } },
  failures: [new BadRequestException('the body must have either cursor or from'), new CursorInvalid()],
});

export const ApiRotateWebhookSecret = ApiChange(
  {
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'The old secret also signs until `overlap_hours` have passed; 0 ends it immediately. At most three secrets sign.',
    body: { type: RotateSecretRequest, example: { overlap_hours: 24 }, isOptional: true },
    failures: [invalidField('overlap_hours must be an integer from 0 to 168')],
  },
  WebhookWithSecret,
);

export const ApiDeleteWebhook = ApiChange({
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Returns the deleted webhook. A delivery in flight can still arrive.',
});
