import { CHANGE_KINDS } from '@app/application';
import * as is from '@app/representations';
import { SkuListItem, type DocumentedWebhooks, type NamedSchema } from '@app/representations';
import { Type, type TSchema } from '@sinclair/typebox';

const CURSOR = is.text(
  'The position after the changes of the message: for `GET /v1/changes` with the same kinds and mode, and for `replay`.',
  'MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0',
);
const TIMESTAMP = is.timestamp('When the newest change of the message entered the feed.', '2026-11-20T09:30:01.080Z');

const membersOf = (kind: (typeof CHANGE_KINDS)[number]) => ({
  ...is.identityOf(kind),
  record: is.optional(
    is.recordOf(kind, 'Only with `body: full`: the full record when the message is sent; null when `deleted`.'),
  ),
});

export const WebhookMessage: NamedSchema = {
  name: 'WebhookMessage',
  schema: Type.Unsafe({
    oneOf: CHANGE_KINDS.map((kind) =>
      is.object({
        type: is.oneOf([`${kind}.changed`, `${kind}.deleted`], 'What happened.'),
        timestamp: TIMESTAMP,
        data: is.object({ ...membersOf(kind), cursor: CURSOR }),
      }),
    ),
  }),
};

export const WebhookBatch: NamedSchema = {
  name: 'WebhookBatch',
  schema: is.object({
    type: is.oneOf(['changes'], 'Changes of several resources.'),
    timestamp: TIMESTAMP,
    data: is.object({
      cursor: CURSOR,
      changes: is.arrayOf(
        Type.Unsafe<object>({ oneOf: CHANGE_KINDS.map((kind) => is.object(membersOf(kind))) }),
        'Up to `batch` changes, in the order of the feed.',
      ),
    }),
  }),
};

export const WebhookTest: NamedSchema = {
  name: 'WebhookTest',
  schema: is.object({
    type: is.oneOf(['webhook.test'], 'A test: nothing has changed.'),
    timestamp: is.timestamp('When it was sent.', '2026-11-20T09:30:01.080Z'),
    data: is.object({ cursor: CURSOR }),
  }),
};

const header = (name: string, description: string, example: string) => ({
  name,
  description,
  in: 'header' as const,
  required: true,
  schema: { type: 'string', examples: [example] },
});

/** The headers that Standard Webhooks defines. */
const HEADERS = [
  header(
    'webhook-id',
    'The same for every attempt at a message: skip messages that you have stored.',
    'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
  ),
  header(
    'webhook-timestamp',
    'Unix time of the attempt, in seconds. Refuse messages older than five minutes.',
    '1795167001',
  ),
  header(
    'webhook-signature',
    'HMAC-SHA-256 of `webhook-id.webhook-timestamp.body` with the secret, as `v1,` and Base64. During a rotation one for ' +
      'each secret, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const RESPONSES = {
  '2XX': {
    description: 'The receiver has stored the message. After another answer, or none in 10 s, it is sent again.',
  },
  '410': { description: 'The receiver is gone. Pauses the webhook.' },
  '429': { description: 'The next attempt waits for `Retry-After`, as after 503.' },
};

const timestamp = is.exampleOf(TIMESTAMP);
const cursor = is.exampleOf(CURSOR);
const ORDER = { kind: 'orders', id: '652e11cd-af5e-469b-9ad6-28bda7a6431d', deleted: false };
const SKU = { kind: 'skus', id: '70-12', deleted: false };
const sku = { ...SKU, record: SkuListItem.example, cursor };
const EXAMPLES = {
  thin: { summary: 'Thin', value: { type: 'orders.changed', timestamp, data: { ...ORDER, cursor } } },
  full: { summary: 'Full', value: { type: 'skus.changed', timestamp, data: sku } },
  several: { summary: 'Several', value: { type: 'changes', timestamp, data: { cursor, changes: [ORDER, SKU] } } },
  test: { summary: 'A test', value: is.exampleOf<TSchema>(WebhookTest.schema) },
};

export function webhookMessages(tag: string): DocumentedWebhooks {
  const message = (operationId: string, summary: string, { name }: NamedSchema, examples: Partial<typeof EXAMPLES>) => {
    const content = { 'application/json': { schema: is.ref(name), examples } };
    const requestBody = { required: true, content };
    const operation = { operationId, summary, tags: [tag], security: [], parameters: HEADERS, requestBody };
    return { post: { ...operation, responses: RESPONSES } };
  };
  const { thin, full, several, test } = EXAMPLES;
  return {
    change: message('receiveChange', 'A resource has changed', WebhookMessage, { thin, full }),
    changes: message('receiveChanges', 'Resources have changed', WebhookBatch, { several }),
    test: message('receiveTest', 'A test', WebhookTest, { test }),
  };
}
