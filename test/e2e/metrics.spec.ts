import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Readiness } from '@app/health';
import pg from 'pg';
import { MetricsServer } from '../../apps/api/src/status/metrics-server.js';
import { Metrics } from '../../apps/api/src/status/metrics.js';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const customer = { name: 'Ada Lovelace', email: 'ada@example.com' };

describe('the metrics', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ PIPELINE: 'inline', SMTP_URL: 'smtp://127.0.0.1:1', DATABASE_POOL_SIZE: '2' });
  });
  afterAll(() => api.stop());

  /** The current values. The ones that clients get may be a second old. */
  const read = () => api.app.get(Metrics).registry.metrics();
  const valueIn = (text: string, series: string) => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  };
  const value = async (series: string) => valueIn(await read(), series);
  /** By how much `series` grows while `act` runs. */
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
    expect(await read()).not.toContain('/v1/a');
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
    await api.database.query(`UPDATE stores SET fraud_settings = '{"blocked_emails": ["blocked@example.com"]}'`);
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
    expect(await growth(inTransactions, () => order(mug))).toBe(5);
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
      blocker = new pg.Client({ connectionString: api.database.url });
      await blocker.connect();
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM stock WHERE product_id = $1 FOR UPDATE', [mug]);
    });

    it('show how many requests wait for a connection', async () => {
      const orders = [order(mug), order(mug), order(mug)];
      await eventually(async () => {
        const text = await read();
        expect(valueIn(text, 'database_pool_in_use')).toBe(2);
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
      // At once: a transaction is retried only while its request has time left.
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

  it('measure attempts at stages, and show the lag and the dead letters', async () => {
    const mug = await product(1);
    const failed = 'pipeline_attempt_duration_seconds_count{stage="notify-customer",outcome="failed"}';
    const before = await value(failed);
    await order(mug);
    await eventually(async () => expect(await value(failed)).toBeGreaterThan(before));

    await api.database.query(`UPDATE order_stages SET state = 'dead' WHERE stage = 'notify-merchant'`);
    await api.database.query(
      `UPDATE order_stages SET run_at = now() - interval '1 hour', locked_until = now() - interval '1 s'
       WHERE stage = 'notify-customer'`,
    );
    await api.app.get(Readiness).check();
    expect(await value('pipeline_lag_seconds')).toBeGreaterThan(3590);
    expect(await value('pipeline_dead_letters')).toBeGreaterThan(0);
  });

  it('are rendered at most once a second', async () => {
    const { registry } = api.app.get(Metrics);
    const make = jest.spyOn(registry, 'metrics');
    const start = performance.now();

    for (let n = 0; n < 50; n++) expect((await api.inject({ url: '/metrics' })).statusCode).toBe(200);

    expect(make.mock.calls.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - start) / 1_000));
    make.mockRestore();
  });

  it('show the lag of the event loop', async () => {
    expect(await value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it.each(['prometheus/alerts.yml', 'grafana/dashboards/store-commerce.json'])(
    'contain every metric that %s uses',
    async (file) => {
      const text = readFileSync(path.resolve(import.meta.dirname, '../../docker', file), 'utf8');
      const asked = text.match(/\b(?:http|database|orders|pipeline|api_key|nodejs|process)_[a-z0-9_]+/g) ?? [];
      const exposed = await read();
      const missing = [...new Set(asked)].filter((name) => !new RegExp(`^(# TYPE )?${name}[ {]`, 'm').test(exposed));

      expect(asked.length).toBeGreaterThan(8);
      expect(missing).toEqual([]);
    },
  );
});

describe('the metrics with METRICS_PORT', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi({ METRICS_PORT: '0', HOST: '127.0.0.1' });
  });
  afterAll(() => api.stop());

  it('are not served at the public port', async () => {
    const url = `http://127.0.0.1:${api.app.get(MetricsServer).port}/metrics`;
    const response = await fetch(url);

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('http_request_duration_seconds');
    expect((await api.inject({ url: '/metrics' })).statusCode).toBe(404);
    expect((await api.inject({ url: '/health/live' })).statusCode).toBe(200);
  });

  it('are served with the probes', async () => {
    const base = `http://127.0.0.1:${api.app.get(MetricsServer).port}`;
    expect((await fetch(`${base}/health/live`)).status).toBe(200);

    expect((await fetch(`${base}/health`)).status).toBe(200);
    const ready = await fetch(`${base}/health/ready`);
    expect(await ready.json()).toEqual((await api.inject({ url: '/health/ready' })).json());
  });

  it('are no longer served after the application has closed', async () => {
    const url = `http://127.0.0.1:${api.app.get(MetricsServer).port}/metrics`;
    await api.app.close();

    await expect(fetch(url)).rejects.toThrow();
  });
});
