import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { isReady } from './service.js';

/** Probes more often than production balancers, which probe every few seconds, to keep the proof short. */
const PROBE_MS = 500;

interface Balancer {
  readonly url: string;
  knows(service: string): Promise<void>;
  close(): Promise<void>;
}

/** A strict balancer: when a service fails, it neither retries nor picks another service. */
export async function startBalancer(services: readonly string[]): Promise<Balancer> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 64 });
  const ready = new Set<string>();
  const probe = async (service: string) => {
    if (await isReady(service, 2_000)) ready.add(service);
    else ready.delete(service);
  };
  const probeAll = () => Promise.all(services.map(probe));
  await probeAll();
  const timer = setInterval(() => void probeAll(), PROBE_MS);

  let turn = 0;
  const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const candidates = [...ready];
    const service = candidates[turn++ % candidates.length];
    if (service === undefined) return void response.writeHead(502).end('{"error":"no service is ready"}');
    passOn(request, response, service, agent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    knows: async (service) => {
      while (!ready.has(service)) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    close: async () => {
      clearInterval(timer);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes the answer back unchanged. There is no retry. */
export function passOn(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  service: string,
  agent: http.Agent,
): void {
  const { connection: _, ...headers } = request.headers;
  const passed = http.request(service + request.url, { agent, method: request.method, headers }, (answer) => {
    const { connection: __, 'keep-alive': ___, ...answered } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answered);
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  passed.on('error', (error: NodeJS.ErrnoException) => {
    if (!response.headersSent) response.writeHead(502).end(`{"error":"${error.code ?? 'cut'}"}`);
    else response.destroy();
  });
  request.pipe(passed);
}
