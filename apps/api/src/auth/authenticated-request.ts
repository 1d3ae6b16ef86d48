import type { ApiKeyLookup } from '@app/application';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the `authentication` plugin; null outside `/v1`. */
    apiKey: ApiKeyLookup | null;
  }
}

export type AuthenticatedRequest = FastifyRequest & { apiKey: ApiKeyLookup };
