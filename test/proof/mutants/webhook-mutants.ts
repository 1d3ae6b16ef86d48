import { mutant, type Mutant } from './mutant.js';

const SENDER = 'libs/infrastructure/src/webhooks/https-webhook-sender.ts';
const QUEUE = 'libs/infrastructure/src/webhooks/postgres-webhook-queue.ts';
const DELIVER = 'libs/application/src/webhooks/deliver-webhooks.ts';

/** Defects in the delivery of webhooks. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  mutant('a webhook goes wherever its name leads', 'webhooks', /a private address was reached/, [
    SENDER,
    "if (!found.every(({ address }) => this.reachable.has(address, port))) throw new SendFailed('ADDRESS_NOT_ALLOWED');",
    "if (found.length === 0) throw new SendFailed('ADDRESS_NOT_ALLOWED');",
  ]),
  mutant('a refused message counts as delivered', 'webhooks', /was not told of|was told a wrong state/, [
    DELIVER,
    'if (status !== null && status >= 200 && status < 300) {',
    'if (status !== null && status !== GONE) {',
  ]),
  mutant('only the new secret signs', 'webhooks', /the old secret does not verify/, [
    'libs/infrastructure/src/webhooks/webhook-secrets.ts',
    '...(overlapMs > 0 ? old : [])',
    '...(overlapMs < 0 ? old : [])',
  ]),
  mutant('a claim keeps no other out', 'webhooks', /messages at a time/, [
    QUEUE,
    'const IS_FREE = `webhooks.held_until <= ${NOW}`;',
    "const IS_FREE = 'webhooks.held_until IS NOT NULL';",
  ]),
  mutant(
    'an attempt undoes a replay',
    'test/contracts/webhooks.spec.ts -t WebhookQueue notes nothing of an attempt',
    /notes nothing of an attempt that began before the webhook was replayed/,
    [
      QUEUE,
      'WHERE store_id = $1 AND id = $2 AND holder = $3 AND epoch = $4',
      'WHERE store_id = $1 AND id = $2 AND holder = $3 AND epoch <= $4 + 1',
    ],
  ),
];
