import { networkOf } from '@app/application';
import fp from 'fastify-plugin';
import type { Throttle } from '../../access/throttle.js';
import { isRaw } from '../../body/body-limits.js';
import { TooManyRequests } from '../../errors/request-errors.js';

/** What the authentication does for other routes: refuses, before the body is read, the client that sends too many requests. */
export const rawRoutes = fp<{ readonly throttle: Throttle }>(
  (fastify, { throttle }, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      if (!isRaw(request)) return next();
      reply.header('cache-control', 'no-store');
      const seconds = throttle.admit(networkOf(request.ip));
      if (seconds === 0) return next();
      next(new TooManyRequests(seconds, 'of network'));
    });
    // No parser runs without a body.
    fastify.addHook('preValidation', (request, _reply, next) => {
      if (isRaw(request)) request.body ??= Buffer.alloc(0);
      next();
    });
    done();
  },
  { name: 'raw-routes', dependencies: ['authentication'] },
);
