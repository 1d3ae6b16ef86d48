import { mutant, type Mutant } from './mutant.js';

const API_KEYS = 'libs/infrastructure/src/access/postgres-api-key.repository.ts';

/** Defects in what a client, or a reader of logs and tables, may see. */
export const ACCESS_MUTANTS: readonly Mutant[] = [
  mutant('settings shown unfiltered', 'secrets', /zqsett\d+.* in the answer \(200\) to GET \/v1\/store/, [
    'libs/domain/src/store/public-settings.ts',
    'return isRecord(settings) ? publicRecord(settings, 1) : {};',
    'return isRecord(settings) ? settings : {};',
  ]),
  mutant('credentials not encrypted', 'secrets', /in table public\.gateway_credentials/, [
    'libs/bundles/src/bundle/write/write-stores.ts',
    'cipher.encrypt(JSON.stringify(credentials), GATEWAY_CREDENTIALS.context(storeId, methodId))',
    'Buffer.from(JSON.stringify(credentials))',
  ]),
  mutant('errors logged with their full text', 'secrets', /zqpers\d+ in the output of the API/, [
    'libs/infrastructure/src/platform/error-fields.ts',
    '...(mayQuote(error) ? {} : { message: error.message.slice(0, MAX_MESSAGE) }),',
    'message: error.message,',
  ]),
  mutant('errors answered with their full text', 'secrets', /zqpers\d+.* in the answer \(500\)/, [
    'apps/api/src/errors/describe-error.ts',
    `answer(500, 'internal_error', 'Internal server error')`,
    `answer(500, 'internal_error', String(error))`,
  ]),
  mutant('a stage stores the message of an error', 'secrets', /zqpers\d+ in table public\.order_stages/, [
    'libs/infrastructure/src/orders/postgres-pipeline-stages.ts',
    'retryInMs, failureName(error)]',
    'retryInMs, failureName(error) && error.message]',
  ]),
  mutant(
    'a 5 s key cache',
    'revoke',
    /succeeded: key \d+, .* ms after the commit/,
    [
      API_KEYS,
      '@Injectable()',
      `const CACHE = new Map<string, { readonly at: number; readonly found: Promise<ApiKeyLookup | null> }>();

@Injectable()`,
    ],
    [
      API_KEYS,
      `    return this.lookups.find(hash.toString('hex'));`,
      `    const text = hash.toString('hex');
    const cached = CACHE.get(text);
    if (cached && Date.now() - cached.at < 5_000) return cached.found;
    const found = this.lookups.find(text);
    CACHE.set(text, { at: Date.now(), found });
    return found;`,
    ],
  ),
  mutant(
    'the key of a held request looked up once',
    'revoke',
    /a waiting request read what changed after the end of its key/,
    [
      'apps/api/src/changes/changes.controller.ts',
      'return failure && new AuthenticationError(failure);',
      'return failure && null;',
    ],
  ),
  mutant('the scope of a key ignored', 'isolation', /POST \/v1\/orders with a read key: 201/, [
    'apps/api/src/auth/api-key.guard.ts',
    'if (needs && !permits(key.scope, needs)) throw new AuthenticationError({ lacks: needs });',
    '',
  ]),
  mutant('one store predicate removed', 'isolation', /GET \/v1\/customers\/:id, customer: 200/, [
    'libs/infrastructure/src/customers/postgres-customer.repository.ts',
    `FROM customers WHERE store_id = $1 AND \${anyOf`,
    `FROM customers WHERE $1::int > 0 AND \${anyOf`,
  ]),
  mutant('a second roll makes a second successor', 'revoke', /a rolled key got a second successor/, [
    API_KEYS,
    '      AND (successor_id IS NULL OR EXISTS (',
    '      AND (true OR EXISTS (',
  ]),
];
