import fp from 'fastify-plugin';
import type { ApiKeyGuard } from '../../access/api-key.guard.js';

/** Runs before the body is read, and also for unknown paths, which no Nest guard sees. */
export const authentication = fp<{ readonly guard: ApiKeyGuard }>(
  (fastify, { guard }, done) => {
    fastify.decorateRequest('apiKey', null);
    fastify.decorateRequest('refusedKey', null);
    fastify.decorateRequest('admissionMs', 0);
    fastify.decorateRequest('admittedAt', 0);
    fastify.addHook('onRequest', async (request, reply) => {
      const start = performance.now();
      await guard.admit(request, reply);
      request.admittedAt = performance.now();
      request.admissionMs = request.admittedAt - start;
    });
    done();
  },
  { name: 'authentication', dependencies: ['request-head', 'concurrency-limit'] },
);
