import { mutant, type Mutant } from './mutant.js';

const WAITS = 'test/e2e/feed.spec.ts';

export const ACCESS_MUTANTS: readonly Mutant[] = [
  mutant('settings shown unfiltered', 'secrets', /zqsett\d+.* in the answer \(200\) to GET \/v1\/store/, [
    'public-settings',
    'return isRecord(settings) ? settings : {};',
  ]),
  mutant('credentials not encrypted', 'secrets', /in table public\.gateway_credentials/, [
    'encrypted-credentials',
    'const encrypted = Buffer.from(JSON.stringify(credentials));',
  ]),
  mutant('errors logged with their full text', 'secrets', /zqpers\d+ in the output of the API/, [
    'logged-errors',
    'message: error.message,',
  ]),
  mutant('errors answered with their full text', 'secrets', /zqpers\d+.* in the answer \(500\)/, [
    'answered-errors',
    `return refusal ?? { ...answer(500, 'internal_error', String(error)), concern: 'defect' };`,
  ]),
  mutant('a stage stores the message of an error', 'secrets', /zqpers\d+ in table public\.order_stages/, [
    'stage-error',
    'await this.database.queryPrepared(FAILED, [...keyOf(claim), false, retryInMs, failureName(error) && error.message]);',
  ]),
  mutant('a 5 s key cache', 'revoke', /succeeded: .* ms after the end of the key/, [
    'key-lookup',
    `const text = hash.toString('hex');
const cache = (globalThis.keys ??= new Map());
const cached = cache.get(text);
if (cached && Date.now() - cached.at < 5_000) return cached.found;
const found = this.lookups.find(text);
cache.set(text, { at: Date.now(), found });
return found;`,
  ]),
  mutant(
    'the key of a held request looked up once',
    'revoke',
    /a waiting request read what changed after the end of its key/,
    ['key-of-wait', 'return failure && null;'],
  ),
  mutant('the scope of a key ignored', 'isolation', /POST \/v1\/orders with a read key: 201/, ['key-scope']),
  mutant('a key imports what its scope lacks', 'isolation', /POST \/v1\/import with a read,customers key: 200/, [
    'import-scope',
  ]),
  mutant('one store predicate removed', 'isolation', /GET \/v1\/customers\/:id, customer: 200/, [
    'store-of-customer',
    "SELECT id, created_at, ${COLUMNS} FROM customers WHERE $1::int > 0 AND ${anyOf('id', '$2::uuid[]')}`;",
  ]),
  mutant('a second roll makes a second successor', 'revoke', /a rolled key got a second successor/, [
    'one-successor',
    'AND (true OR EXISTS (',
  ]),
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
  mutant(
    'two owners remove each other',
    'test/e2e/people.spec.ts -t the last owner stays',
    /● .*the last owner .*stays when two owners remove or demote each other/,
    ['last-owner', '`;'],
  ),
  mutant('the default maxParamLength', 'inputs', /an id: answered 4\d\d|long-.* answered 4\d\d/, ['long-parameters']),
  mutant('waits of one store without a limit', WAITS, /● .*has places of its own/, [
    'waits-of-store',
    'if (!limits.waits.tryEnter()) {',
  ]),
  mutant(
    'a place for a request whose connection is closed',
    WAITS,
    /● .*keeps no place when its connection breaks during the look-up of its key/,
    ['place-of-closed'],
  ),
  mutant('answers 503 on closing', 'rolling', /a request on a slow line was answered 503/, [
    'requests-on-closing',
    'return503OnClosing: true,',
  ]),
];
