import { type RequestSpan, startRequestSpan } from '@app/infrastructure';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { isProbe } from './request-log.js';

export const tracing = fp(
  (fastify, _options, done) => {
    const spans = new WeakMap<FastifyRequest, RequestSpan>();
    fastify.addHook('onRequest', (request, _reply, next) => {
      const { method, headers, routeOptions, id } = request;
      if (isProbe(routeOptions.url)) return next();
      const route = routeOptions.url ?? 'unknown';
      const attributes = { 'http.request.method': method, 'http.route': route, 'request.id': id };
      const span = startRequestSpan(headers, `${method} ${route}`, attributes);
      spans.set(request, span);
      span.run(next);
    });
    // Body chunks arrive in events of the connection, outside the context of the span. So the span runs again here.
    fastify.addHook('preValidation', (request, _reply, next) => {
      const span = spans.get(request);
      if (span) span.run(next);
      else next();
    });
    fastify.addHook('onResponse', (request, reply, next) => {
      const { apiKey, orderId } = request;
      spans.get(request)?.end(reply.statusCode, {
        ...(apiKey && { 'store.id': apiKey.store.id }),
        ...(orderId !== null && { 'order.id': orderId }),
      });
      next();
    });
    done();
  },
  { name: 'tracing', dependencies: ['request-head'] },
);
