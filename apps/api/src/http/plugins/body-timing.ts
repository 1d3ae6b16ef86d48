import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    /** Milliseconds that the service waited for the client to send the body. */
    waitedForBodyMs: number;
  }
}

/**
 * Measures the wait for a body that has not arrived yet: an order's deadline starts when its body is there. The time that
 * a large body waits for its turn counts against the deadline.
 */
export const bodyTiming = fp(
  (fastify, _options, done) => {
    fastify.decorateRequest('waitedForBodyMs', 0);
    fastify.addHook('preParsing', (request, _reply, _payload, next) => {
      // Negative while the body arrives; `noteArrival` adds the end.
      if (!request.raw.complete) request.waitedForBodyMs = -performance.now();
      next();
    });
    done();
  },
  { name: 'body-timing', dependencies: ['unknown-routes'] },
);

/** Ends the measurement. The parser of a body calls it first. */
export function noteArrival(request: FastifyRequest): void {
  if (request.waitedForBodyMs < 0) request.waitedForBodyMs += performance.now();
}
