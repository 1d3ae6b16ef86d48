import { ApiKeyRepository, AuthenticateApiKey, type ApiKeyLookup } from '@app/application';
import { permits } from '@app/domain';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationError, TooManyRequests } from '../errors/request-errors.js';
import './current-store.decorator.js';
import { credentialOf } from './credential.js';
import './route-access.js';
import { Throttle } from './throttle.js';

const EXPIRY_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** A route is closed until `@Public()` opens it. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticate: AuthenticateApiKey,
    private readonly apiKeys: ApiKeyRepository,
    private readonly throttle: Throttle,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!request.apiKey) await this.admit(request, http.getResponse<FastifyReply>());
    return true;
  }

  /** @throws AuthenticationError, TooManyRequests */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!needsKey(request)) return;
    reply.header('cache-control', 'no-store');
    const found = await this.authenticate.execute(credentialOf(request), request.ip);
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
    const { needs, needsFreshSignIn } = request.routeOptions.config;
    // @protects key-scope
    if (needs && !permits(key.scope, ...needs)) throw new AuthenticationError({ lacks: needs });
    // @protects fresh-sign-in
    if (needsFreshSignIn && key.person?.isFresh === false) throw new AuthenticationError('stale_sign_in');
  }
}

/** An unknown path under `/v1` needs a key, however it is spelled: strangers do not learn which routes exist there. */
function needsKey({ is404, routeOptions, url }: FastifyRequest): boolean {
  if (!is404) return routeOptions.config.access !== 'public';
  return /^\/v1(?:[/?#]|$)/.test(decodeURIComponent(url.replace(/[?#].*$/s, '')));
}

function describeKey(reply: FastifyReply, { mode, expiresAt }: ApiKeyLookup): void {
  reply.header('x-traffic-mode', mode);
  if (expiresAt && expiresAt.getTime() - Date.now() < EXPIRY_NOTICE_MS) {
    reply.header('x-key-expires-at', expiresAt.toISOString());
  }
}
