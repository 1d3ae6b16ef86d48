import { QUERY_TIMEOUT_MS } from '@app/application';
import { HealthConnection, InstallationGauges, ServiceMetrics } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { createApp } from '../../apps/api/src/create-app.js';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { openTransaction } from '../support/open-transaction.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { testConfig } from '../support/test-config.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const up = { status: 'up' };
const down = { status: 'down' };
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);

describe('the API', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let store: StoreFixture;
  let app: NestFastifyApplication;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    proxy = await startTcpProxy(database.url);
    app = await createApp(
      testConfig({ DATABASE_URL: proxy.url, LOG_LEVEL: 'silent', WAL_MAX_RETAINED_MIB: '1' }),
      proxy.url,
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(async () => {
    await app.close();
    await proxy.close();
    await database.drop();
  });

  const get = (url: string, authorization = `Bearer ${store.key}`) => app.inject({ url, headers: { authorization } });
  const ready = async () => (await get('/health/ready')).statusCode;
  // The answers of the database are up to a second old.
  const becomesReady = (status: number) => eventually(async () => expect(await ready()).toBe(status));
  const healthBecomes = (details: object) =>
    eventually(async () => expect((await get('/health')).json()).toMatchObject({ details }));

  it('reports the pipeline and the version at /health, and is ready and not healthy while the pipeline is late', async () => {
    expect((await get('/health')).json()).toMatchObject({
      status: 'ok',
      details: {
        pipeline: { status: 'up', lag_seconds: 0, dead_letters: 0 },
        version: { version: expect.stringMatching(/^\d+\./) as unknown },
      },
    });

    const order_id = await store.order();
    const row = { order_id, state: 'pending' };
    await store.row('order_stages', { ...row, stage: 'notify-customer', run_at: hoursFromNow(-1) });
    await store.row('order_stages', { ...row, stage: 'notify-merchant', run_at: hoursFromNow(1) });
    await eventually(async () => {
      const { details } = (await get('/health')).json<{ details: { pipeline: { lag_seconds: number } } }>();
      expect(details.pipeline.lag_seconds).toBeGreaterThan(3590);
      expect(details.pipeline.lag_seconds).toBeLessThan(3700);
    });
    expect(await app.get(Metrics).registry.metrics()).toMatch(/^pipeline_lag_seconds 3[56]\d\d/m);
    const late = await get('/health');
    expect([late.statusCode, late.headers['x-error-code'], await ready()]).toEqual([503, 'unavailable', 200]);

    for (const [change, lag] of [
      [`locked_until = now() + interval '1 minute'`, 0],
      [`locked_until = now() - interval '1 s'`, expect.any(Number) as number],
      [`state = 'done'`, 0],
    ] as const) {
      await database.query(`UPDATE order_stages SET ${change} WHERE order_id = $1`, [order_id]);
      await healthBecomes({ pipeline: { lag_seconds: lag } });
    }
  });

  it('is ready and not healthy while a replication slot keeps too much WAL, and names the slot', async () => {
    await database.query(`SELECT pg_create_physical_replication_slot('forgotten', true)`);
    try {
      await database.query(`SELECT pg_logical_emit_message(false, 'health', repeat('x', 3 * 1024 * 1024))`);
      const reason = expect.stringMatching(/slot forgotten retains \d+ MiB/) as unknown;
      await healthBecomes({ wal: { status: 'down', reasons: expect.arrayContaining([reason]) as unknown } });
      expect((await get('/health')).statusCode).toBe(503);
      expect(await ready()).toBe(200);
    } finally {
      await database.query(`SELECT pg_drop_replication_slot('forgotten')`);
    }
  });

  it('determines the lag and the dead letters without reading all pending and dead stages', async () => {
    const large = await createTestDatabase();
    const connection = new HealthConnection(large.url);
    const client = new pg.Client({ connectionString: large.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('SET session_replication_role = replica'); // this allows stages without orders
    await client.query(
      `INSERT INTO order_stages (store_id, order_id, stage, state, outcome, run_at)
       SELECT 1, gen_random_uuid(), 'notify-customer', state, CASE state WHEN 'dead' THEN 'failed' END, now() - interval '1 hour'
       FROM generate_series(1, 20000), (VALUES ('pending'), ('dead')) AS states (state)`,
    );
    const read = async () => {
      await client.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await client.query<{ rows: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables WHERE relname = 'order_stages'`,
      );
      return rows[0]?.rows ?? NaN;
    };
    const before = await read();

    const gauges = await new InstallationGauges(connection, new ServiceMetrics()).read();
    connection.onApplicationShutdown();
    // PostgreSQL adds what a session has read to its statistics when the session ends.
    await eventually(async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
         AND backend_type = 'client backend'`,
      );
      expect(rowCount).toBe(0);
    });

    expect(gauges.get('pipeline_dead_letters')).toEqual([{ value: 10_000 }]);
    expect(gauges.get('pipeline_lag_seconds')?.[0]?.value).toBeGreaterThan(3_500);
    expect((await read()) - before).toBeLessThan(12_000);
    await client.end();
    await large.drop();
  });

  it.each([
    ['cut', /^unavailable$/],
    // A connection that is open does not answer in time; a new one cannot be opened.
    ['freeze', /^(deadline_exceeded|unavailable)$/],
  ] as const)(
    'returns 503 during a database outage (%s) with an error code that matches %s, and recovers after it',
    async (fault, code) => {
      expect((await get('/v1/orders')).statusCode).toBe(200);
      proxy[fault]();
      try {
        for (const request of [get('/v1/orders'), get('/v1/store'), get('/v1/products/1')]) {
          const started = Date.now();
          const response = await request;
          expect(response.statusCode).toBe(503);
          expect(response.headers['x-error-code']).toMatch(code);
          expect(response.headers['retry-after']).toBe('1');
          expect(response.json()).toMatchObject({ success: false, error: 'Service temporarily unavailable' });
          expect(Date.now() - started).toBeLessThan(QUERY_TIMEOUT_MS);
        }
        expect((await get('/v1/orders', 'Bearer nothing')).statusCode).toBe(401);

        await becomesReady(503);
        expect((await get('/health/live')).statusCode).toBe(200);
        const response = await get('/health/ready');
        expect(response.statusCode).toBe(503);
        expect(response.headers['x-error-code']).toBe('unavailable');
        expect(response.json()).toEqual({
          status: 'error',
          info: { schema: up, serving: up },
          error: { database: down },
          details: { database: down, schema: up, serving: up },
        });
        expect((await get('/health')).statusCode).toBe(503);
      } finally {
        proxy.restore();
      }
      await becomesReady(200);
      expect((await get('/v1/orders')).statusCode).toBe(200);
    },
  );

  it('asks the database once for a flood of probes', async () => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const start = performance.now();
    const probes = Array.from({ length: 500 }, (_, n) =>
      get(['/health', '/health/ready', '/metrics'][n % 3] as string),
    );
    const statuses = (await Promise.all(probes)).map(({ statusCode }) => statusCode);
    const texts = sent.mock.calls.map(([text]) => JSON.stringify(text));
    sent.mockRestore();

    expect(new Set(statuses)).toEqual(new Set([200]));
    const most = 1 + Math.ceil((performance.now() - start) / 1_000);
    for (const name of ['health.standby', 'migrations.current', 'orders.pipeline_lag']) {
      expect(texts.filter((text) => text.includes(`/* ${name} */`)).length).toBeLessThanOrEqual(most);
    }
  });

  it('is ready while requests hold all connections of the pool', async () => {
    const holder = await openTransaction(database, 'LOCK TABLE products IN ACCESS EXCLUSIVE MODE');
    const other = await StoreFixture.create(database);
    const reads = [store, other].flatMap(({ key }) =>
      Array.from({ length: 50 }, () => get('/v1/products', `Bearer ${key}`)),
    );
    try {
      await eventually(async () => {
        const text = await app.get(Metrics).registry.metrics();
        expect(Number(/^database_pool_waiting (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
      });
      const started = performance.now();

      expect(await ready()).toBe(200);

      expect(performance.now() - started).toBeLessThan(2_000);
    } finally {
      await holder.end();
    }
    await Promise.all(reads);
  });

  it('is not ready on a standby', async () => {
    // PostgreSQL finds the function of the test before its own.
    await database.query(
      'CREATE SCHEMA standby; CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean RETURN true',
    );
    const connection = new HealthConnection(`${database.url}?options=-c%20search_path%3Dstandby,pg_catalog`);
    try {
      await expect(connection.isSchemaCurrent()).rejects.toThrow('it is a standby');
    } finally {
      connection.onApplicationShutdown();
      await database.query('DROP SCHEMA standby CASCADE');
    }
  });
});
