import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import {
  ServiceMetrics,
  Config,
  type GaugeRow,
  type HealthConnection,
  type InstallationGauges,
} from '@app/infrastructure';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { Health, HealthReport } from './health-report.js';
import { serveStatus, type ProcessState, type StatusServer } from './status-server.js';
import { Indicators, Readiness } from './indicators.js';

describe("a process's status", () => {
  const metrics = new ServiceMetrics();
  const ready: Health = { status: 200, body: { status: 'ok', details: { database: { status: 'up' } } } };
  const late: Health = { status: 503, body: { status: 'error', details: { pipeline: { status: 'down' } } } };
  const reporting = (health: Pick<HealthReport, 'ready' | 'detail'>) => health as HealthReport;
  const health = reporting({ ready: () => Promise.resolve(ready), detail: () => Promise.resolve(late) });
  let server: StatusServer;
  let state: ProcessState;
  beforeEach(() => (state = { isLive: true, health }));
  beforeAll(async () => {
    server = await serveStatus('127.0.0.1', 0, metrics, () => state);
  });
  afterAll(() => server.close());

  const probeWithin = (ms: number) => {
    const probe = `fetch('http://127.0.0.1:${server.port}/health/live', { signal: AbortSignal.timeout(${ms}) })`;
    return ['-e', `${probe}.then(() => process.exit(0), () => process.exit(1))`];
  };
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);

  it('is alive', async () => {
    const response = await get('/health/live');

    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('is not alive when it does not work', async () => {
    state = { isLive: false, health };

    const response = await get('/health/live');

    expect([response.status, await response.json()]).toEqual([503, { status: 'error' }]);
  });

  it('answers what the checks of the process report', async () => {
    for (const [path, { status, body }] of [
      ['/health/ready?x', ready],
      ['/health', late],
    ] as const) {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([status, body]);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('is alive and not ready while it waits for its database', async () => {
    state = { isLive: true, health: null };

    expect((await get('/health/live')).status).toBe(200);
    for (const path of ['/health/ready', '/health']) {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([503, { status: 'error' }]);
    }
  });

  it('answers no probe while the event loop is blocked', async () => {
    expect(spawnSync(process.execPath, probeWithin(1_000)).status).toBe(1);

    expect(await once(spawn(process.execPath, probeWithin(10_000)), 'exit')).toEqual([0, null]);
  });

  it('answers one request of a connection and drops pipelined ones', async () => {
    const socket = net.connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined).on('data', (chunk) => chunks.push(chunk));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await new Promise((resolve) => socket.once('close', resolve));

    expect(Buffer.concat(chunks).toString().split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(1);
  });

  it('shows the metrics', async () => {
    metrics.observeLog(() => 7);
    const response = await get('/metrics');

    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(await response.text()).toContain('log_lines_dropped_total 7');
  });

  it('has no other paths', async () => {
    expect((await get('/v1/orders')).status).toBe(404);
    expect((await get('/metrics', { method: 'POST', body: 'x' })).status).toBe(404);
  });

  it('rejects when the port is in use', async () => {
    const { port } = server;

    await expect(serveStatus('127.0.0.1', port, metrics, () => state)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

const config = new Config({
  PIPELINE_MAX_LAG_SECONDS: '60',
  PIPELINE_MAX_DEAD_LETTERS: '2',
  FEED_MAX_LAG_SECONDS: '30',
  WAL_MAX_RETAINED_MIB: '1',
});

describe('the installation', () => {
  const slot = (name: string, wal_status: string, value: number) => ({ slot: name, wal_status, value });
  const of = async (found: Readonly<Record<string, readonly GaugeRow[]>>) => {
    const gauges = { read: () => Promise.resolve(new Map(Object.entries(found))) } as unknown as InstallationGauges;
    const connection = {} as HealthConnection;
    return new Indicators(new HealthIndicatorService(), connection, gauges, new Readiness(), config).installation();
  };
  const found = (lag: number, dead: number, feed: number, slots: readonly GaugeRow[]) => ({
    pipeline_lag_seconds: [{ value: lag }],
    pipeline_dead_letters: [{ value: dead }],
    feed_lag_seconds: [{ value: feed }],
    database_slot_retained_bytes: slots,
  });

  it('is up at its limits', async () => {
    const slots = [slot('a', 'extended', 2 ** 20), slot('b', 'none', 0)];

    expect(await of(found(60, 2, 30, slots))).toEqual({
      pipeline: { status: 'up', lag_seconds: 60, dead_letters: 2 },
      feed: { status: 'up', lag_seconds: 30 },
      wal: { status: 'up', slots: 2, retained_bytes: 2 ** 20 },
    });
    expect(await of(found(0, 0, 0, []))).toMatchObject({ wal: { status: 'up', slots: 0, retained_bytes: 0 } });
  });

  it('is down beyond them, and says why', async () => {
    const slots = [slot('a', 'unreserved', 0), slot('b', 'lost', 0), slot('c', 'extended', 5 * 2 ** 20)];

    expect(await of(found(61.5, 3, 31, slots))).toEqual({
      pipeline: {
        status: 'down',
        lag_seconds: 61.5,
        dead_letters: 3,
        reasons: [
          'The oldest due stage has waited 61 s: more than 60 s (PIPELINE_MAX_LAG_SECONDS)',
          '3 stages have failed for good: more than 2 (PIPELINE_MAX_DEAD_LETTERS)',
        ],
      },
      feed: {
        status: 'down',
        lag_seconds: 31,
        reasons: ['Changes have waited 31 s for a position in the feed: more than 30 s (FEED_MAX_LAG_SECONDS)'],
      },
      wal: {
        status: 'down',
        slots: 3,
        retained_bytes: 5 * 2 ** 20,
        reasons: [
          'The WAL of replication slot a is unreserved',
          'The WAL of replication slot b is lost',
          'Replication slot c retains 5 MiB of WAL: more than 1 MiB (WAL_MAX_RETAINED_MIB)',
        ],
      },
    });
  });

  it('is up with null while its state is unknown', async () => {
    expect(await of({})).toEqual({
      pipeline: { status: 'up', lag_seconds: null, dead_letters: null },
      feed: { status: 'up', lag_seconds: null },
      wal: { status: 'up', slots: null, retained_bytes: null },
    });
  });
});
