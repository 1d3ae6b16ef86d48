import { createServer, type Server } from 'node:http';
import type { ServiceMetrics } from './service-metrics.js';

/** Serves `/metrics` and `/health/live` at a port of their own, which is for operators only. */
export function serveStatus(host: string, port: number, metrics: ServiceMetrics): Promise<Server> {
  const server = createServer((request, response) => {
    // Nothing that is asked here has a body, and nothing may be changed.
    const path = request.method === 'GET' ? request.url?.replace(/\?.*$/s, '') : undefined;
    if (path === '/metrics') {
      void metrics.text.read().then(
        (text) => response.setHeader('content-type', metrics.text.contentType).end(text),
        () => response.writeHead(500).end(),
      );
      return;
    }
    const isLive = path === '/health/live';
    response.writeHead(isLive ? 200 : 404, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(isLive ? { status: 'ok' } : { success: false, error: 'Not found' }));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}
