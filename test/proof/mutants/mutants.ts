/** A text that occurs exactly once in the file, and its replacement. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A defect that a proof must notice. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The name of a proof, or the path of a spec where the defect shows only on a database that no proof starts. */
  readonly proof: string;
  /** Arguments of `run.ts`, or of Jest, for the smallest form that notices the defect every time. */
  readonly args: readonly string[];
  /** Matches the violation that this defect causes, and no violation of another cause. */
  readonly noticedAs: RegExp;
}

const STOCK = 'libs/infrastructure/src/stock/withdraw-stock.ts';
const PLACEMENT = 'libs/infrastructure/src/orders/postgres-order-placement.ts';
const API_KEYS = 'libs/infrastructure/src/access/postgres-api-key.repository.ts';
const CREATE_SERVER = 'apps/api/src/http/server/create-server.ts';
const SYNCHRONOUS = 'test/e2e/synchronous-replication.spec.ts';
const SERVE_ONE_AT_A_TIME = '  serve = serveOneAtATime(serve, metrics);\n';
const CREATE_ORDER = 'libs/application/src/orders/create-order.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    // The CHECK does not notice it: no quantity becomes negative although far more is sold than the opening stock.
    name: 'stock is read without a lock, then written',
    edits: [
      {
        file: STOCK,
        find: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
        replace: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  ), offered`,
      },
    ],
    proof: 'oversell',
    args: ['--quick', '--seed', '1'],
    noticedAs: /opening \d+ is not \d+ in bins|holds \d+, its ledger/,
  },
  {
    name: 'demand not summed',
    edits: [
      {
        file: 'libs/domain/src/stock/stock-demand.ts',
        find: 'const demand = demands.find((candidate) => sameStock(candidate, line));',
        replace:
          'const demand = demands.find((candidate) => sameStock(candidate, line) && candidate.lines.includes(index));',
      },
    ],
    proof: 'oversell',
    args: ['--quick', '--seed', '1'],
    noticedAs: /^ *split round \d+: .*expected 16 × 201/,
  },
  {
    name: 'no order before locking',
    edits: [
      {
        file: STOCK,
        find: `    ORDER BY stock.product_id, stock.variant_key, stock.bin_id
    FOR NO KEY UPDATE OF stock
  ), offered`,
        replace: `    FOR NO KEY UPDATE OF stock
  ), offered`,
      },
    ],
    proof: 'deadlock',
    args: ['--quick', '--seed', '1'],
    noticedAs: /PostgreSQL counted \d+ deadlocks/,
  },
  {
    name: 'job added after commit',
    edits: [
      {
        file: PLACEMENT,
        find: `    stageInsertion(order, assessment),\n`,
        replace: '',
      },
      {
        file: PLACEMENT,
        find: `      return await this.transactions.run((sql) => write(sql, placement), deadline);`,
        replace: `      const placed = await this.transactions.run((sql) => write(sql, placement), deadline);
      const { text, values } = stageInsertion(placement.order, placement.assessment);
      if (placed.outcome === 'placed') await this.transactions.run((sql) => sql.query(text, values));
      return placed;`,
      },
    ],
    proof: 'crash',
    args: ['--quick', '--seed', '1'],
    noticedAs: /order \S+ has 0 of 4 stages/,
  },
  {
    name: 'a refusal does not wait for the first request with its key',
    edits: [
      {
        file: CREATE_ORDER,
        find: `const replay = idempotency && (await this.placement.awaitReplay(idempotency, deadline));`,
        replace: `const replay = idempotency && (await this.placement.findReplay(idempotency));`,
      },
    ],
    proof: 'idempotency',
    args: ['--quick', '--seed', '1'],
    noticedAs: /late-refusal-\d+: the order was placed, and its repeat \(\w+\) answered 4(00|22)/,
  },
  {
    name: 'an external reference is checked before the insertion, without a unique index',
    edits: [
      {
        file: 'libs/infrastructure/src/postgres/migrations/0001-schema.sql',
        find: 'CREATE UNIQUE INDEX orders_by_external_reference',
        replace: 'CREATE INDEX orders_by_external_reference',
      },
      {
        file: PLACEMENT,
        find: `    return this.attempt(placement, deadline, null);`,
        replace: `    return this.findByReference(placement.order).then((found) => {
      if (found !== null && found !== placement.order.id) throw new ExternalReferenceTaken(found);
      return this.attempt(placement, deadline, null);
    });`,
      },
    ],
    proof: 'idempotency',
    args: ['--quick', '--seed', '1'],
    noticedAs: /reference \S+ has \d+ orders/,
  },
  {
    name: 'a cancelled wait for the standby is ignored',
    edits: [
      {
        file: 'libs/infrastructure/src/postgres/standby-wait.ts',
        find: `void (isCancelled ||= code === WARNING)`,
        replace: `void (isCancelled ||= code === 'none')`,
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'acknowledges no order, and no replay of it'],
    noticedAs: /✕ acknowledges no order, and no replay of it, .* pg_cancel_backend/,
  },
  {
    name: 'a replay does not wait for the standby',
    edits: [
      {
        file: 'libs/infrastructure/src/orders/idempotency-keys.ts',
        find: `  if (row.waits_for_standbys) await reader.waitForStandbys();\n`,
        replace: '',
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'acknowledges no order, and no replay of it'],
    noticedAs: /✕ acknowledges no order, and no replay of it, .* pg_cancel_backend/,
  },
  {
    name: 'a refusal that names an order does not wait for the standby',
    edits: [
      {
        file: PLACEMENT,
        find: `    // A client that reads the id takes the order as placed, as with a replay.
    if (row?.waits) await this.database.waitForStandbys();\n`,
        replace: '',
      },
    ],
    proof: SYNCHRONOUS,
    args: ['-t', 'names no unacknowledged order'],
    noticedAs: /✕ names no unacknowledged order/,
  },
  {
    name: 'stage marked done before its handler',
    edits: [
      {
        file: 'libs/application/src/orders/run-pipeline-stage.ts',
        find: `      await this.notifier.notify(stage, order, store);\n`,
        replace: `      await this.stages.succeed(storeId, orderId, stage);
      await this.notifier.notify(stage, order, store);\n`,
      },
    ],
    proof: 'pipeline',
    args: ['--quick', '--seed', '1'],
    noticedAs: /mail \S+ is marked done and never arrived/,
  },
  {
    name: 'the default maxParamLength',
    edits: [
      {
        file: 'apps/api/src/http/server-options.ts',
        find: `    routerOptions: { maxParamLength: 64 * KB },\n`,
        replace: '',
      },
    ],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /an id: answered 4\d\d|long-.* answered 4\d\d/,
  },
  {
    name: 'requests of a connection served concurrently',
    edits: [{ file: CREATE_SERVER, find: SERVE_ONE_AT_A_TIME, replace: '' }],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /heapBytes grew from/,
  },
  {
    name: 'files streamed to concurrent requests of a connection',
    edits: [
      { file: CREATE_SERVER, find: SERVE_ONE_AT_A_TIME, replace: '' },
      {
        file: 'apps/api/src/http/serve-from-memory.ts',
        find: ': reply.type(type).send(content);',
        replace: `: reply.type(type).send(
          content.length < 1_000_000 ? content : createReadStream('node_modules/swagger-ui-dist/swagger-ui-bundle.js'),
        );`,
      },
      {
        file: 'apps/api/src/http/serve-from-memory.ts',
        find: `import { createHash } from 'node:crypto';`,
        replace: `import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';`,
      },
    ],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /files grew from/,
  },
  {
    name: 'chunks without a limit',
    edits: [{ file: CREATE_SERVER, find: '  serve = limitChunks(serve, metrics);\n', replace: '' }],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /chunks \S+: not disconnected/,
  },
  {
    name: 'large bodies parsed without a limit',
    edits: [
      {
        file: 'apps/api/src/http/plugins/10-json-bodies.ts',
        find: 'const excess = excessOf(body, LIMITS);',
        replace: 'const excess = excessOf(body, { ...LIMITS, values: Infinity });',
      },
      {
        file: 'apps/api/src/http/plugins/10-json-bodies.ts',
        find: 'if (body.length <= LARGE_BODY) return read(request, body);',
        replace: 'if (body.length <= 8 * LARGE_BODY) return read(request, body);',
      },
    ],
    proof: 'inputs',
    args: ['--quick', '--seed', '1'],
    noticedAs: /p99 of others is \d+ ms beside 64 clients/,
  },
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
        file: 'libs/import/src/bundle/write-stores.ts',
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
    name: 'the queue stores the error of a job',
    edits: [
      {
        file: 'libs/infrastructure/src/queue/pipeline-worker.ts',
        find: 'throw new Error(failureName(error));',
        replace: 'throw error;',
      },
    ],
    proof: 'secrets',
    args: ['--quick', '--seed', '1'],
    noticedAs: /zqpers\d+ in (?:table graphile_worker|the output of the worker)/,
  },
  {
    name: 'answers 503 on closing',
    edits: [
      {
        file: 'apps/api/src/http/server-options.ts',
        find: 'return503OnClosing: false,',
        replace: 'return503OnClosing: true,',
      },
    ],
    proof: 'rolling',
    args: ['--quick', '--seed', '1'],
    noticedAs: /a request on a slow line was answered 503/,
  },
  {
    name: 'a 5 s key cache',
    edits: [
      {
        file: API_KEYS,
        find: `const CONCURRENT_LOOK_UPS = 2;`,
        replace: `const CONCURRENT_LOOK_UPS = 2;
const CACHE = new Map<string, { readonly at: number; readonly found: Promise<ApiKeyLookup | null> }>();`,
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
    name: 'the scope of a key ignored',
    edits: [
      {
        file: 'apps/api/src/http/plugins/06-authentication.ts',
        find: `      if (key.scope !== 'full' && mayWrite(request)) throw new AuthenticationError('insufficient_scope');\n`,
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
        find: `FROM customers WHERE store_id = $1 AND id = $2`,
        replace: `FROM customers WHERE $1::int > 0 AND id = $2`,
      },
    ],
    proof: 'isolation',
    args: ['--quick', '--seed', '1'],
    noticedAs: /GET \/v1\/customers\/:id, customer: 200/,
  },
];
