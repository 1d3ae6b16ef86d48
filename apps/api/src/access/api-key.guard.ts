import { ApiKeyRepository, AuthenticateApiKey, StoreMoved, type ApiKeyLookup } from '@app/application';
import { permits } from '@app/domain';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationError, TooManyRequests } from '../errors/request-errors.js';
import './current-store.decorator.js';
import { credentialOf } from './credential.js';
import '../route-access.js';
import { KEYS_OF_STORE, Throttle } from './throttle.js';

/** The guard checks the key again when this time passes between the admission and the arrival of the body. */
const SLOW_BODY_MS = 1_000;

const EXPIRY_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** Closes every route that `@Public()` does not open. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly authenticate: AuthenticateApiKey,
    private readonly apiKeys: ApiKeyRepository,
    private readonly throttle: Throttle,
  ) {}

  /** Nest calls this when the body has arrived. */
  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (!request.apiKey) await this.admit(request, reply);
    // @protects credential-after-body
    else if (mayHaveEnded(request)) await this.admitAgain(request, reply);
    return true;
  }

  /** @throws AuthenticationError, TooManyRequests */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!needsKey(request)) return;
    reply.header('cache-control', 'no-store');
    const key = await this.accept(request, 'execute');
    describeKey(reply, key);
    this.limitRate(key);
    demandScope(request, key);
  }

  /**
   * Counts the request first for its key, then for the store. A request that exceeds the limit of its key does not
   * count for the store. Therefore, a client in a loop leaves the other keys their share.
   * @throws TooManyRequests
   */
  private limitRate(key: ApiKeyLookup): void {
    const ofKey = this.throttle.admit(key.id);
    const ofStore = ofKey > 0 ? 0 : this.throttle.admit(`store ${key.store.id}`, KEYS_OF_STORE);
    if (ofKey + ofStore === 0) return;
    this.apiKeys.noteThrottled(key);
    throw ofKey > 0 ? new TooManyRequests(ofKey, 'of key') : new TooManyRequests(ofStore, 'of store');
  }

  /**
   * Checks the key again, because a client may delay the body until the key has lost its access. The rate limit has
   * already counted the request.
   */
  private async admitAgain(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (const name of ['x-traffic-mode', 'x-key-expires-at']) reply.removeHeader(name);
    const key = await this.accept(request, 'check');
    describeKey(reply, key);
    demandScope(request, key);
  }

  /** @throws AuthenticationError, StoreMoved */
  private async accept(request: FastifyRequest, way: 'execute' | 'check'): Promise<ApiKeyLookup> {
    const credential = credentialOf(request);
    const found = await this.authenticate[way](credential, request.ip);
    request.apiKey = found.key;
    if (found.key) {
      assertWritable(request, found.key);
      return found.key;
    }
    request.refusedKey = found.refused;
    throw new AuthenticationError(found.failure, credential?.isSession);
  }
}

/**
 * Whether the key must be checked a second time: the route needs a recent sign-in, or the body was slow, so the access
 * may have ended since the admission. All other requests need no second look-up.
 */
function mayHaveEnded({ routeOptions, admittedAt }: FastifyRequest): boolean {
  return routeOptions.config.needsRecentSignIn === true || performance.now() - admittedAt > SLOW_BODY_MS;
}

/** @throws StoreMoved */
function assertWritable({ method }: FastifyRequest, { store }: ApiKeyLookup): void {
  const isRead = method === 'GET' || method === 'HEAD';
  // @protects moved-store
  if (store.status === 'MOVED' || (store.status === 'MOVING' && !isRead)) throw new StoreMoved();
}

/** @throws AuthenticationError */
function demandScope({ routeOptions }: FastifyRequest, key: ApiKeyLookup): void {
  const { needs, needsRecentSignIn } = routeOptions.config;
  // @protects key-scope
  if (needs && !permits(key.scope, ...needs)) throw new AuthenticationError({ lacks: needs }, key.person !== null);
  // @protects fresh-sign-in
  if (needsRecentSignIn && key.person?.isFresh === false) throw new AuthenticationError('stale_sign_in');
}

/**
 * Whether the request needs a key. Unknown paths under `/v1`, in any spelling, need one too, so that strangers do not
 * learn which routes exist there.
 */
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
