import { ApiKeyRepository, AuthenticateApiKey, type ApiKeyLookup } from '@app/application';
import { permits } from '@app/domain';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationError, TooManyRequests } from '../errors/request-errors.js';
import { linesNamed } from '../header-lines.js';
import './authenticated-request.js';
import { bearerKey } from './bearer-key.js';
import './route-access.js';
import { Throttle } from './throttle.js';

const EXPIRY_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Decides about a request: which store its key belongs to, whether the key works too fast, and whether its scope permits
 * the route. A route is closed until `@Public()` opens it.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticate: AuthenticateApiKey,
    private readonly apiKeys: ApiKeyRepository,
    private readonly throttle: Throttle,
  ) {}

  /** Relies on the decision of the early hook, if there was one. */
  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!request.apiKey) await this.admit(request, http.getResponse<FastifyReply>());
    return true;
  }

  /**
   * Sets `request.apiKey`, or `request.refusedKey`, except for a route that needs no key.
   *
   * @throws AuthenticationError for a key that is missing, refused, used from elsewhere, or without the scope that the
   *   route needs.
   * @throws TooManyRequests for a key that is throttled.
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!needsKey(request)) return;
    reply.header('cache-control', 'no-store');
    const found = await this.authenticate.execute(keyOf(request), request.ip);
    if (!found.key) {
      request.refusedKey = found.refused;
      throw new AuthenticationError(found.failure);
    }
    const { key } = found;
    request.apiKey = key;
    describeKey(reply, key);
    const seconds = this.throttle.admit(key.id);
    if (seconds > 0) {
      this.apiKeys.noteThrottled(key);
      throw new TooManyRequests(seconds);
    }
    const { needs } = request.routeOptions.config;
    // @protects key-scope
    if (needs && !permits(key.scope, needs)) throw new AuthenticationError({ lacks: needs });
  }
}

/**
 * A known route, unless it is public. An unknown path under `/v1`, however it is spelled: strangers do not learn which
 * routes exist there.
 */
function needsKey({ is404, routeOptions, url }: FastifyRequest): boolean {
  if (!is404) return routeOptions.config.access !== 'public';
  return /^\/v1(?:[/?#]|$)/.test(decodeURIComponent(url.replace(/[?#].*$/s, '')));
}

/** `undefined` also when the header is repeated, because neither value can be trusted then. */
function keyOf({ headers, raw }: FastifyRequest): string | undefined {
  return linesNamed('authorization', raw.rawHeaders) === 1 ? bearerKey(headers.authorization) : undefined;
}

function describeKey(reply: FastifyReply, { mode, expiresAt }: ApiKeyLookup): void {
  reply.header('x-traffic-mode', mode);
  if (expiresAt && expiresAt.getTime() - Date.now() < EXPIRY_NOTICE_MS) {
    reply.header('x-key-expires-at', expiresAt.toISOString());
  }
}
