import type { Mutant } from './mutant.js';

const API_KEYS = 'libs/infrastructure/src/access/postgres-api-key.repository.ts';

/** Defects in what a client, or a reader of logs and tables, may see. */
export const ACCESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'settings shown unfiltered',
    edits: [
      {
        file: 'libs/domain/src/store/public-settings.ts',
        find: 'return isRecord(settings) ? publicRecord(settings, 1) : {};',
        replace: 'return isRecord(settings) ? settings : {};',
      },
    ],
    proof: 'secrets',
    args: ['--quick', '--seed', '1'],
    noticedAs: /zqsett\d+.* in the answer \(200\) to GET \/v1\/store/,
  },
  {
    name: 'credentials not encrypted',
    edits: [
      {
        file: 'libs/bundles/src/bundle/write/write-stores.ts',
        find: 'cipher.encrypt(JSON.stringify(credentials), GATEWAY_CREDENTIALS.context(storeId, methodId))',
        replace: 'Buffer.from(JSON.stringify(credentials))',
      },
    ],
    proof: 'secrets',
    args: ['--quick', '--seed', '1'],
    noticedAs: /in table public\.gateway_credentials/,
  },
  {
    name: 'errors logged with their full text',
    edits: [
      {
        file: 'libs/infrastructure/src/platform/error-fields.ts',
        find: '...(mayQuote(error) ? {} : { message: error.message.slice(0, MAX_MESSAGE) }),',
        replace: 'message: error.message,',
      },
    ],
    proof: 'secrets',
    args: ['--quick', '--seed', '1'],
    noticedAs: /zqpers\d+ in the output of the API/,
  },
  {
    name: 'errors answered with their full text',
    edits: [
      {
        file: 'apps/api/src/errors/describe-error.ts',
        find: `answer(500, 'internal_error', 'Internal server error')`,
        replace: `answer(500, 'internal_error', String(error))`,
      },
    ],
    proof: 'secrets',
    args: ['--quick', '--seed', '1'],
    noticedAs: /zqpers\d+.* in the answer \(500\)/,
  },
  {
    name: 'a stage stores the message of an error',
    edits: [
      {
        file: 'libs/infrastructure/src/orders/postgres-pipeline-stages.ts',
        find: 'retryInMs, failureName(error)]',
        replace: 'retryInMs, failureName(error) && error.message]',
      },
    ],
    proof: 'secrets',
    args: ['--quick', '--seed', '1'],
    noticedAs: /zqpers\d+ in table public\.order_stages/,
  },
  {
    name: 'a 5 s key cache',
    edits: [
      {
        file: API_KEYS,
        find: `@Injectable()`,
        replace: `const CACHE = new Map<string, { readonly at: number; readonly found: Promise<ApiKeyLookup | null> }>();

@Injectable()`,
      },
      {
        file: API_KEYS,
        find: `    return this.lookups.find(hash.toString('hex'));`,
        replace: `    const text = hash.toString('hex');
    const cached = CACHE.get(text);
    if (cached && Date.now() - cached.at < 5_000) return cached.found;
    const found = this.lookups.find(text);
    CACHE.set(text, { at: Date.now(), found });
    return found;`,
      },
    ],
    proof: 'revoke',
    args: ['--quick', '--seed', '1'],
    noticedAs: /succeeded: key \d+, .* ms after the commit/,
  },
  {
    name: 'the key of a held request looked up once',
    edits: [
      {
        file: 'apps/api/src/changes/changes.controller.ts',
        find: `return failure && new AuthenticationError(failure);`,
        replace: `return failure && null;`,
      },
    ],
    proof: 'revoke',
    args: ['--quick', '--seed', '1'],
    noticedAs: /a waiting request read what changed after the end of its key/,
  },
  {
    name: 'the scope of a key ignored',
    edits: [
      {
        file: 'apps/api/src/auth/api-key.guard.ts',
        find: `    if (key.scope !== 'full' && mayWrite(request)) throw new AuthenticationError('insufficient_scope');\n`,
        replace: '',
      },
    ],
    proof: 'isolation',
    args: ['--quick', '--seed', '1'],
    noticedAs: /POST \/v1\/orders with a read key: 201/,
  },
  {
    name: 'one store predicate removed',
    edits: [
      {
        file: 'libs/infrastructure/src/customers/postgres-customer.repository.ts',
        find: `FROM customers WHERE store_id = $1 AND \${anyOf`,
        replace: `FROM customers WHERE $1::int > 0 AND \${anyOf`,
      },
    ],
    proof: 'isolation',
    args: ['--quick', '--seed', '1'],
    noticedAs: /GET \/v1\/customers\/:id, customer: 200/,
  },
  {
    name: 'a second roll makes a second successor',
    edits: [
      {
        file: 'libs/infrastructure/src/access/postgres-api-key.repository.ts',
        find: `      AND (successor_id IS NULL OR EXISTS (`,
        replace: `      AND (true OR EXISTS (`,
      },
    ],
    proof: 'revoke',
    args: ['--quick', '--seed', '1'],
    noticedAs: /a rolled key got a second successor/,
  },
];
