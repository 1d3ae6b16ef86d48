import type { ApiKeyLookup } from '@app/application';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a route that needs no key. */
    apiKey: ApiKeyLookup | null;
    /** A key that exists but may not be used, for the log only. */
    refusedKey: ApiKeyLookup | null;
  }
}

export type AuthenticatedRequest = FastifyRequest & { apiKey: ApiKeyLookup };
