import { MAX_REQUESTS, MAX_REQUESTS_OF_STORE, OrderLifecycle, OrderRepository } from '@app/application';
import { Config } from '@app/infrastructure';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { counterValue } from '../support/counter-value.js';
import { eventually } from '../support/eventually.js';
import { listen } from '../support/listen.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { openUnread } from '../support/unread-connections.js';

const BUSY = { success: false, error: 'Too many concurrent requests: try again shortly', code: 'overloaded' };

// This is the quick form of `npm run proof -- overload`: bursts above the concurrency limits.
describe('the API under overload', () => {
  let api: RunningApi;
  let port: number;
  let product: number;
  let contested: string;
  beforeAll(async () => {
    api = await startApi({ THROTTLE_PER_10S: '0' });
    port = await listen(api.app);
    product = await api.store.product({ stock: 1_000 });
    contested = (await order()).json<{ data: { order_id: string } }>().data.order_id;
    await many(20, read); // opens the pool's connections
  });
  afterAll(() => api.stop());

  const many = <T>(count: number, one: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => one(n)));
  const read = () => api.get('/v1/store');
  const figures = () => api.app.get(Metrics).registry.metrics();
  const order = (n = 0) =>
    api.post('/v1/orders', anOrderBody(product, 1, { customer: { name: 'Ada', email: `ada-${n}@example.com` } }));
  const statuses = (responses: readonly LightMyRequestResponse[]) =>
    Object.fromEntries(
      [...new Set(responses.map(({ statusCode }) => statusCode))].map((status) => [
        status,
        responses.filter(({ statusCode }) => statusCode === status).length,
      ]),
    );
  /** Excludes requests that were admitted and then ran out of time on a slow machine. */
  const refused = (responses: readonly LightMyRequestResponse[]) =>
    responses.filter((response) => response.json<{ error?: string }>().error === BUSY.error);

  it('rejects reads above the concurrency limit at once with 503 and Retry-After', async () => {
    const responses = await many(MAX_REQUESTS_OF_STORE.reads + 200, read);

    expect(refused(responses)).toHaveLength(200);
    for (const refusal of refused(responses)) {
      expect([refusal.statusCode, refusal.json()]).toEqual([503, BUSY]);
      expect(refusal.headers).toMatchObject({
        'retry-after': '1',
        'cache-control': 'no-store',
        'x-error-code': 'overloaded',
      });
      expect(refusal.headers['x-request-id']).toBeTruthy();
    }
  });

  it('places orders and answers probes while it rejects reads', async () => {
    const crowd = many(MAX_REQUESTS_OF_STORE.reads + 200, read);
    const orders = await many(10, order);
    const probes = await Promise.all(['/health/live', '/health/ready', '/metrics'].map((url) => api.inject({ url })));

    expect(statuses(orders)).toEqual({ 201: 10 });
    expect(statuses(probes)).toEqual({ 200: 3 });
    expect(refused(await crowd)).toHaveLength(200);
  });

  it('rejects orders above the concurrency limit, and stores each accepted order once', async () => {
    const placed = async () =>
      (await api.database.query<{ n: number }>('SELECT count(*)::int AS n FROM orders'))[0]?.n ?? 0;
    const before = await placed();

    const counts = statuses(await many(MAX_REQUESTS_OF_STORE.orders + 100, order));

    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['201', '503']));
    expect((counts[201] ?? 0) + (counts[503] ?? 0)).toBe(MAX_REQUESTS_OF_STORE.orders + 100);
    expect((await placed()) - before).toBe(counts[201]);
  });

  it('rejects imports above the concurrency limit before it reads their bodies', async () => {
    const lines = [{ kind: 'brand', slug: 'globex', name: 'Globex' }];
    const responses = await many(MAX_REQUESTS_OF_STORE.imports + 20, () => api.post('/v1/import', { lines }));

    expect(refused(responses).length).toBeGreaterThanOrEqual(20);
    expect(Object.keys(statuses(responses))).toEqual(['200', '503']);
    expect(statuses([await api.post('/v1/import', { lines })])).toEqual({ 200: 1 });
  });

  it('gives imports and changes of prices, of all stores together, four in ten connections', async () => {
    const stores = await many(6, () => StoreFixture.create(api.database));
    await Promise.all(stores.map((store) => store.product({ slug: 'held', sku: 'HELD' })));
    const holder = await openTransaction(api.database, 'SELECT FROM products FOR UPDATE');
    const most = Math.floor(api.app.get(Config).databasePoolSize * 0.4);
    const line = { kind: 'product', slug: 'held', name: 'Held', price: '1.00' };
    const price = { sku: 'HELD', price: 2, expected: null };
    const ask = (key: string, n: number) =>
      n % 2 === 0
        ? api.post('/v1/import', { lines: [line] }, { authorization: `Bearer ${key}` })
        : api.post('/v1/prices', { lines: [price] }, { authorization: `Bearer ${key}` });
    const changes = Promise.all(stores.map(({ key }, n) => ask(key, n)));

    await eventually(async () => expect(await lockWaits(api.database)).toBe(most));
    await setTimeout(200);
    expect(await lockWaits(api.database)).toBe(most);

    await holder.query('ROLLBACK');
    await holder.end();
    expect(statuses(await changes)).toEqual({ 200: 6 });
  });

  it('has its full capacity again after bursts of 400, 401 and 404 responses', async () => {
    for (let round = 0; round < 3; round++) {
      await many(MAX_REQUESTS_OF_STORE.reads, (n) => (n % 2 ? read() : api.get('/v1/nope')));
      await many(MAX_REQUESTS_OF_STORE.orders, () => api.post('/v1/orders', '{"items": ['));
      await many(MAX_REQUESTS_OF_STORE.orders, () => api.inject({ method: 'POST', url: '/v1/orders' }));
    }

    expect(refused(await many(MAX_REQUESTS_OF_STORE.reads, read))).toEqual([]);
    expect(statuses([await order()])).toEqual({ 201: 1 });
  });

  it('rejects a request over a socket with the same response, without a database query', async () => {
    const url = `http://127.0.0.1:${port}/v1/store`;
    const headers = { authorization: `Bearer ${api.store.key}`, 'x-request-id': 'crowd' };
    const blocker = await openTransaction(api.database, 'LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const crowd = many(MAX_REQUESTS.reads, read);
    await new Promise((resolve) => setImmediate(resolve));

    const refusal = await fetch(url, { headers });

    expect([refusal.status, await refusal.json()]).toEqual([503, BUSY]);
    expect(Object.fromEntries(refusal.headers)).toMatchObject({
      'retry-after': '1',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-error-code': 'overloaded',
      'x-request-id': 'crowd',
    });
    await blocker.end();
    await crowd;
    expect((await fetch(url, { headers })).status).toBe(200);
  });

  it.each([
    ['orders of one product', () => `stock WHERE product_id = ${product}`, order],
    [
      'changes of one order',
      () => `orders WHERE id = '${contested}'`,
      (n: number) => api.post(`/v1/orders/${contested}/payments`, { reference: `P-${n}`, amount: 1, currency: 'USD' }),
    ],
  ])('answers another store while 30 %s wait for a lock', async (_what, row, change) => {
    const other = await api.withStore();
    const body = anOrderBody(await other.store.product({ stock: 5 }));
    const blocker = await openTransaction(api.database, `SELECT FROM ${row()} FOR UPDATE`);
    let answered = 0;
    const crowd = many(30, (n) => change(n).finally(() => answered++));
    await eventually(async () => expect(await lockWaits(api.database)).toBeGreaterThan(1));

    const read = await other.get('/v1/store');
    const placed = await other.post('/v1/orders', body);

    expect([read.statusCode, placed.statusCode, answered]).toEqual([200, 201, 0]);
    await blocker.end();
    await crowd;
  });

  it.each([
    ['products', '', 4],
    ['brands', '', 4],
    ['brands', '/1', 4],
    ['brands', '?search=a', 2],
    ['brands', '?page=12&limit=100', 2],
    ['categories', '', 4],
    ['categories', '/1', 4],
    ['categories', '?search=a', 2],
    ['categories', '?page=12&limit=100', 2],
  ])(
    'answers another store while 30 slow reads of /v1/%s%s of one have %i connections of five',
    async (list, rest, most) => {
      const other = await api.withStore();
      const blocker = await openTransaction(api.database, `LOCK TABLE ${list} IN ACCESS EXCLUSIVE MODE`);
      let answered = 0;
      const crowd = many(30, (n) => api.get(`/v1/${list}${rest || `?page=${n + 1}`}`).finally(() => answered++));
      await eventually(async () => expect(await lockWaits(api.database)).toBeGreaterThanOrEqual(most));

      const read = await other.get('/v1/store');
      const seen = [read.statusCode, answered, await lockWaits(api.database)];
      await blocker.end();
      await crowd;

      expect(seen).toEqual([200, 0, most]);
    },
  );

  it.each<[string, (api: RunningApi, order: string) => Promise<LightMyRequestResponse>, number]>([
    ['read of a page that is refused', ({ get }) => get('/v1/orders?limit=100&include=line_items'), 422],
    ['read of a page that shows little', ({ get }) => get('/v1/orders?limit=1&include=line_items'), 200],
    [
      'change of an order that is refused',
      ({ post }, id) => post(`/v1/orders/${id}/refunds`, { reference: 'R-1', amount: 99_999 }),
      422,
    ],
    ['change of an order', ({ post }, id) => post(`/v1/orders/${id}/notes`, { text: 'x' }), 201],
  ])('runs the requests of a store one at a time after a large %s', async (_what, ask, status) => {
    const own = await api.withStore();
    const first = await own.store.order({ created_at: '2026-01-01T00:00:00Z' });
    const large = await own.store.order();
    await own.store.orderLine(first, { name: 'x'.repeat(900_000) });
    await own.database.query(
      `WITH event AS (INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
         VALUES ($1, $2, 'key', 'shipment_created', 'S-1'))
       INSERT INTO shipments (store_id, order_id, reference, number, status, tracking_url)
       VALUES ($1, $2, 'S-1', 1, 'shipped', repeat('x', 400000))`,
      [own.store.id, large],
    );
    const [repository, lifecycle] = [api.app.get(OrderRepository), api.app.get(OrderLifecycle)];
    let [running, most] = [0, 0];
    const counted = async <T>(work: () => Promise<T>) => {
      most = Math.max(most, ++running);
      return work().finally(() => running--);
    };
    const [list, change] = [repository.list.bind(repository), lifecycle.change.bind(lifecycle)];
    vi.spyOn(repository, 'list').mockImplementation((...asked) => counted(() => list(...asked)));
    vi.spyOn(lifecycle, 'change').mockImplementation((request) => counted(() => change(request)));

    const before = await ask(own, large);
    const crowd = await many(5, () => ask(own, large));

    vi.restoreAllMocks();
    expect([before, ...crowd].map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(status));
    expect(most).toBe(1);
  });

  it('keeps the slot of a read until the kernel has its answer', async () => {
    const large = await api.store.product({ columns: { description: 'x'.repeat(8 * 1024 * 1024) } });
    const taken = () => counterValue(api.app, 'http_places_taken', { kind: 'reads' });
    const connected = once(api.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const ask = `GET /v1/products/${large} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.store.key}\r\n\r\n`;

    const [client] = await openUnread(port, 1, ask);
    const [connection] = await connected;
    await eventually(() => expect(connection.writableLength).toBeGreaterThan(0));
    expect(await taken()).toBe(1);
    client?.resume();

    await eventually(async () => expect(await taken()).toBe(0));
    client?.destroy();
  });

  it('accepts a body with 4,000 values and returns 400 for more', async () => {
    const large = (count: number) => api.post('/v1/orders', anOrderBody(product, 1, { extra: Array(count).fill(1) }));

    // The objects, arrays and members around the values count too.
    expect((await large(3_990)).statusCode).toBe(201);
    const refused = await large(4_001);

    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ success: false, error: 'Request body has too many values' });
  });

  it('counts rejected requests by kind', async () => {
    const body = await figures();

    expect(body).toMatch(/http_refused_requests_total\{kind="reads"\} 465\b/);
    expect(body).toMatch(/http_refused_requests_total\{kind="orders"\} \d+/);
  });
});
