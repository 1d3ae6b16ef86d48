import type { ApiKeyRepository } from '@app/application';
import type { JsonLogger } from '@app/infrastructure';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Metrics } from '../../status/metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the order that the request placed or changed. It is never a value from the request. */
    orderId: string | null;
  }
}

/** Load balancers request these every few seconds. Metrics count them, but logs and traces omit them. */
const PROBES = new Set(['/health', '/health/live', '/health/ready', '/metrics']);

export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}

interface Records {
  readonly logger: JsonLogger;
  readonly metrics: Metrics;
  readonly apiKeys: ApiKeyRepository;
}

/**
 * Logs answered requests, and those whose client disconnected. The route pattern replaces the path, which may contain
 * personal data.
 */
export const requestLog = fp<Records>(
  (fastify, { logger, metrics, apiKeys }, done) => {
    fastify.decorateRequest('orderId', null);
    const recorded = new WeakSet<FastifyReply>();
    const record = (request: FastifyRequest, reply: FastifyReply, isAnswered: boolean): void => {
      if (recorded.has(reply)) return;
      recorded.add(reply);
      const { method, routeOptions, apiKey, refusedKey, orderId, id } = request;
      const key = apiKey ?? refusedKey;
      const { statusCode, elapsedTime } = reply;
      const route = routeOptions.url ?? 'unknown';
      const errorCode = reply.getHeader('x-error-code');
      if (isAnswered) {
        metrics.observeRequest({ method, route, status: statusCode, mode: apiKey?.mode ?? '' }, elapsedTime / 1000);
      } else metrics.unansweredRequests.inc({ route });
      if (key && isAnswered && typeof errorCode === 'string') apiKeys.noteRefused(key, errorCode);
      if (apiKey) metrics.keyRequests.inc({ key_id: apiKey.person?.id ?? apiKey.id });
      if (!isProbe(route)) {
        logger.write('info', 'request', {
          request_id: id,
          method,
          route,
          ...(isAnswered ? { status: statusCode } : { client_gone: true }),
          duration_ms: Math.round(elapsedTime * 100) / 100,
          ...(key && { store_id: key.store.id, key_id: key.id, mode: key.mode }),
          ...(key?.person && { person_id: key.person.id }),
          ...(orderId !== null && { order_id: orderId }),
          ...(isAnswered && errorCode !== undefined && { error_code: errorCode }),
        });
      }
    };
    fastify.addHook('onRequest', (request, reply, next) => {
      // Fastify has no hook for a response that closes before its end.
      reply.raw.once('close', () => record(request, reply, false));
      next();
    });
    // The connection closed during the look-up of the key, before the hook above was set.
    fastify.addHook('onSend', (request, reply, payload, next) => {
      if (reply.raw.destroyed) record(request, reply, false);
      next(null, payload);
    });
    fastify.addHook('onResponse', (request, reply, next) => {
      record(request, reply, true);
      next();
    });
    done();
  },
  { name: 'request-log', dependencies: ['authentication'] },
);
