import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceMetrics } from './service-metrics.js';

/** More than scrapers and probes need, and few enough to leave the process its descriptors. */
const MAX_CONNECTIONS = 50;
const served = new WeakSet<Socket>();

/**
 * Serves `/metrics` and `/health/live` at a port of their own, which is for operators only.
 *
 * @param isLive called for each probe. When it returns false, the probe gets a 503 and may restart the process.
 */
export function serveStatus(
  host: string,
  port: number,
  metrics: ServiceMetrics,
  isLive: () => boolean = () => true,
): Promise<Server> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    // One request per connection: pipelined requests get no answer and take no memory.
    response.shouldKeepAlive = false;
    if (served.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    served.add(request.socket);
    // No endpoint here takes a body or changes anything.
    const path = request.method === 'GET' ? request.url?.replace(/\?.*$/s, '') : undefined;
    if (path === '/metrics') {
      void metrics.text.read().then(
        (text) => response.setHeader('content-type', metrics.text.contentType).end(text),
        () => response.writeHead(500).end(),
      );
      return;
    }
    const [status, body] =
      path !== '/health/live'
        ? [404, { success: false, error: 'Not found' }]
        : isLive()
          ? [200, { status: 'ok' }]
          : [503, { status: 'error' }];
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(10_000);
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}
