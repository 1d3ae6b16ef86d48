import { MAX_CONNECTIONS } from '@app/application';
import type { Server } from 'node:http';
import type { Metrics } from '../../status/metrics.js';

const EVICTION_INTERVAL_MS = 1_000;

export function limitConnections(server: Server, metrics: Metrics, most = MAX_CONNECTIONS): void {
  server.maxConnections = most;
  let relieved = -Infinity;
  server.on('drop', () => {
    metrics.droppedConnections.inc();
    if (performance.now() - relieved < EVICTION_INTERVAL_MS) return;
    relieved = performance.now();
    server.closeIdleConnections();
  });
}
