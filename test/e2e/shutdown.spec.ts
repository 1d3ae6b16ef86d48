import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '@app/infrastructure';
import pg from 'pg';
import { StoreFixture } from '../builders/store-fixture.js';
import { startBuiltApi, type BuiltApi } from '../support/built-api.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('a log that nobody reads any more', () => {
  it('does not keep a process that flushes it from ending', async () => {
    const code = `
      import { JsonLogger } from ${JSON.stringify(path.resolve('dist/libs/infrastructure/src/platform/json-logger.js'))};
      const logger = new JsonLogger('info');
      process.stdin.once('end', async () => {
        logger.log('Shutting down');
        await logger.flush();
        process.exit(0);
      }).resume();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    child.stdout.destroy();
    child.stdin.end();

    expect(await ended).toEqual([0, null]);
  });
});

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

  it('finishes requests in flight after SIGTERM, serves new ones meanwhile, and exits with 0', async () => {
    start();
    const base = await address();
    expect((await get(`${base}/health/ready`)).status).toBe(200);

    // A request that waits for a lock until well after the signal.
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
    const inFlight = get(`${base}/v1/brands`);
    await eventually(async () => {
      const waiting = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
    api.process.kill('SIGTERM');
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

  it('counts two signals within half a second as one, because npm forwards Ctrl-C', async () => {
    start();
    await address();
    api.process.kill('SIGINT');
    api.process.kill('SIGINT');

    expect(await api.ended()).toBe(0);
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
        /The database \S+ lacks migrations of this release: run `npm run --silent cli -- migrate`/,
      );
      expect((await get(`${base}/health/ready`)).status).toBe(503);
      for (const request of [get(`${base}/v1/products`), get(`${base}/v1/orders`, { method: 'POST' })]) {
        const response = await request;
        expect([response.status, response.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
      }
      const [line] = await api.says(/^.*The database schema is not that of this release.*$/m);
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

  it.each([
    ['PORT', 'eighty', 'PORT must be an integer from 0 to 65535'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent'],
  ])('exits with 2 and one line on standard error for %s=%s', async (name, value, line) => {
    start({ [name]: value });

    expect(await api.ended()).toBe(2);
    expect(api.errors()).toBe(`${line}\n`);
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
    expect(api.errors()).toBe(`Port ${port} is already in use: choose another one with PORT.\n`);
  });

  it('exits with 1 when the port for the metrics is in use', async () => {
    const other = http.createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    start({ METRICS_PORT: String(port) });

    const code = await api.ended();
    other.close();
    expect(code).toBe(1);
    expect(api.errors()).toBe(`Port ${port} is already in use: choose another one with METRICS_PORT.\n`);
  });

  it('serves 1,000 clients that connect while it does not run, and a probe at METRICS_PORT before most of them', async () => {
    const metricsPort = await freePort();
    start({ METRICS_PORT: String(metricsPort) });
    const { port } = new URL(await address());
    api.process.kill('SIGSTOP');
    const clients = Array.from({ length: 1_000 }, () => net.connect(Number(port), '127.0.0.1'));
    try {
      await Promise.all(clients.map((client) => once(client, 'connect')));
      let served = 0;
      const answers = clients.map(async (client) => {
        const [data] = (await once(client, 'data')) as [Buffer];
        if (data.toString().startsWith('HTTP/1.1 200')) served++;
      });
      clients.forEach((client) => client.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'));
      const probe = get(`http://127.0.0.1:${metricsPort}/health/live`);
      api.process.kill('SIGCONT');

      expect((await probe).status).toBe(200);
      expect(served).toBeLessThan(500);
      await Promise.all(answers);
      expect(served).toBe(1_000);
    } finally {
      clients.forEach((client) => client.destroy());
    }
  });
});
