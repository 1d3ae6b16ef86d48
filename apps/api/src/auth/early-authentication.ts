import { AuthenticateApiKey } from '@app/application';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AuthenticationError } from './authentication-error.js';

/**
 * Checks the key of every request under `/v1` before its body is read and before it matters whether its route exists.
 */
export function authenticateEarly(fastify: FastifyInstance, authenticate: AuthenticateApiKey): void {
  fastify.decorateRequest('apiKey', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (!isUnderV1(request)) return;
    const { key, failure } = await authenticate.execute(authorizationOf(request));
    if (failure) throw new AuthenticationError(failure);
    request.apiKey = key;
    reply.header('x-traffic-mode', key.mode);
  });
}

/** The route tells for what is routed, however its path was spelled; the path tells for what is not. */
function isUnderV1({ routeOptions, url }: FastifyRequest): boolean {
  return /^\/v1(?:[/?]|$)/.test(routeOptions.url ?? url);
}

/** The one Authorization header: of two, neither is to be trusted. */
function authorizationOf({ raw }: FastifyRequest): string | undefined {
  const values = raw.headersDistinct['authorization'];
  return values?.length === 1 ? values[0] : undefined;
}
