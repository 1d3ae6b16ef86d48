import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { ServiceMetrics } from '@app/infrastructure';
import type { Health, HealthReport } from './health-report.js';
import { serveStatus, type ProcessState, type StatusServer } from './status-server.js';

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

  /** The arguments of a process that sends a probe, and exits with 0 when it gets an answer in time. */
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
