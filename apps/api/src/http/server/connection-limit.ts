import type { Server } from 'node:http';
import type { Metrics } from '../../status/metrics.js';

/**
 * Many times the concurrent requests, so that a refused client still reads its 503, and balancers keep their
 * connections. The server closes connections above the limit without an answer.
 */
export const MAX_CONNECTIONS = 4_096;
const RELIEF_MS = 1_000;

export function limitConnections(server: Server, metrics: Metrics, most = MAX_CONNECTIONS): void {
  server.maxConnections = most;
  let relieved = -Infinity;
  server.on('drop', () => {
    metrics.droppedConnections.inc();
    if (performance.now() - relieved < RELIEF_MS) return;
    relieved = performance.now();
    server.closeIdleConnections();
  });
}
