import { mutant, type Mutant } from './mutant.js';

/** Defects in the delivery of webhooks. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  mutant('a webhook goes wherever its name leads', 'webhooks', /a private address was reached/, [
    'reachable-address',
    "if (found.length === 0) throw new SendFailed('ADDRESS_NOT_ALLOWED');",
  ]),
  mutant('a refused message counts as delivered', 'webhooks', /was not told of|was told a wrong state/, [
    'accepted-message',
    'if (status !== null && status !== GONE) {',
  ]),
  mutant('only the new secret signs', 'webhooks', /the old secret does not verify/, [
    'old-secret',
    'return [{ secret, until: null }, ...(overlapMs < 0 ? old : [])].slice(0, MOST);',
  ]),
  mutant('a claim keeps no other out', 'webhooks', /messages at a time/, [
    'webhook-claim',
    `const IS_FREE = 'webhooks.held_until IS NOT NULL';`,
  ]),
  mutant(
    'an attempt undoes a replay',
    'test/contracts/webhooks.spec.ts -t WebhookQueue notes nothing of an attempt',
    /notes nothing of an attempt that began before the webhook was replayed/,
    ['webhook-epoch', 'WHERE store_id = $1 AND id = $2 AND holder = $3 AND epoch <= $4 + 1'],
  ),
];
