import { setTimeout as delay } from 'node:timers/promises';
import {
  CLIENT_TIMEOUT_MS,
  CommitOutcomeUnknown,
  Deadline,
  DeadlineExceeded,
  IdempotencyInFlight,
  OrderPlacement,
  QUERY_TIMEOUT_MS,
  ReceiptNumberTaken,
  Unavailable,
  type IdempotentRequest,
} from '@app/application';
import { Database } from '@app/infrastructure';
import { ReferenceInUse } from '../../libs/infrastructure/src/orders/insert-order.js';
import { anOrderBody } from '../builders/order-body.js';
import { anOrder, aScope, placeOrder } from '../builders/placed-order.js';
import { Service } from '../proof/support/service.js';
import { counterValue } from '../support/counter-value.js';
import { crowdedDatabase } from '../support/crowded-database.js';
import { eventually } from '../support/eventually.js';
import { openTransaction } from '../support/open-transaction.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const START_MS = 60_000;
/** Allows for the time limit of a statement, on a busy machine. */
const HEALED_MS = 40_000;
const ENDED_MS = 30_000;
const RECOVERY_LIMIT_MS = 5_000;
/** Long enough to try every open connection, one after the other. */
const WATCHED_MS = 7_000;
const PAUSE_MS = 100;

let api: RunningApi;
let workers: FrozenWorkers;
beforeAll(async () => {
  api = await startApi();
  workers = await freezeWorkers();
}, START_MS);
afterAll(async () => {
  await workers.stop();
  await api.stop();
}, START_MS);

const startAt = (url: string, env: Record<string, string> = {}) =>
  startApi(env, undefined, { ...api.database, url, drop: () => Promise.resolve() });

interface FrozenWorkers {
  readonly smtp: SmtpSink;
  readonly healing: Service;
  readonly ending: Promise<{ readonly code: unknown; readonly ms: number }>;
  stop(): Promise<void>;
}

/**
 * Starts two workers whose connections to the database are frozen. Their time limits pass while other tests of this
 * file run.
 */
async function freezeWorkers(): Promise<FrozenWorkers> {
  const smtp = await SmtpSink.start();
  const start = async (proxy: TcpProxy) =>
    Service.start({ role: 'worker', env: { DATABASE_URL: proxy.url, SMTP_URL: smtp.url } });
  const proxies = [await startTcpProxy(api.database.url), await startTcpProxy(api.database.url)] as const;
  const [healing, ended] = await Promise.all([start(proxies[0]), start(proxies[1])]);
  await eventually(await placeForMail(smtp));
  for (const proxy of proxies) proxy.freezeOpenConnections();
  const from = Date.now();
  return {
    smtp,
    healing,
    ending: ended.terminate().then((code) => ({ code, ms: Date.now() - from })),
    stop: async () => {
      await Promise.all([healing.kill(), ended.kill()]);
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await smtp.close();
    },
  };
}

let customers = 0;
async function placeForMail(smtp: SmtpSink): Promise<() => void> {
  const email = `customer-${++customers}@example.com`;
  const body = anOrderBody(await api.store.product({ stock: 1 }), 1, { customer: { name: 'Ada', email } });
  expect((await api.post('/v1/orders', body)).statusCode).toBe(201);
  return () => expect(smtp.mails.flatMap(({ to }) => to)).toContain(email);
}

describe.each([
  ['without a key', false, false],
  ['with an Idempotency-Key', true, false],
  ['with an external reference', false, true],
  ['with both', true, true],
])('placing an order when the database does not answer COMMIT, %s', (_name, hasKey, hasReference) => {
  let database: Database;
  beforeAll(() => (database = api.app.get(Database, { strict: false })));
  afterEach(() => vi.restoreAllMocks());

  const lost = () => Promise.reject(new CommitOutcomeUnknown(new Error('connection lost')));

  type Attempt = (commit: () => Promise<unknown>) => Promise<unknown>;
  /** Simulates an attempt that fails although an earlier one has placed the order. */
  function placedBefore(failure: Error): Attempt {
    return (commit) => commit().then(() => Promise.reject(failure));
  }

  async function place(attempts: readonly Attempt[], { timeoutMs = 5_000, quantity = 1 } = {}) {
    const productId = await api.store.product({ stock: 5 });
    const externalReference = hasReference ? `PO-${productId}` : '';
    const order = anOrder(api.store.id, { items: [{ productId, quantity }], externalReference });
    const idempotency: IdempotentRequest | null = hasKey
      ? { scope: aScope(api.store.id), requestHash: Buffer.alloc(32) }
      : null;
    const run: Database['transaction'] = database.transaction.bind(database);
    let made = 0;
    vi.spyOn(database, 'transaction').mockImplementation((storeId, work, deadline) => {
      const commit = () => run(storeId, work, deadline);
      const attempt = attempts[made++] ?? commit;
      return attempt(commit);
    });
    const placed = placeOrder(api.app.get(OrderPlacement), order, { idempotency }, Deadline.in(timeoutMs));
    const outcome = await placed.catch((error: Error) => error);
    const rows = await api.database.query('SELECT FROM orders WHERE id = $1', [order.id]);
    return { outcome, orders: rows.length, onHand: await api.store.onHand(productId), attempts: made };
  }

  it.each<[string, number, readonly Attempt[]]>([
    ['in one attempt when the commit took effect', 1, [(commit) => commit().then(lost)]],
    ['in two when the commit did not take effect', 2, [lost]],
    ['in two when the commit takes effect after the look-up', 2, [lost, (commit) => commit().then(commit)]],
    // A restored database may check the index of the references before the primary key.
    ['when the second attempt finds its own reference', 2, [lost, placedBefore(new ReferenceInUse())]],
    ['when it took effect and then the database is unreachable', 2, [lost, placedBefore(new Unavailable())]],
    ['when it took effect and then its receipt number is in use', 2, [lost, placedBefore(new ReceiptNumberTaken())]],
  ])('reports the order as placed once %s', async (_when, attempts, made) => {
    expect(await place(made)).toMatchObject({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts });
  });

  it.each<[string, Attempt]>([
    ['whose commit took effect', (commit) => commit().then(lost)],
    ['that a second attempt placed', lost],
  ])('counts an order %s as recovered', async (_which, attempt) => {
    const recovered = () => counterValue(api.app, 'orders_recovered_total');
    const before = await recovered();

    await place([attempt]);

    expect(await recovered()).toBe(before + 1);
  });

  it('throws CommitOutcomeUnknown when the commit did not take effect and the deadline has passed', async () => {
    const { outcome, orders } = await place([lost], { timeoutMs: 0 });

    expect(outcome).toBeInstanceOf(CommitOutcomeUnknown);
    expect(orders).toBe(0);
  });

  it('throws CommitOutcomeUnknown after one attempt when the look-up fails', async () => {
    vi.spyOn(api.app.get(Database), 'queryPrepared').mockRejectedValueOnce(new Unavailable());

    const { outcome, orders, attempts } = await place([(commit) => commit().then(lost)]);

    expect(outcome).toMatchObject({ name: 'CommitOutcomeUnknown', code: 'outcome_unknown' });
    expect([orders, attempts]).toEqual([1, 1]);
  });

  it.each([
    ['the database is unreachable', new Unavailable()],
    ['the deadline passes', new DeadlineExceeded()],
    ['another transaction still holds the key', new IdempotencyInFlight()],
  ])('throws CommitOutcomeUnknown when the look-up finds no order and then %s', async (_why, failure) => {
    let takeEffect: () => Promise<unknown> = lost;
    const hold: Attempt = (commit) => {
      takeEffect = commit;
      return lost();
    };

    const before = (await api.database.query('SELECT FROM orders')).length;

    const { outcome, orders, attempts } = await place([hold, () => Promise.reject(failure)]);

    expect(outcome).toBeInstanceOf(CommitOutcomeUnknown);
    expect([orders, attempts]).toEqual([0, 2]);
    await takeEffect();
    expect(await api.database.query('SELECT FROM orders')).toHaveLength(before + 1);
  });

  it('throws ReceiptNumberTaken when the second attempt finds the receipt number of another order', async () => {
    const { outcome, attempts } = await place([lost, () => Promise.reject(new ReceiptNumberTaken())]);

    expect(outcome).toBeInstanceOf(ReceiptNumberTaken);
    expect(attempts).toBe(2);
  });

  it('reports short stock in the second attempt, which proves that the first commit did not take effect', async () => {
    const { outcome, orders } = await place([lost], { quantity: 6 });

    expect(outcome).toMatchObject({ outcome: 'short' });
    expect(orders).toBe(0);
  });
});

describe('POST /v1/orders when the database does not answer a COMMIT', () => {
  let proxy: TcpProxy;
  let silenced: RunningApi;
  let isSilent = false;
  let committedAt: number;
  beforeAll(async () => {
    proxy = await startTcpProxy(api.database.url, {
      onClientData: (chunk) => {
        if (!isSilent || !/COMMIT(?!TED)/.test(String(chunk))) return 'pass';
        committedAt = performance.now();
        return 'drop';
      },
    });
    silenced = await startAt(proxy.url);
  });
  afterAll(async () => {
    await silenced.stop();
    await proxy.close();
  });

  it('returns 503 before the deadline, and places the order with the same key after the database answers again', async () => {
    const mug = await silenced.store.product({ stock: 5 });
    const order = async () =>
      (await silenced.post('/v1/orders', anOrderBody(mug), { 'idempotency-key': 'once' })).statusCode;
    isSilent = true;

    expect(await order()).toBe(503);
    // The order's deadline ends the wait for the COMMIT, not the time limit of another statement.
    expect(performance.now() - committedAt).toBeLessThan(QUERY_TIMEOUT_MS);
    isSilent = false;

    expect(await order()).toBe(201);
    expect(await silenced.store.onHand(mug)).toBe(4);
  });
});

describe('a statement of a transaction that takes too long', () => {
  it('has ended on the server when the transaction fails', async () => {
    const late = api.app
      .get(Database, { strict: false })
      .transaction(api.store.id, (sql) => sql.query('/* test.sleep */ SELECT pg_sleep(60)', []), Deadline.in(200));

    await expect(late).rejects.toThrow(DeadlineExceeded);

    const running = await api.database.query(
      `SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '/* test.sleep%'`,
    );
    expect(running).toEqual([]);
  });
});

describe('a request that waits for the look-up of its key and then for a lock', () => {
  it.each([
    ['GET', '/v1/products'],
    ['POST', '/v1/orders'],
  ] as const)('%s %s returns 503 at the end of one time limit for both waits', async (method, url) => {
    const payload = method === 'POST' ? anOrderBody(await api.store.product({ stock: 1 })) : undefined;
    const products = await openTransaction(api.database, 'LOCK TABLE products');
    const keys = await openTransaction(api.database, 'LOCK TABLE api_keys');
    try {
      // This is shorter than the time limit of the look-up.
      const released = keys.query('SELECT pg_sleep(1.8); COMMIT');
      const start = performance.now();

      const { statusCode, headers } = await (payload ? api.post(url, payload) : api.get(url));

      const elapsed = performance.now() - start;
      await released;
      expect([statusCode, headers['x-error-code']]).toEqual([503, 'deadline_exceeded']);
      expect(elapsed).toBeLessThan(CLIENT_TIMEOUT_MS + 400);
    } finally {
      await Promise.all([keys.end(), products.end()]);
    }
  });
});

describe('a PostgreSQL whose other connections are taken', () => {
  it('answers all requests on the connections that the process has', async () => {
    // The health check takes one, and the pool, which may have ten, gets two.
    const url = await crowdedDatabase(api.database, 3);
    const crowded = await startAt(url, { DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' });
    try {
      const mug = await crowded.store.product({ stock: 1_000 });
      const kinds = [
        () => crowded.post('/v1/orders', anOrderBody(mug)),
        () => crowded.get('/v1/brands'),
        () => crowded.get('/v1/orders?search=ada'),
      ];
      const crowd = Array.from({ length: 3 }, () => kinds.map((send) => send())).flat();
      const statuses = (await Promise.all(crowd)).map(({ statusCode }) => statusCode);

      expect(statuses).toEqual(statuses.map((_, n) => [201, 200, 200][n % 3]));
    } finally {
      await crowded.stop();
    }
  });
});

describe('frozen connections of an API', () => {
  it('are replaced in under 5 s in a pool of 40', async () => {
    const proxy = await startTcpProxy(api.database.url);
    const frozen = await startAt(proxy.url, { DATABASE_POOL_SIZE: '40' });
    try {
      const mug = await frozen.store.product({ stock: 10_000 });
      const order = () => frozen.post('/v1/orders', anOrderBody(mug));
      await Promise.all(Array.from({ length: 3 * 40 }, order));

      proxy.freezeOpenConnections();
      const frozenAt = Date.now();
      const answers: Promise<{ sentAt: number; status: number }>[] = [];
      while (Date.now() < frozenAt + WATCHED_MS) {
        const sentAt = Date.now() - frozenAt;
        const sent = [frozen.get('/v1/products?limit=5'), order()];
        answers.push(...sent.map(async (answer) => ({ sentAt, status: (await answer).statusCode })));
        await delay(PAUSE_MS);
      }

      const failures = (await Promise.all(answers)).filter(({ status }) => status !== 200 && status !== 201);
      expect(failures.filter(({ sentAt }) => sentAt > RECOVERY_LIMIT_MS)).toEqual([]);
      expect(failures.filter(({ status }) => status !== 503)).toEqual([]);
    } finally {
      await frozen.stop();
      await proxy.close();
    }
  });
});

describe('a worker whose connections to the database are frozen', () => {
  it(
    'replaces them, and logs that',
    async () => {
      await eventually(await placeForMail(workers.smtp), HEALED_MS);

      expect(workers.healing.log).toContain('Pipeline stages cannot be claimed');
    },
    2 * HEALED_MS,
  );

  it(
    'exits on SIGTERM',
    async () => {
      const { code, ms } = await workers.ending;

      expect(code).toBe(0);
      expect(ms).toBeLessThan(ENDED_MS);
    },
    2 * ENDED_MS,
  );
});
