import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import type pg from 'pg';
import { MetricsServer } from '../../apps/api/src/status/metrics-server.js';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startBuiltApi, type BuiltApi } from '../support/built-api.js';
import { eventually } from '../support/eventually.js';
import { openTransaction } from '../support/open-transaction.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';
import { startApi, type CreatedOrder, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const written: string[] = [];
let application: RunningApi;
beforeAll(async () => {
  const mailIsDown = { PIPELINE: 'inline', SMTP_URL: 'smtp://127.0.0.1:1' };
  application = await startApi({ ...mailIsDown, DATABASE_POOL_SIZE: '2' }, written);
});
afterAll(() => application.stop());

const customer = { name: 'Ada Lovelace', email: 'ada@example.com' };

describe('the metrics', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await application.withStore();
  });

  /** Reads the current values. Those that clients get may be a second old. */
  const read = () => api.app.get(Metrics).registry.metrics();
  const valueIn = (text: string, series: string) => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  };
  const value = async (series: string) => valueIn(await read(), series);
  const growth = async (series: string, act: () => Promise<unknown>) => {
    const before = await value(series);
    await act();
    return (await value(series)) - before;
  };
  const product = (stock: number) => api.store.product({ name: 'Mug', price: 1099, stock });
  const order = (id: number, headers = {}, quantity = 1) =>
    api.post('/v1/orders', { items: [{ product_id: id, quantity }], customer }, headers);

  it('count requests by pattern, method, status and mode, and all unknown paths as one', async () => {
    const series = (labels: string) => `http_request_duration_seconds_count{${labels}}`;
    const found = series('method="GET",route="/v1/store",status="200",mode="live"');
    const unknown = series('method="GET",route="unknown",status="404",mode="live"');

    expect(await growth(found, () => api.get('/v1/store'))).toBe(1);
    expect(await growth(unknown, () => Promise.all(['/v1/a', '/v1/b', '/v1/c/d'].map((url) => api.get(url))))).toBe(3);
    expect(await read()).not.toContain('"/v1/a"');
  });

  it('count orders and replays by mode', async () => {
    const mug = await product(5);
    const key = { 'idempotency-key': 'metrics' };

    expect(await growth('orders_created_total{mode="live"}', () => order(mug, key))).toBe(1);
    expect(await growth('orders_created_total{mode="live"}', () => order(mug, key))).toBe(0);
    expect(await value('orders_replayed_total{mode="live"}')).toBe(1);
  });

  it('count rejected orders by reason', async () => {
    const mug = await product(1);
    const refused = (reason: string, act: () => Promise<unknown>) =>
      growth(`orders_refused_total{reason="${reason}"}`, act);
    const body = { items: [{ product_id: mug, quantity: 1 }], customer };

    expect(await refused('out_of_stock', () => order(mug, {}, 2))).toBe(1);
    expect(await refused('item_unavailable', () => order(2_000_000_000))).toBe(1);
    expect(await refused('invalid_request', () => api.post('/v1/orders', {}))).toBe(1);
    expect(await refused('unauthorized', () => api.inject({ method: 'POST', url: '/v1/orders', payload: body }))).toBe(
      1,
    );
    expect(
      await refused('idempotency_mismatch', async () => {
        await order(mug, { 'idempotency-key': 'mismatch' });
        await order(mug, { 'idempotency-key': 'mismatch' }, 7);
      }),
    ).toBe(1);
    const settings = { blocked_emails: ['blocked@example.com'] };
    await api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [api.store.id, settings]);
    const blocked = { ...body, customer: { ...customer, email: 'blocked@example.com' } };
    expect(await refused('fraud_rejected', () => api.post('/v1/orders', blocked))).toBe(1);
  });

  it('measure statements by kind, and the number of keys per look-up', async () => {
    const kinds = { prepared: '/v1/orders', planned: '/v1/products?search=mug', orm: '/v1/categories' };
    for (const [kind, url] of Object.entries(kinds)) {
      const count = `database_statement_duration_seconds_count{kind="${kind}"}`;
      expect([kind, await growth(count, () => api.get(url))]).not.toEqual([kind, 0]);
    }
    const mug = await product(3);
    const inTransactions = 'database_statement_duration_seconds_count{kind="transaction"}';
    expect(await growth(inTransactions, () => order(mug))).toBe(4);
    expect(await growth('database_statements_total{statement="orders.insert"}', () => order(mug))).toBe(1);
    const seconds = 'database_statement_seconds_total{statement="orders.insert"}';
    expect(await growth(seconds, () => order(mug))).toBeGreaterThan(0);

    // Concurrent requests share a statement. The first request does not wait for the others.
    const ten = () => Promise.all(Array.from({ length: 10 }, () => api.get('/v1/store')));
    const lookups = await growth('api_key_lookup_batch_size_count', ten);
    expect(lookups).toBeGreaterThan(0);
    expect(lookups).toBeLessThan(10);
  });

  describe('while another transaction locks the stock', () => {
    let blocker: pg.Client;
    let mug: number;
    beforeEach(async () => {
      mug = await product(5);
      blocker = await openTransaction(api.database, `SELECT FROM stock WHERE product_id = ${mug} FOR UPDATE`);
    });

    it('show how many requests wait for a connection', async () => {
      const orders = [order(mug), order(mug), order(mug)];
      await eventually(async () => {
        const text = await read();
        // Transactions may take one of two connections.
        expect(valueIn(text, 'database_pool_in_use')).toBe(1);
        expect(valueIn(text, 'database_pool_waiting')).toBeGreaterThan(0);
      });

      await blocker.end();
      await Promise.all(orders);
      await eventually(async () => expect(await value('database_pool_waiting')).toBe(0));
    });

    it('count retried transactions', async () => {
      const lost = 'database_transaction_retries_total{reason="connection"}';
      const before = await value(lost);
      const placed = order(mug);
      // The wait is short: a transaction is retried only while its request has time left.
      await eventually(async () => {
        const ended = await api.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        expect(ended).toHaveLength(1);
      });
      await eventually(async () => expect((await value(lost)) - before).toBe(1));

      await blocker.end();
      await placed;
    });
  });

  it('measure attempts at stages', async () => {
    const mug = await product(1);
    const failed = 'pipeline_attempt_duration_seconds_count{stage="notify-customer",outcome="failed"}';
    const before = await value(failed);
    await order(mug);
    await eventually(async () => expect(await value(failed)).toBeGreaterThan(before));
  });

  it.each(['prometheus/alerts.yml', 'grafana/dashboards/store-commerce.json'])(
    'contain every metric that %s uses',
    async (file) => {
      const text = fs.readFileSync(path.resolve(import.meta.dirname, '../../docker', file), 'utf8');
      const asked =
        text.match(/\b(?:http|database|orders|pipeline|feed|api_key|nodejs|process|webhooks?)_[a-z0-9_]+/g) ?? [];
      const exposed = await read();
      const missing = [...new Set(asked)].filter((name) => !new RegExp(`^(# TYPE )?${name}[ {]`, 'm').test(exposed));

      expect(asked.length).toBeGreaterThan(8);
      expect(missing).toEqual([]);
    },
  );
});

describe('the metrics with METRICS_PORT', () => {
  let api: RunningApi;
  let own: string;
  beforeAll(async () => {
    // /health is 503 with the dead letters of earlier tests.
    await application.database.query(`UPDATE order_stages SET state = 'done'`);
    api = await startApi({ METRICS_PORT: '0', HOST: '127.0.0.1' }, undefined, application.database);
    own = `http://127.0.0.1:${api.app.get(MetricsServer).port}`;
  });
  afterAll(() => api.app.close());

  it('are not served at the public port', async () => {
    const response = await fetch(`${own}/metrics`);

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('http_request_duration_seconds');
    expect((await api.inject({ url: '/metrics' })).statusCode).toBe(404);
    expect((await api.inject({ url: '/health/live' })).statusCode).toBe(200);
  });
});

type Line = Record<string, unknown>;

const ALLOWED = ['duration_ms', 'key_id', 'method', 'mode', 'order_id', 'request_id', 'route', 'status', 'store_id'];

describe('the request log', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await application.withStore();
  });
  beforeEach(() => void (written.length = 0));

  const lines = () => written.map((line) => JSON.parse(line) as Line);
  const requests = () => lines().filter(({ msg }) => msg === 'request');
  const only = async (): Promise<Line> => {
    await eventually(() => expect(requests()).toHaveLength(1));
    return requests()[0] ?? {};
  };
  const aMug = () => api.store.product({ name: 'Mug', price: 1099, stock: 5 });
  const order = async (product: number, headers = {}) => {
    const response = await api.post(
      '/v1/orders?canary=canary',
      anOrderBody(product, 1, {
        customer: { name: 'Canary', email: 'canary@example.com', phone: '+1 555 canary' },
        notes: 'canary',
      }),
      { 'user-agent': 'canary', cookie: 'canary', 'idempotency-key': 'canary', ...headers },
    );
    return response.json<{ data: CreatedOrder }>().data;
  };

  it('contains exactly the allowed fields, and no other data of a request', async () => {
    const { order_id } = await order(await aMug(), { 'x-request-id': 'request-7' });

    const { level, time, msg, ...fields } = await only();
    expect([level, typeof time, msg]).toEqual([30, 'string', 'request']);
    expect(Object.keys(fields).sort()).toEqual(ALLOWED);
    expect(fields).toMatchObject({
      request_id: 'request-7',
      method: 'POST',
      route: '/v1/orders',
      status: 201,
      store_id: api.store.id,
      mode: 'live',
      order_id,
    });
    expect(written.join('')).not.toMatch(/canary/i);
    expect(written.join('')).not.toContain(api.store.key);
  });

  it('contains the order id of a replay and of an order that is read', async () => {
    const product = await aMug();
    const { order_id, receipt_number } = await order(product, { 'idempotency-key': 'twice' });
    await only();
    for (const again of [
      () => order(product, { 'idempotency-key': 'twice' }),
      () => api.get(`/v1/orders/${receipt_number}`),
    ]) {
      written.length = 0;
      await again();
      expect(await only()).toMatchObject({ order_id });
    }
    written.length = 0;
    await api.get('/v1/orders/01890000-0000-7000-8000-000000000000');
    expect(await only()).not.toHaveProperty('order_id');
  });

  it('contains the route "unknown" instead of an unknown path', async () => {
    await api.get('/v1/canary/ada@example.com?key=canary');

    expect(await only()).toMatchObject({ route: 'unknown', status: 404 });
    expect(written.join('')).not.toMatch(/canary|ada@/);
  });

  it('contains the error code of a rejected request', async () => {
    await api.post('/v1/orders', {});

    expect(await only()).toMatchObject({ status: 400, error_code: 'invalid_request' });
  });

  it.each([
    ['a key that is used from elsewhere', 'address_not_allowed', `UPDATE api_keys SET networks = '{192.0.2.0/24}'`],
    ['a revoked key', 'api_key_inactive', `UPDATE api_keys SET status = 'REVOKED'`],
    ['a key of an inactive store', 'store_inactive', `UPDATE stores SET status = 'INACTIVE'`],
  ])('names %s, which the requests by key do not count', async (_case, error_code, update) => {
    const other = await application.withStore();
    const [key] = await api.database.query('SELECT id FROM api_keys WHERE store_id = $1', [other.store.id]);
    const key_id = key?.['id'] as string;
    const by = update.includes('stores') ? 'id' : 'store_id';
    await api.database.query(`${update} WHERE ${by} = $1`, [other.store.id]);

    await other.get('/v1/store');

    expect(await only()).toMatchObject({ status: 403, error_code, store_id: other.store.id, key_id, mode: 'live' });
    expect(written.join('')).not.toMatch(/127\.0\.0\.1|192\.0\.2/);
    expect(await api.app.get(Metrics).registry.metrics()).not.toContain(`key_id="${key_id}"`);
  });

  it('contains no line for probes and /metrics', async () => {
    for (const url of ['/health', '/health/live', '/health/ready', '/metrics']) await api.get(url);
    await api.get('/v1/store');

    expect(await only()).toMatchObject({ route: '/v1/store' });
  });

  it('contains a line with the order and the stage for each attempt of the worker', async () => {
    const { order_id } = await order(await aMug(), { 'idempotency-key': 'mail' });

    await eventually(() => {
      const attempt = lines().find((line) => line.order_id === order_id && line.stage === 'notify-customer');
      expect(attempt).toMatchObject({ store_id: api.store.id, attempt: 1, outcome: 'failed', msg: 'stage' });
    });
    expect(written.join('')).not.toMatch(/canary/i);
  });

  it('contains no warning for the confirmation of an order that was cancelled before', async () => {
    const { order_id } = await order(await aMug(), { 'idempotency-key': 'cancelled' });
    const attempts = () => lines().filter((line) => line.order_id === order_id && line.stage === 'notify-customer');
    await eventually(() => expect(attempts()).toHaveLength(1));

    await api.post(`/v1/orders/${order_id}/cancel`, {});
    await api.database.query(
      `UPDATE order_stages SET run_at = now() WHERE order_id = $1 AND stage = 'notify-customer'`,
      [order_id],
    );

    await eventually(() => expect(attempts()).toHaveLength(2));
    expect(attempts()[1]).toMatchObject({ level: 30, outcome: 'cancelled', attempt: 2 });
    expect(attempts()[1]).not.toHaveProperty('error');
  });
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('the built API process with a trace collector', () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-tracing-'));
  let database: TestDatabase;
  let store: StoreFixture;
  let receiver: OtlpReceiver;
  let api: BuiltApi;
  let base: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    receiver = await startOtlpReceiver();
    api = startBuiltApi({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PIPELINE: 'inline',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SERVICE_NAME: 'shop',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    base = (await api.says(/Listening at (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
  });
  afterAll(async () => {
    api.process.kill('SIGKILL');
    await api.ended();
    await receiver.close();
    await database.drop();
    fs.rmSync(dataDir, { recursive: true });
  });

  const headersOf = (trace: string) => ({
    authorization: `Bearer ${store.key}`,
    'content-type': 'application/json',
    traceparent: `00-${trace}-${CALLER}-01`,
    tracestate: 'vendor=canary',
    baggage: 'user=canary',
  });
  const ask = (url: string, trace: string) => fetch(`${base}${url}`, { headers: headersOf(trace) });
  const spansOf = (trace: string) => receiver.spans.filter(({ traceId }) => traceId === trace);
  const postSlowly = async (url: string, body: unknown, trace: string): Promise<unknown> => {
    const request = http.request(`${base}${url}`, { method: 'POST', headers: headersOf(trace) });
    const response = once(request, 'response') as Promise<[IncomingMessage]>;
    request.flushHeaders();
    await eventually(() => expect(spansOf(trace).map(({ name }) => name)).toContain('keys.look_up'));
    request.end(JSON.stringify(body));
    return json((await response)[0]);
  };

  it("adds an order and its statements to the caller's trace", async () => {
    const product = await store.product({ name: 'Mug', price: 1099, stock: 5 });
    const customer = { name: 'Canary', email: 'canary@example.com', phone: '+1 555 0199' };
    const body = anOrderBody(product, 1, { customer, notes: 'canary' });
    const { data } = (await postSlowly('/v1/orders?canary=1', body, TRACE)) as { data: { order_id: string } };

    await eventually(() => expect(spansOf(TRACE).map(({ name }) => name)).toContain('POST /v1/orders'));
    const request = spansOf(TRACE).find(({ name }) => name === 'POST /v1/orders');
    expect(request).toMatchObject({
      service: 'shop',
      parentId: CALLER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/orders',
        'http.response.status_code': '201',
        'store.id': String(store.id),
        'order.id': data.order_id,
      },
    });
    const statements = spansOf(TRACE).filter((span) => span !== request);
    expect(statements.map(({ parentId }) => parentId)).toEqual(statements.map(() => request?.spanId));
    // The look-up of the key runs before the body is read, the other statements after it.
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['keys.look_up', 'orders.insert', 'stock.withdraw_from_fullest_or_fail', 'COMMIT']),
    );
    const insert = statements.find(({ name }) => name === 'orders.insert');
    expect(insert?.attributes).toMatchObject({
      'db.query.summary': 'orders.insert',
      'db.operation.name': 'WITH',
      'db.query.text': expect.stringContaining('INSERT INTO orders') as string,
    });

    const stages = () => receiver.spans.filter(({ attributes }) => attributes['order.id'] === data.order_id);
    await eventually(() => {
      expect(stages().map(({ name }) => name)).toEqual(
        expect.arrayContaining(['stage notify-customer', 'stage notify-merchant']),
      );
    });
    expect(receiver.text()).not.toMatch(/canary|555 0199/i);
    expect(receiver.text()).not.toContain(store.key);
  });

  it('exports the remaining spans when it stops', async () => {
    const trace = TRACE.replace('0af', '2af');
    await ask('/v1/store', trace);
    api.process.kill('SIGTERM');

    expect(await api.ended()).toBe(0);
    expect(spansOf(trace).map(({ name }) => name)).toContain('GET /v1/store');
    expect(api.output()).toMatch(/"route":"\/v1\/store"[\s\S]*Shutting down/);
  });
});

const LOGGER = path.resolve(import.meta.dirname, '../../dist/libs/infrastructure/src/platform/json-logger.js');

function messagesOf(script: string): unknown[] {
  const source = `import { JsonLogger } from ${JSON.stringify(LOGGER)}; const logger = new JsonLogger('info'); ${script}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);
}

describe('buffered log lines', () => {
  it('are written before a fatal line returns, even if the process is killed after it', () => {
    expect(messagesOf(`logger.log('first'); logger.fatal('last'); process.kill(process.pid, 'SIGKILL');`)).toEqual([
      'first',
      'last',
    ]);
  });
});

describe('log lines that standard output does not accept', () => {
  const LINE = 1_000;
  const LINES = 10_000;
  const source = `
    import { JsonLogger } from ${JSON.stringify(LOGGER)};
    const logger = new JsonLogger('info');
    let n = 0;
    const more = () => {
      for (let end = n + 100; n < end; n++) logger.log('x'.repeat(${LINE}));
      if (n < ${LINES}) setTimeout(more, 1);
      else process.stderr.write(String(logger.droppedLines));
    };
    more();
    process.stdin.on('end', () => process.exit(0)).resume();`;

  it('are kept up to 4 MB, then dropped, and one line reports their number when it accepts lines again', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
    try {
      // The test reads standard output only after all lines are logged.
      const [counted] = (await once(child.stderr, 'data')) as [Buffer];
      const dropped = Number(counted.toString());
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      await eventually(() => expect(text).toContain('dropped'));
      child.stdin.end();
      await once(child, 'close');

      const messages = text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(dropped).toBeGreaterThan(LINES / 2);
      expect(text.length).toBeLessThan(5_000_000);
      expect(messages).toHaveLength(LINES - dropped + 1);
      expect(messages.at(-1)).toBe(`${dropped} log lines were dropped while standard output was not read`);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
