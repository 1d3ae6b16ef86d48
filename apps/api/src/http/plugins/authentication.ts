import fp from 'fastify-plugin';
import type { ApiKeyGuard } from '../../auth/api-key.guard.js';

interface Options {
  readonly guard: ApiKeyGuard;
}

/** Before the body is read, and for unknown paths, which no Nest guard sees. */
export const authentication = fp<Options>(
  (fastify, { guard }, done) => {
    fastify.decorateRequest('apiKey', null);
    fastify.decorateRequest('refusedKey', null);
    fastify.addHook('onRequest', (request, reply) => guard.admit(request, reply));
    done();
  },
  { name: 'authentication', dependencies: ['request-head', 'concurrency-limit'] },
);
