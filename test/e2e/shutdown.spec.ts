import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { startBuiltApi, type BuiltApi } from '../support/built-api.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Signals within half a second of the first count as one. */
const OTHER_GESTURE_MS = 600;

describe('the built API process', () => {
  let database: TestDatabase;
  let store: StoreFixture;
  let api: BuiltApi;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
  });
  afterEach(() => api.process.kill('SIGKILL'));
  afterAll(() => database.drop());

  const dataDir = path.join(os.tmpdir(), 'store-commerce-shutdown-test');
  const start = (env: Record<string, string> = {}) =>
    (api = startBuiltApi({ DATABASE_URL: database.url, DATA_DIR: dataDir, ...env }));
  const address = async () => (await api.says(/Listening at (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
  const get = async (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { authorization: `Bearer ${store.key}`, ...init.headers } });

  it('finishes requests in flight after the signals of Ctrl-C, serves new ones meanwhile, and exits with 0', async () => {
    start();
    const base = await address();
    expect((await get(`${base}/health/ready`)).status).toBe(200);

    const blocker = await openTransaction(database, 'LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
    const inFlight = get(`${base}/v1/brands`);
    await eventually(async () => expect(await lockWaits(database)).toBe(1));
    api.process.kill('SIGINT');
    api.process.kill('SIGINT');
    await api.says(/Shutting down/);

    expect((await get(`${base}/health/ready`)).status).toBe(503);
    expect((await get(`${base}/health/live`)).status).toBe(200);
    const meanwhile = await get(`${base}/v1/orders`);
    expect(meanwhile.status).toBe(200);
    expect(meanwhile.headers.get('connection')).toBe('close');
    await blocker.end();
    expect((await inFlight).status).toBe(200);

    expect(await api.ended()).toBe(0);
    expect(api.errors()).toBe('');
    await expect(get(`${base}/health/live`)).rejects.toThrow();
  });

  it('finishes requests that outlast the grace period, and counts them in the usage of their key', async () => {
    start();
    const base = await address();
    const used = async () => {
      const rows = await database.query<{ requests: number }>(
        'SELECT coalesce(sum(requests), 0)::int AS requests FROM api_key_usage WHERE store_id = $1',
        [store.id],
      );
      return rows[0]?.requests ?? 0;
    };
    const before = await used();
    api.process.kill('SIGTERM');
    await api.says(/Shutting down/);
    // The body of one request and the end of the other's head arrive after the process has stopped accepting connections.
    const request = http.request(`${base}/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json', 'content-length': 2 },
    });
    request.flushHeaders();
    const answered = new Promise<http.IncomingMessage>((resolve, reject) =>
      request.on('response', resolve).on('error', reject),
    );
    const socket = net.connect(Number(new URL(base).port), '127.0.0.1');
    socket.write(`GET /v1/store HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.key}\r\n`);
    await eventually(() => expect(get(`${base}/health/live`)).rejects.toThrow());
    socket.write('\r\n');
    request.end('{}');

    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
    const response = await answered;
    expect([response.statusCode, response.headers.connection]).toEqual([400, 'close']);
    response.resume();
    expect(await api.ended()).toBe(0);
    expect(await used()).toBe(before + 2);
  });

  it('exits with 1 on the second signal', async () => {
    start();
    await address();
    api.process.kill('SIGTERM');
    await api.says(/Shutting down/);
    await delay(OTHER_GESTURE_MS);
    api.process.kill('SIGTERM');

    expect(await api.ended()).toBe(1);
  });

  it('logs that the database is unreachable, waits for it, and then starts', async () => {
    const proxy = await startTcpProxy(database.url);
    proxy.cut();
    try {
      start({ DATABASE_URL: proxy.url });
      await api.says(/The database \S+ cannot be used yet \(\w+\): trying again in 2 s/);
      proxy.restore();
      await address();
    } finally {
      await proxy.close();
    }
  });

  it('logs at its start that the database lacks migrations, and returns 503 until they have run', async () => {
    const empty = await createTestDatabase();
    await empty.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    try {
      start({ DATABASE_URL: empty.url });
      const base = await address();

      expect(api.output()).toMatch(
        /The database \S+ lacks migrations of this release: run `npx store-commerce migrate`/,
      );
      expect((await get(`${base}/health/ready`)).status).toBe(503);
      for (const request of [get(`${base}/v1/products`), get(`${base}/v1/orders`, { method: 'POST' })]) {
        const response = await request;
        expect([response.status, response.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
      }
      const [line] = await api.says(/^.*The database schema does not match this release.*$/m);
      expect(JSON.parse(line)).toMatchObject({ level: 50, error: { cause: { code: '42P01' } } });

      await migrate(empty.url);
      await eventually(async () => expect((await get(`${base}/health/ready`)).status).toBe(200));
      expect((await get(`${base}/v1/products`)).status).toBe(401);
    } finally {
      api.process.kill('SIGKILL');
      await api.ended();
      await empty.drop();
    }
  });

  it('exits with 2 and one line on standard error for an invalid setting', async () => {
    start({ PORT: 'eighty' });

    expect(await api.ended()).toBe(2);
    expect(api.errors()).toBe('PORT must be an integer from 0 to 65535\n');
    expect(api.output()).toBe('');
  });

  it('exits with 1 when the port is in use', async () => {
    const other = http.createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    start({ PORT: String(port) });

    const code = await api.ended();
    other.close();
    expect(code).toBe(1);
    expect(api.errors()).toBe(`Port ${port} is already in use: set PORT to another port.\n`);
  });
});
