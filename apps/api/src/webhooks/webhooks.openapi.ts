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
    'Readers of the feed that the service calls: what changed is sent in order, until the receiver answers 2xx. A key ' +
    'reaches the webhooks of its mode.',
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
  description: 'Its state, its place in the feed, how far it is behind, and how the last attempts ended.',
  of: Webhook,
  by: WEBHOOK,
});

export const ApiCreateWebhook = ApiWrite({
  operationId: 'createWebhook',
  summary: 'Install a webhook',
  description:
    'It sends what changes from now on. Read what exists by `GET /v1/changes`. A repeat with the same Idempotency-Key ' +
    'installs nothing: it returns the same webhook as it is then, with its newest secret, and `idempotency_mismatch` once ' +
    `it is deleted. A store has at most ${MAX_WEBHOOKS} webhooks in each mode.`,
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
    'Absent fields stay, null resets a field. It keeps its place and its secret, and tries at once: what is not delivered ' +
    'is sent by the new settings. Added kinds begin at its place.',
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
    'A message of the type `webhook.test` is sent soon, also while the webhook is paused. `last_deliveries` then has the ' +
    'result. It is not repeated.',
});

export const ApiPauseWebhook = ApiChange({
  operationId: 'pauseWebhook',
  summary: 'Pause a webhook',
  description: 'It keeps its place. A delivery in flight may still arrive, and is then sent again after `resume`.',
});

export const ApiResumeWebhook = ApiChange({
  operationId: 'resumeWebhook',
  summary: 'Resume a webhook',
  description:
    'It continues at its place, at once. One that waits for its next attempt tries at once, too, and is still paused three ' +
    'days after its first failure.',
});

export const ApiReplayWebhook = ApiChange({
  operationId: 'replayWebhook',
  summary: 'Send again what changed',
  description:
    'Moves the place of the webhook back, or forward: after a `cursor`, or to a time. The newest state of each resource ' +
    'that changed since is sent, under a new `webhook-id`. A paused webhook stays paused.',
  body: { type: ReplayWebhookRequest, example: { from: '2026-11-20T09:30:00.000Z' } },
  failures: [new BadRequestException('the body must have either cursor or from'), new CursorInvalid()],
});

export const ApiRotateWebhookSecret = ApiChange(
  {
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'The old secret signs as well until `overlap_hours` have passed; 0 ends it at once. At most three secrets sign.',
    body: { type: RotateSecretRequest, example: { overlap_hours: 24 }, isOptional: true },
    failures: [invalidField('overlap_hours must be an integer from 0 to 168')],
  },
  WebhookWithSecret,
);

export const ApiDeleteWebhook = ApiChange({
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Answers with the webhook as it was. A delivery in flight may still arrive.',
});
