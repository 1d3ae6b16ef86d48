import type { JsonLogger } from '@app/infrastructure';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../status/metrics.js';

/** Probes ask every few seconds: what they get is in the metrics. */
const UNLOGGED = new Set(['/health/live', '/health/ready', '/metrics']);

/** Logs and measures every request that was answered. The route pattern stands for the path, which may hold anything. */
export function logRequests(fastify: FastifyInstance, logger: JsonLogger, metrics: Metrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, apiKey, id } = request;
    const { statusCode, elapsedTime } = reply;
    const route = routeOptions.url ?? 'unknown';
    const mode = apiKey?.mode ?? '';
    metrics.requestDuration.observe({ method, route, status: statusCode, mode }, elapsedTime / 1000);
    if (apiKey) metrics.keyRequests.inc({ key_id: apiKey.id });
    if (!UNLOGGED.has(route)) {
      logger.write('info', 'request', {
        request_id: id,
        method,
        route,
        status: statusCode,
        duration_ms: Math.round(elapsedTime * 100) / 100,
        ...(apiKey && { store_id: apiKey.store.id, key_id: apiKey.id, mode }),
      });
    }
    done();
  });
}
