import { SESSION_HOURS } from '@app/application';
import { isLoopback, type ApiKeyMode } from '@app/domain';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationError } from '../errors/request-errors.js';

/**
 * Where a browser keeps cookies safe: https, or this machine. A name that begins with `__Host-` is kept from other hosts and
 * from plain http; Safari refuses it on this machine.
 * @returns null for plain http over a network, where there are no sessions.
 */
function prefixOf({ protocol, hostname }: FastifyRequest): '__Host-' | '' | null {
  if (protocol === 'https') return '__Host-';
  return isLoopback(hostname) ? '' : null;
}

/** Whether people can sign in at the address of the request. */
export const isPrivate = (request: FastifyRequest): boolean => prefixOf(request) !== null;

/** A cookie that is given twice is none: either may be planted. */
export function readCookie(request: FastifyRequest, name: string): string | undefined {
  const prefix = prefixOf(request);
  const header = request.headers.cookie;
  if (prefix === null || header === undefined) return undefined;
  const isOnce = header.split(';').filter((part) => part.split('=')[0]?.trim() === prefix + name).length === 1;
  return isOnce ? parseCookie(header)[prefix + name] : undefined;
}

export interface CookieOptions {
  /** 0 removes it. */
  readonly seconds: number;
  /** `lax` is sent when another site sends the browser back. */
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

/** @param secret `''` removes it. */
export function setSession(request: FastifyRequest, reply: FastifyReply, mode: ApiKeyMode, secret: string): void {
  const seconds = secret === '' ? 0 : SESSION_HOURS * 3_600;
  setCookie(request, reply, sessionCookie(mode), secret, { seconds, sameSite: 'strict' });
}

/**
 * Browsers name the site whose page sends a request, and a page cannot change that.
 * @throws AuthenticationError for a page of another site.
 */
export function requireOwnPage({ headers, protocol, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isForeign =
    (site !== undefined && site !== 'same-origin') ||
    (headers.origin !== undefined && headers.origin !== `${protocol}://${host}`);
  // @protects own-page
  if (isForeign) throw new AuthenticationError('foreign_origin');
}
