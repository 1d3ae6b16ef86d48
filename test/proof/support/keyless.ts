import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { kernelSockets } from '../../support/kernel-sockets.js';
import { freePort } from '../../support/free-port.js';
import type { Rig } from './rig.js';
import type { Service } from './service.js';

/** Its files are further routes. */
const ROUTES = ['/health/live', '/health/ready', '/health', '/metrics', '/docs', '/openapi.json'];

interface Manner {
  /** Requests per packet. */
  readonly requests: number;
  /** The end of the last request. */
  readonly rest?: string;
  /** Whether it reads the answers, expects all of them, and expects the service to close the connection. */
  readonly reads: boolean;
  /** The client's longest stay. */
  readonly staysMs: number;
}

/** The manners in which clients without a key use a connection. */
const MANNERS = {
  pipelined: { requests: 4, rest: 'Connection: close\r\n\r\n', reads: true, staysMs: 10_000 },
  unread: { requests: 15, reads: false, staysMs: 1_000 },
  flood: { requests: 1_700, reads: false, staysMs: 1_000 },
  // Bodies that are never complete, in chunks of 1 byte.
  chunks: {
    requests: 1,
    rest: `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(50_000)}`,
    reads: false,
    staysMs: 1_000,
  },
  aborted: { requests: 1, reads: false, staysMs: 0 },
} as const satisfies Record<string, Manner>;

/** The results of clients without a key. */
export interface KeylessAttack {
  readonly requests: number;
  readonly violations: string[];
}

/**
 * Requests every route that needs no key, in every manner.
 *
 * @param each number of connections per manner and route; all routes run at the same time.
 */
export async function attackWithoutKey(url: string, each: number): Promise<KeylessAttack> {
  const paths = [...ROUTES, ...(await filesOfPage(url))];
  const violations: string[] = [];
  let requests = 0;
  for (const [name, manner] of Object.entries(MANNERS)) {
    const clients = paths.flatMap((path) => Array.from({ length: each }, () => path));
    const faults = await Promise.all(clients.map((path) => client(url, path, manner)));
    requests += clients.length * manner.requests;
    violations.push(...faults.flatMap((fault, n) => (fault === null ? [] : [`${name} ${clients[n] ?? ''}: ${fault}`])));
  }
  return { requests, violations: [...new Set(violations)].slice(0, 20) };
}

/** Fewer than the port takes, so that each one is parsed. */
const FLOODS = 45;
/** As many as a packet of 64 kB holds. */
const FLOOD_REQUESTS = 2_400;

/** Floods the port for metrics and probes of a process of its own, which must survive and answer the next probe. */
export async function floodMetricsPort(rig: Rig): Promise<KeylessAttack> {
  const port = await freePort();
  const service = await rig.startService({ env: { METRICS_PORT: String(port) } });
  const chunks = `GET /metrics HTTP/1.1\r\nHost: x\r\n${MANNERS.chunks.rest}`;
  for (const packet of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(FLOOD_REQUESTS), chunks]) {
    const sockets = Array.from({ length: FLOODS }, () => net.connect(port, '127.0.0.1').on('error', () => undefined));
    await delay(500); // all packets arrive at the same time
    for (const socket of sockets) socket.pause().write(packet);
    await delay(1_500);
    for (const socket of sockets) socket.destroy();
  }
  const live = `http://127.0.0.1:${port}/health/live`;
  const probe = await fetch(live, { signal: AbortSignal.timeout(PROBE_MS) }).catch(() => null);
  const isFine = service.isRunning && probe?.status === 200 && (service.memory ?? 0) < FLOODED_BYTES;
  await service.kill();
  const violations = isFine ? [] : ['A flood of METRICS_PORT ended the process, silenced it or filled its memory'];
  return { requests: FLOODS * (FLOOD_REQUESTS + 1), violations };
}

/** The longest wait for a probe after a flood. */
const PROBE_MS = 5_000;
/** Half of what docker/kubernetes allows the process. */
const FLOODED_BYTES = 768 * 2 ** 20;

/** Beyond the proxy's limit on clients that do not read. */
const HUNG_UP_ON_MS = 21_000;

/**
 * Requests the page's largest file three times on each connection, reads nothing, and keeps the connections open. All
 * unsent data then stays on the service's machine.
 *
 * @param url what the clients connect to.
 * @returns the data that the service's sockets still hold after it has dropped the clients.
 */
export async function keepUnread(service: Service, url: string, connections: number): Promise<KeylessAttack> {
  const port = Number(new URL(url).port);
  const file = (await filesOfPage(url)).find((name) => name.includes('bundle')) ?? '/openapi.json';
  const sockets = Array.from({ length: connections }, () => net.connect(port, '127.0.0.1'));
  for (const socket of sockets) {
    socket.on('error', () => undefined).pause();
    socket.write(`GET ${file} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(3));
  }
  await delay(HUNG_UP_ON_MS);
  const { orphans, unsentBytes } = kernelSockets(Number(new URL(service.url).port));
  for (const socket of sockets) socket.destroy();
  const violations = orphans === 0 ? [] : [`${orphans} sockets without a process hold ${unsentBytes} unsent bytes`];
  return { requests: 3 * connections, violations };
}

/** @throws Error when the page names no files: they are the most expensive to serve. */
async function filesOfPage(url: string): Promise<string[]> {
  const page = await fetch(`${url}/docs/`);
  const names = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
  const files = names.map((name) => new URL(name, page.url)).filter(({ origin }) => origin === new URL(url).origin);
  if (files.length < 3) throw new Error('The documentation page names fewer files than it needs');
  return files.map(({ pathname }) => pathname);
}

/** @returns the fault in the answers; `null` when there is none, or when the client does not read them. */
async function client(
  url: string,
  path: string,
  { requests, rest = '\r\n', reads, staysMs }: Manner,
): Promise<string | null> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  const statuses = () =>
    Buffer.concat(chunks)
      .toString('latin1')
      .match(/HTTP\/1\.1 \d{3}(?= )/g) ?? [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  if (reads) socket.on('data', (chunk) => chunks.push(chunk));
  else socket.pause();
  const one = `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
  await new Promise((resolve) => socket.write(`${one}\r\n`.repeat(requests - 1) + one + rest, resolve));
  const left = new AbortController();
  const stay = delay(staysMs, false, { signal: left.signal }).catch(() => false);
  const isClosed = await Promise.race([closed.then(() => true), stay]);
  left.abort(); // A pending timer would keep the process running.
  socket.destroy();
  if (!reads) return null;
  if (!isClosed) return `not disconnected within ${staysMs} ms`;
  const found = statuses().map((line) => Number(line.slice(9)));
  const isFine = found.length === requests && found.every((status) => status === 200);
  return isFine ? null : `answered ${found.join(', ') || 'nothing'} to ${requests} requests`;
}
