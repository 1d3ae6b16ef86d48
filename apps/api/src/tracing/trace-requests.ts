import { type RequestSpan, startRequestSpan } from '@app/infrastructure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isProbe } from '../logging/request-log.js';

/** Makes a span of every request but probes'. To be added before whatever asks the database. */
export function traceRequests(fastify: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions, id } = request;
    if (isProbe(routeOptions.url)) return done();
    const route = routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': method, 'http.route': route, 'request.id': id };
    const span = startRequestSpan(headers, `${method} ${route}`, attributes);
    spans.set(request, span);
    span.run(done);
  });
  // A body arrives in events of the connection, which know nothing of the request.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.run(done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { apiKey, orderId } = request;
    spans.get(request)?.end(reply.statusCode, {
      ...(apiKey && { 'store.id': apiKey.store.id }),
      ...(orderId !== null && { 'order.id': orderId }),
    });
    done();
  });
}
