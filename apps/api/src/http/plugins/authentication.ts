import fp from 'fastify-plugin';
import type { ApiKeyGuard } from '../../auth/api-key.guard.js';

interface Options {
  readonly guard: ApiKeyGuard;
}

/** Asks the guard before the body is read, also about unknown paths, which no Nest guard sees. */
export const authentication = fp<Options>(
  (fastify, { guard }, done) => {
    fastify.decorateRequest('apiKey', null);
    fastify.decorateRequest('refusedKey', null);
    fastify.addHook('onRequest', (request, reply) => guard.admit(request, reply));
    done();
  },
  { name: 'authentication', dependencies: ['request-head', 'concurrency-limit'] },
);
