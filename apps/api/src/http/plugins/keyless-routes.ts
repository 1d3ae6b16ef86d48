import { networkOf } from '@app/application';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Throttle } from '../../access/throttle.js';
import { isRaw } from '../../body/body-limits.js';
import { TooManyRequests } from '../../errors/request-errors.js';

/**
 * Replaces the authentication for routes without a key: it refuses, before the body is read, the client that sends too
 * many requests. Raw bodies and the dashboard, whose sign-in costs the database work, are counted separately.
 */
export const keylessRoutes = fp<{ readonly throttle: Throttle }>(
  (fastify, { throttle }, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      if (!isRaw(request) && !isOfDashboard(request)) return next();
      if (isRaw(request)) reply.header('cache-control', 'no-store');
      const seconds = throttle.admit(`${isRaw(request) ? 'raw' : 'dashboard'} ${networkOf(request.ip)}`);
      if (seconds === 0) return next();
      reply.header('cache-control', 'no-store');
      next(new TooManyRequests(seconds, 'of network'));
    });
    // Parsers do not run without a body, so the check is repeated here.
    fastify.addHook('preValidation', (request, _reply, next) => {
      if (isRaw(request)) request.body ??= Buffer.alloc(0);
      next();
    });
    done();
  },
  { name: 'keyless-routes', dependencies: ['authentication'] },
);

/** Compares the pattern of the route, because a path may be spelled in many ways. */
function isOfDashboard({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith('/dashboard/') === true;
}
