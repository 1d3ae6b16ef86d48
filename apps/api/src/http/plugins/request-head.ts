import { BadRequestException } from '@nestjs/common';
import fp from 'fastify-plugin';
import { faultOfHead } from '../server/request-head.js';

/**
 * Refuses untrustworthy heads before any other plugin reads them. Registered before Nest's adapter adds its hooks, one
 * of which answers 404.
 */
export const requestHead = fp(
  (fastify, _options, done) => {
    fastify.addHook('onRequest', (request, reply, next) => {
      reply.header('x-request-id', request.id);
      const fault = faultOfHead(request.raw);
      if (fault === null) {
        next();
        return;
      }
      reply.raw.shouldKeepAlive = false;
      // The authentication plugin sets this header for all later answers under /v1.
      reply.header('cache-control', 'no-store');
      next(new BadRequestException(fault));
    });
    done();
  },
  { name: 'request-head' },
);
