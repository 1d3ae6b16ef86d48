import type { JsonLogger } from '@app/infrastructure';
import fp from 'fastify-plugin';
import type { Metrics } from '../../status/metrics.js';
import { isProbe } from './probes.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the order that a handler read or placed. Never a value from the request. */
    orderId: string | null;
  }
}

interface Options {
  readonly logger: JsonLogger;
  readonly metrics: Metrics;
}

/** Logs and measures every answered request. The route pattern replaces the path, which may contain personal data. */
export const requestLog = fp<Options>(
  (fastify, { logger, metrics }, done) => {
    fastify.decorateRequest('orderId', null);
    fastify.addHook('onResponse', (request, reply, next) => {
      const { method, routeOptions, apiKey, orderId, id } = request;
      const { statusCode, elapsedTime } = reply;
      const route = routeOptions.url ?? 'unknown';
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
        });
      }
      next();
    });
    done();
  },
  { name: 'request-log', dependencies: ['authentication'] },
);
