import type { ApiKeyLookup } from '@app/application';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard; null for a route that needs no key. */
    apiKey: ApiKeyLookup | null;
    /** A key that exists but may not be used, for the log only. Set by the guard. */
    refusedKey: ApiKeyLookup | null;
  }
}

export type AuthenticatedRequest = FastifyRequest & { apiKey: ApiKeyLookup };
