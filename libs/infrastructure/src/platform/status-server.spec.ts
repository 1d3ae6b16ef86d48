import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { ServiceMetrics } from './service-metrics.js';
import { serveStatus } from './status-server.js';

describe("a process's status", () => {
  const metrics = new ServiceMetrics();
  let server: Server;
  let isLive = true;
  beforeAll(async () => {
    server = await serveStatus('127.0.0.1', 0, metrics, () => isLive);
  });
  afterAll(() => server.close());

  const get = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);

  it('is alive', async () => {
    const response = await get('/health/live');

    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('is not alive when it does not work', async () => {
    isLive = false;
    const response = await get('/health/live');
    isLive = true;

    expect([response.status, await response.json()]).toEqual([503, { status: 'error' }]);
  });

  it('answers one request of a connection and drops pipelined ones', async () => {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined).on('data', (chunk) => chunks.push(chunk));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await new Promise((resolve) => socket.once('close', resolve));

    expect(Buffer.concat(chunks).toString().split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(1);
  });

  it('shows the attempts at stages and the log lines that were lost', async () => {
    metrics.observeAttempt('notify-customer', 'dead', 0.2);
    metrics.observeLog(() => 7);
    const response = await get('/metrics');

    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    expect(text).toContain('pipeline_attempt_duration_seconds_count{stage="notify-customer",outcome="dead"} 1');
    expect(text).toContain('log_lines_dropped_total 7');
  });

  it('has no other paths', async () => {
    expect((await get('/v1/orders')).status).toBe(404);
    expect((await get('/metrics', { method: 'POST', body: 'x' })).status).toBe(404);
  });

  it('rejects when the port is in use', async () => {
    const { port } = server.address() as AddressInfo;

    await expect(serveStatus('127.0.0.1', port, metrics, () => true)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
