import { mutant, type Mutant } from './mutant.js';

/** Defects in what a client, or a reader of logs and tables, may see. */
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
  mutant('a 5 s key cache', 'revoke', /succeeded: key \d+, .* ms after the commit/, [
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
  mutant('one store predicate removed', 'isolation', /GET \/v1\/customers\/:id, customer: 200/, [
    'store-of-customer',
    "SELECT id, created_at, ${COLUMNS} FROM customers WHERE $1::int > 0 AND ${anyOf('id', '$2::uuid[]')}`;",
  ]),
  mutant('a second roll makes a second successor', 'revoke', /a rolled key got a second successor/, [
    'one-successor',
    'AND (true OR EXISTS (',
  ]),
];
