import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceMetrics } from '@app/infrastructure';
import type { HealthReport } from './health-report.js';

/** More than scrapers and probes need, but few enough to leave the process its file descriptors. */
const MAX_CONNECTIONS = 50;
const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const IDLE_MS = 10_000;

export interface ProcessState {
  /** When false, the orchestrator restarts the process. */
  readonly isLive: boolean;
  /** Is null while the process waits for its database. */
  readonly health: HealthReport | null;
}

export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves probes and metrics on a separate port, so that they do not wait for client connections. They do wait for the
 * event loop, because the probes must fail while it is blocked.
 */
export async function serveStatus(
  host: string,
  port: number,
  metrics: ServiceMetrics,
  state: () => ProcessState,
): Promise<StatusServer> {
  const server = createServer(LIMITS, (request, response) => {
    request.resume();
    answer(request, response, metrics, state()).catch(() => response.writeHead(500).end());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = 1;
  // Node would keep an answer for each further pipelined request until the client reads the first answer.
  server.on('dropRequest', (_, socket) => socket.destroy());
  server.setTimeout(IDLE_MS);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  metrics: ServiceMetrics,
  { isLive, health }: ProcessState,
): Promise<void> {
  const path = method === 'GET' ? url?.replace(/\?.*$/s, '') : undefined;
  if (path === '/metrics') {
    const text = await metrics.text();
    response.setHeader('content-type', metrics.registry.contentType).end(text);
    return;
  }
  const { status, body } = await statusAt(path, isLive, health);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function statusAt(path: string | undefined, isLive: boolean, health: HealthReport | null) {
  const waiting = { status: 503, body: { status: 'error' } };
  if (path === '/health/live') return isLive ? { status: 200, body: { status: 'ok' } } : waiting;
  if (path === '/health/ready') return (await health?.ready()) ?? waiting;
  if (path === '/health') return (await health?.detail()) ?? waiting;
  return { status: 404, body: { success: false, error: 'Not found', code: 'not_found' } };
}
