import type { ApiKeyLookup, ApiKeyRepository, AuthenticateApiKey } from '@app/application';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationError } from '../errors/authentication-error.js';
import type { Throttle } from './throttle.js';
import { TooManyRequests } from '../errors/too-many-requests.js';

const EXPIRY_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Checks the key of every request under `/v1` before its body is read and before it matters whether its route exists.
 */
export function authenticateEarly(
  fastify: FastifyInstance,
  authenticate: AuthenticateApiKey,
  throttle: Throttle,
  apiKeys: Pick<ApiKeyRepository, 'noteThrottled'>,
): void {
  fastify.decorateRequest('apiKey', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (!isUnderV1(request)) return;
    reply.header('cache-control', 'no-store');
    const { key, failure } = await authenticate.execute(authorizationOf(request));
    if (failure) throw new AuthenticationError(failure);
    request.apiKey = key;
    describeKey(reply, key);
    const seconds = throttle.admit(key.id);
    if (seconds === 0) return;
    apiKeys.noteThrottled(key);
    throw new TooManyRequests(seconds);
  });
}

/**
 * The route tells for what is routed, however its path was spelled. Of what is not routed the path tells, decoded, so
 * that no spelling of an unknown path is answered without a key either.
 */
function isUnderV1({ routeOptions, url }: FastifyRequest): boolean {
  return /^\/v1(?:[/?#]|$)/.test(routeOptions.url ?? decodeURIComponent(url.replace(/[?#].*$/s, '')));
}

/** The one Authorization header: of two, neither is to be trusted. */
function authorizationOf({ headers, raw }: FastifyRequest): string | undefined {
  // Node joins or drops repetitions; the raw headers, name and value in turn, have them all.
  const isAuthorization = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === 'authorization';
  return raw.rawHeaders.filter(isAuthorization).length === 1 ? headers.authorization : undefined;
}

function describeKey(reply: FastifyReply, { mode, expiresAt }: ApiKeyLookup): void {
  reply.header('x-traffic-mode', mode);
  if (expiresAt && expiresAt.getTime() - Date.now() < EXPIRY_NOTICE_MS) {
    reply.header('x-key-expires-at', expiresAt.toISOString());
  }
}
