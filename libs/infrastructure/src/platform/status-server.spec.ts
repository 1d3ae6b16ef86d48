import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { ServiceMetrics } from './service-metrics.js';
import { serveStatus, type ProcessState, type StatusServer } from './status-server.js';

/** The end of a head and a body that is never complete. */
const SMALL_CHUNKS = `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}`;

/** A connection that may fail later. */
async function connected(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe("a process's status", () => {
  afterEach(() => jest.restoreAllMocks());
  const metrics = new ServiceMetrics();
  const ready = { status: 'ok', details: { database: { status: 'up' } } } as const;
  let server: StatusServer;
  let state: ProcessState = { isLive: true, readiness: ready };
  beforeAll(async () => {
    server = await serveStatus('127.0.0.1', 0, metrics, () => state);
  });
  afterAll(() => server.close());

  /** Waits until the thread has the state. */
  const reported = async (next: ProcessState) => {
    state = next;
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  /** Another process, which sends a probe and measures the answer. */
  const fork = () => {
    const code = `
      process.stdout.write('started');
      setTimeout(async () => {
        const start = performance.now();
        await fetch('http://127.0.0.1:${server.port}/health/ready');
        process.stdout.write(' ' + Math.round(performance.now() - start));
      }, 200)`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    return {
      connected: once(child.stdout, 'data'),
      answeredAfterMs: once(child, 'close').then(() => Number(output.split(' ')[1])),
    };
  };
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init);

  it('is alive', async () => {
    const response = await get('/health/live');

    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('is not alive when it does not work', async () => {
    await reported({ isLive: false, readiness: ready });

    const response = await get('/health/live');

    expect([response.status, await response.json()]).toEqual([503, { status: 'error' }]);
  });

  it('is ready, or names the check that failed', async () => {
    await reported({ isLive: true, readiness: ready });
    const up = await get('/health/ready');
    const readiness = { status: 'error', details: { database: { status: 'down' } } } as const;
    await reported({ isLive: true, readiness });
    const down = await get('/health/ready');

    expect([up.status, await up.json()]).toEqual([200, ready]);
    expect([down.status, await down.json()]).toEqual([503, readiness]);
  });

  it('has no readiness for a process that takes no requests', async () => {
    await reported({ isLive: true, readiness: null });

    expect((await get('/health/ready')).status).toBe(404);
  });

  it('answers while the event loop of the process is busy', async () => {
    await reported({ isLive: true, readiness: ready });
    const probe = fork();
    await probe.connected;

    const until = performance.now() + 3_000;
    while (performance.now() < until);

    expect(await probe.answeredAfterMs).toBeLessThan(2_000);
  });

  it('answers one request of a connection and drops pipelined ones', async () => {
    const socket = net.connect(server.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('error', () => undefined).on('data', (chunk) => chunks.push(chunk));
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await new Promise((resolve) => socket.once('close', resolve));

    expect(Buffer.concat(chunks).toString().split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(1);
  });

  it.each([
    ['pipelined requests', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_400)],
    ['a body in small chunks', `GET /metrics HTTP/1.1\r\nHost: x\r\n${SMALL_CHUNKS}`],
    ['a POST body in small chunks', `POST /metrics HTTP/1.1\r\nHost: x\r\n${SMALL_CHUNKS}`],
    ['many header lines', `GET / HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(1_900)}\r\n`.repeat(8)],
  ])('answers the next probe after 90 connections that send %s and read nothing', async (_kind, packet) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    for (let round = 0; round < 2; round++) {
      const sockets = await Promise.all(Array.from({ length: 45 }, () => connected(server.port)));
      for (const socket of sockets) socket.pause().write(packet);
      await new Promise((resolve) => setTimeout(resolve, 700));
      for (const socket of sockets) socket.destroy();
    }
    const { status } = await get('/health/live');

    expect([status, warn.mock.calls]).toEqual([200, []]);
  });

  it('closes a connection whose head arrives a byte at a time after 5 s', async () => {
    const socket = await connected(server.port);
    const start = performance.now();
    const trickle = setInterval(() => socket.write('x'), 250);
    socket.resume().write('GET /health/live HTTP/1.1\r\nX: ');
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(trickle);

    expect(performance.now() - start).toBeLessThan(7_500);
  }, 40_000);

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

  it('starts again at the same port after its thread failed, and logs one line', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const report = jest.spyOn(Worker.prototype, 'postMessage');
    await reported(state);
    const thread = report.mock.contexts.at(-1) as Worker;
    thread.emit('error', Object.assign(new Error('out of memory'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
    await thread.terminate();

    const giveUp = performance.now() + 15_000;
    while (!(await get('/health/live').catch(() => null)) && performance.now() < giveUp)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await get('/health/live')).status).toBe(200);
    expect((await get('/metrics')).status).toBe(200);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('ERR_WORKER_OUT_OF_MEMORY')]]);
  });

  it('rejects when the port is in use', async () => {
    const { port } = server;

    await expect(serveStatus('127.0.0.1', port, metrics, () => state)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
