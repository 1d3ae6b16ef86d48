import fp from 'fastify-plugin';
import { keepAliveAfterContinue } from '../server/expectations.js';

/**
 * Sends `100 Continue` once the head is accepted: key, route and announced size. A refused client does not send its body.
 */
export const continueAccepted = fp(
  (fastify, _options, done) => {
    fastify.addHook('preParsing', (request, reply, _payload, next) => {
      const keepAlive = keepAliveAfterContinue(request.raw);
      const isTooLarge = Number(request.headers['content-length']) > request.routeOptions.bodyLimit;
      if (keepAlive !== undefined && !isTooLarge) {
        reply.raw.shouldKeepAlive = keepAlive;
        reply.raw.writeContinue();
      }
      next();
    });
    done();
  },
  { name: 'continue', dependencies: ['unknown-routes', 'body-timing'] },
);
