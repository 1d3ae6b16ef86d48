import { SESSION_HOURS } from '@app/application';
import { isLoopback, parseUrl, type ApiKeyMode } from '@app/domain';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationError } from '../errors/request-errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The only address with sessions, from `PUBLIC_URL`. Null when each request determines it, with the headers of
     * trusted proxies.
     */
    readonly publicUrl: string | null;
  }
}

/**
 * Returns the address of the service as the browser sees it, without a port that the scheme implies; null for a host
 * that no browser sends.
 */
function addressOf({ server, protocol, host }: FastifyRequest): URL | null {
  return parseUrl(server.publicUrl ?? `${protocol}://${host}`);
}

/**
 * Returns the prefix of cookie names that makes a browser protect the cookies. The prefix `__Host-` protects them from
 * other hosts and from plain http. It is `''` for a loopback address, where Safari refuses `__Host-` over http.
 * @returns null for plain http over a network, where there are no sessions.
 */
function prefixOf(request: FastifyRequest): '__Host-' | '' | null {
  const address = addressOf(request);
  if (address?.protocol === 'https:') return '__Host-';
  return address && isLoopback(address.hostname) ? '' : null;
}

/** Whether people can sign in at the address of the request. */
export const isPrivate = (request: FastifyRequest): boolean => prefixOf(request) !== null;

/** Returns undefined for a cookie that occurs twice: either may be planted. */
export function readCookie(request: FastifyRequest, name: string): string | undefined {
  const prefix = prefixOf(request);
  const header = request.headers.cookie;
  if (prefix === null || header === undefined) return undefined;
  const isOnce = header.split(';').filter((part) => part.split('=')[0]?.trim() === prefix + name).length === 1;
  return isOnce ? parseCookie(header)[prefix + name] : undefined;
}

/** Returns cookies in the sequence in which browsers send them: the oldest first (RFC 6265, section 5.4). */
export function cookieNames(request: FastifyRequest): string[] {
  const prefix = prefixOf(request);
  const names = (request.headers.cookie ?? '').split(';').map((part) => part.split('=')[0]?.trim() ?? '');
  return prefix === null
    ? []
    : names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

export interface CookieOptions {
  /** The lifetime; 0 removes the cookie. */
  readonly seconds: number;
  /** A `lax` cookie is also sent when another site sends the browser back. */
  readonly sameSite: 'strict' | 'lax';
}

export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  value: string,
  { seconds, sameSite }: CookieOptions,
): void {
  const prefix = prefixOf(request);
  if (prefix === null) return;
  const attributes = { path: '/', httpOnly: true, secure: prefix !== '', sameSite, maxAge: seconds };
  reply.header('set-cookie', stringifySetCookie({ name: prefix + name, value, ...attributes }));
}

const sessionCookie = (mode: ApiKeyMode) => `store-${mode}`;

export const readSession = (request: FastifyRequest, mode: ApiKeyMode): string | undefined =>
  readCookie(request, sessionCookie(mode));

/** @param secret `''` removes the cookie. */
export function setSession(request: FastifyRequest, reply: FastifyReply, mode: ApiKeyMode, secret: string): void {
  const seconds = secret === '' ? 0 : SESSION_HOURS * 3_600;
  setCookie(request, reply, sessionCookie(mode), secret, { seconds, sameSite: 'strict' });
}

/**
 * Whether a page of another origin sent the browser here. It is false when a person types the address or follows a
 * bookmark.
 */
export const isSentByOtherOrigin = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';

/**
 * Refuses pages of other origins. Browsers send `Origin` and `Sec-Fetch-Site`, which a page cannot change.
 * @throws AuthenticationError for a page of another origin.
 */
export function requireOwnPage(request: FastifyRequest): void {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  const isForeign =
    (site !== undefined && site !== 'same-origin') ||
    (headers.origin !== undefined && headers.origin !== addressOf(request)?.origin);
  // @protects own-page
  if (isForeign) throw new AuthenticationError('foreign_origin');
}
