import type { Credential } from '@app/application';
import type { FastifyRequest } from 'fastify';
import { linesNamed } from '../headers.js';
import { readSession, requireOwnPage } from './session-cookies.js';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * The key in `Authorization`. Without that header, and only for a request that our own page can send, which has
 * `X-Dashboard`, the session in the cookie of that mode.
 * @throws AuthenticationError for a session and a page of another site.
 */
export function credentialOf(request: FastifyRequest): Credential | undefined {
  const { headers, raw } = request;
  const lines = linesNamed('authorization', raw.rawHeaders);
  if (lines > 0) {
    // A repeated header is no key: neither value can be trusted.
    const text = lines === 1 ? BEARER.exec(headers.authorization ?? '')?.[1] : undefined;
    return text === undefined ? undefined : { text, isSession: false };
  }
  // @protects dashboard-header
  const mode = headers['x-dashboard'];
  if (mode !== 'live' && mode !== 'test') return undefined;
  const text = readSession(request, mode);
  if (text === undefined) return undefined;
  requireOwnPage(request);
  return { text, isSession: true, mode };
}
