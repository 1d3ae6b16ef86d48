import { mutant, type Mutant } from './mutant.js';

const WAITS = 'test/e2e/feed.spec.ts';
const OIDC = 'test/e2e/oidc.spec.ts';

const BOUNDS = 'libs/application/src/access/key-bounds.spec.ts';
const KEYS = 'test/e2e/keys.spec.ts';
const HELD = 'test/e2e/held-requests.spec.ts';

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
  mutant(
    'a key moves the numbers of all stores',
    'test/contracts/store-import.spec.ts',
    /FAIL .*StoreImport > of lines with ids > refuses a product\.id that no row can have/,
    ['given-ids', 'return [];'],
  ),
  mutant('one store predicate removed', 'isolation', /GET \/v1\/customers\/:id, customer: 200/, [
    'store-of-customer',
    "WHERE $1::int > 0 AND ${anyOf('item.id', '$2::uuid[]')}`;",
  ]),
  mutant(
    'an order has the prices of a customer of another store',
    'test/contracts/pricing.spec.ts',
    /FAIL .*The price of a unit > is never that of another store's list, customer or contact/,
    ['store-of-priced-customer', 'WHERE $1::int > 0 AND account.id = ${customer}'],
  ),
  mutant(
    'an order names a customer of another store',
    'test/e2e/customer-prices.spec.ts -t is refused for',
    /FAIL .*is refused for a customer of another store/,
    ['known-customer'],
  ),
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
    /FAIL .*the last owner .*stays when two owners remove or demote each other/,
    ['last-owner', '`;'],
  ),
  mutant('a session without the header of our page', 'sign-in', /a session without X-Dashboard: 200/, [
    'dashboard-header',
    "const mode = headers['x-dashboard'] ?? 'live';",
  ]),
  mutant('a session in a bearer header', 'sign-in', /a session in a bearer header: 200/, [
    'session-in-cookie',
    "if (!credential) return { key: null, failure: 'missing', refused: null };",
  ]),
  mutant('pages of other sites sign in', 'sign-in', /a page of another site signs in: 200/, ['own-page']),
  mutant('a sign-in of yesterday is fresh', 'sign-in', /a person is added an hour after the sign-in: 201/, [
    'fresh-sign-in',
  ]),
  mutant('attempts at a code without a limit', 'sign-in', /the right code after 50 wrong ones: 200/, [
    'sign-in-attempts',
  ]),
  mutant('codes without a limit', 'sign-in', /an address got 10 codes within an hour/, ['sign-in-limits']),
  mutant('an entry for every browser', 'sign-in', /an entry of the identity provider signed in another browser/, [
    'sign-in-nonce',
    'AND ($2::bytea IS NULL OR true)`;',
  ]),
  mutant('a link for many sign-ins', 'sign-in', /requests with one (?:link|code) signed in/, ['sign-in-once']),
  mutant('the default maxParamLength', 'inputs', /an id: answered 4\d\d|long-.* answered 4\d\d/, ['long-parameters']),
  mutant('waits of one store without a limit', WAITS, /FAIL .*has its own slots/, [
    'slots-of-store',
    'return places === null;',
  ]),
  mutant(
    'a place for a request whose connection is closed',
    WAITS,
    /FAIL .*keeps no slot when its connection breaks during the look-up of its key/,
    ['slot-of-closed'],
  ),
  mutant('a key gives what it lacks', BOUNDS, /FAIL .*refuse another word/, ['given-scope']),
  mutant('a key gives keys', BOUNDS, /FAIL .*refuse keys, by a key/, ['given-access']),
  mutant('a test key makes a live one', BOUNDS, /FAIL .*refuse the live mode, by a test key/, ['given-mode']),
  mutant('a key gives other networks', BOUNDS, /FAIL .*refuse one network outside/, ['given-networks']),
  mutant('a key gives a later end', BOUNDS, /FAIL .*refuse a later end/, ['given-end']),
  mutant('a key gives trust', BOUNDS, /FAIL .*refuse trust/, ['given-trust']),
  mutant('a machine reaches keys of the other mode', KEYS, /FAIL .*reaches no key of the other mode/, [
    'mode-of-key',
    "if (!key) throw new NotFound('Key');",
  ]),
  mutant('an old sign-in makes keys', KEYS, /FAIL .*need a sign-in within the hour/, ['fresh-sign-in']),
  mutant(
    'a key is made by a scope that is gone',
    'test/contracts/api-keys.spec.ts -t ApiKeyRepository makes no key by a scope',
    /FAIL .*makes no key by a scope that another transaction is taking away/,
    ['maker-stands', 'WHERE true OR ${MAKER_STANDS}'],
  ),
  mutant(
    'a key is revoked for a maker that has ended',
    'test/contracts/api-keys.spec.ts -t ApiKeyRepository makes, rolls and changes nothing',
    /FAIL .*makes, rolls and changes nothing for a key that has ended/,
    ['maker-of-change'],
  ),
  mutant(
    'people are changed for an owner who is one no more',
    'test/contracts/people.spec.ts -t PersonRepository does not',
    /FAIL .*does not insert for a key that has ended/,
    ['asker-of-people'],
  ),
  mutant('a held request keeps its access', HELD, /FAIL .*adds no owner for an owner who is removed/, [
    'credential-after-body',
  ]),
  mutant(
    'codes of one network take all slots',
    'test/e2e/sign-in.spec.ts -t a mailed code is asked for by one network',
    /FAIL .*is asked for by one network without the connections and slots of others/,
    ['sign-in-slots', 'private readonly slots = new Semaphore(() => Infinity, SLOT_WAIT_MS);'],
  ),
  mutant('an e-mail of the provider with blanks', OIDC, /FAIL .*sends an e-mail with a blank/, ['plain-email']),
  mutant('answers 503 on closing', 'rolling', /a request on a slow line was answered 503/, [
    'requests-on-closing',
    'return503OnClosing: true,',
  ]),
  mutant('an e-mail that the provider has not verified', OIDC, /FAIL .*sends an e-mail that is not verified/, [
    'verified-email',
    "if (typeof email !== 'string') throw new ProviderFailure('refused', 'email_not_verified');",
  ]),
  mutant('any e-mail of a trusted provider', OIDC, /FAIL .*takes the e-mail of a provider that says nothing of it/, [
    'trusted-email',
    'const isVerified = verified === true || trustsEmail;',
  ]),
  mutant('a sign-in that another site begins', OIDC, /FAIL .*begins nothing for a page that is cross-site/, [
    'oidc-start',
  ]),
  mutant('the state of any browser', OIDC, /FAIL .*with the state of another browser/, [
    'sign-in-state',
    `const [, expectedNonce = '', pkceCodeVerifier = ''] = saved.split('.');
const expectedState = url.searchParams.get('state');`,
  ]),
  mutant('an ID token that nothing signs', OIDC, /FAIL .*sends an unsigned ID token/, ['id-token-signature']),
  mutant('codes are mailed although they are closed', OIDC, /FAIL .*mails no code/, ['closed-codes']),
  mutant('any account of an e-mail signs in', OIDC, /FAIL .*no other account of that e-mail/, ['person-of-account']),
  mutant('the accounts of every company', OIDC, /FAIL .*the accounts of every company/, [
    'oidc-issuer',
    'if (server.href === undefined) {',
  ]),
];
