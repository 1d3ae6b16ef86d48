import type { JsonLogger } from '@app/infrastructure';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../status/metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The order that the request was about, once it is known: never what the client sent for one. */
    orderId: string | null;
  }
}

/** Probes ask every few seconds: what they get is in the metrics. */
const PROBES = new Set(['/health', '/health/live', '/health/ready', '/metrics']);

export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}

/** Logs and measures every request that was answered. The route pattern stands for the path, which may hold anything. */
export function logRequests(fastify: FastifyInstance, logger: JsonLogger, metrics: Metrics): void {
  fastify.decorateRequest('orderId', null);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, apiKey, orderId, id } = request;
    const { statusCode, elapsedTime } = reply;
    const route = routeOptions.url ?? 'unknown';
    const errorCode = reply.getHeader('x-error-code');
    metrics.observeRequest({ method, route, status: statusCode, mode: apiKey?.mode ?? '' }, elapsedTime / 1000);
    if (apiKey) metrics.keyRequests.inc({ key_id: apiKey.id });
    if (!isProbe(route)) {
      logger.write('info', 'request', {
        request_id: id,
        method,
        route,
        status: statusCode,
        duration_ms: Math.round(elapsedTime * 100) / 100,
        ...(apiKey && { store_id: apiKey.store.id, key_id: apiKey.id, mode: apiKey.mode }),
        ...(orderId !== null && { order_id: orderId }),
        ...(errorCode !== undefined && { error_code: errorCode }),
      });
    }
    done();
  });
}
