import type { ApiKeyLookup, ApiKeyRepository, AuthenticateApiKey } from '@app/application';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import '../../auth/authenticated-request.js';
import type { Throttle } from '../../auth/throttle.js';
import { AuthenticationError } from '../../errors/authentication-error.js';
import { TooManyRequests } from '../../errors/too-many-requests.js';
import { linesNamed } from '../server/request-head.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that changes nothing although its method is not safe: keys with the scope `read` may use it. */
    writesNothing?: boolean;
  }
}

interface Options {
  readonly authenticate: AuthenticateApiKey;
  readonly throttle: Throttle;
  readonly apiKeys: Pick<ApiKeyRepository, 'noteThrottled'>;
}

const EXPIRY_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** Checks the API key of every request under `/v1`, unknown paths included, and its scope before the body is read. */
export const authentication = fp<Options>(
  (fastify, { authenticate, throttle, apiKeys }, done) => {
    fastify.decorateRequest('apiKey', null);
    fastify.addHook('onRequest', async (request, reply) => {
      if (!isUnderV1(request)) return;
      reply.header('cache-control', 'no-store');
      const { key, failure } = await authenticate.execute(authorizationOf(request));
      if (failure) throw new AuthenticationError(failure);
      request.apiKey = key;
      describeKey(reply, key);
      const seconds = throttle.admit(key.id);
      if (seconds > 0) {
        apiKeys.noteThrottled(key);
        throw new TooManyRequests(seconds);
      }
      if (key.scope !== 'full' && mayWrite(request)) throw new AuthenticationError('insufficient_scope');
    });
    done();
  },
  { name: 'authentication', dependencies: ['request-head', 'concurrency-limit', 'read-deadline'] },
);

/**
 * For a known route, its pattern decides, however the path is spelled. For an unknown path, the decoded path decides, so
 * that no spelling of it gets an answer without a key.
 */
function isUnderV1({ routeOptions, url }: FastifyRequest): boolean {
  return /^\/v1(?:[/?#]|$)/.test(routeOptions.url ?? decodeURIComponent(url.replace(/[?#].*$/s, '')));
}

/**
 * Every method of a known route but those that HTTP defines as safe, and routes that declare to write nothing. An unknown
 * path is 404 for every key.
 */
function mayWrite({ method, is404, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && !is404 && routeOptions.config.writesNothing !== true;
}

/** The Authorization header; `undefined` when it is repeated, because neither value can be trusted then. */
function authorizationOf({ headers, raw }: FastifyRequest): string | undefined {
  return linesNamed('authorization', raw.rawHeaders) === 1 ? headers.authorization : undefined;
}

function describeKey(reply: FastifyReply, { mode, expiresAt }: ApiKeyLookup): void {
  reply.header('x-traffic-mode', mode);
  if (expiresAt && expiresAt.getTime() - Date.now() < EXPIRY_NOTICE_MS) {
    reply.header('x-key-expires-at', expiresAt.toISOString());
  }
}
