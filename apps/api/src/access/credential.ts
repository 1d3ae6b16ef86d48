import type { Credential } from '@app/application';
import type { FastifyRequest } from 'fastify';
import { linesNamed } from '../headers.js';
import { readSession, requireOwnPage } from './session-cookies.js';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Returns the key in `Authorization`. Without that header, it returns the session in the cookie of the mode that
 * `X-Dashboard` names: only our own page can send that header.
 * @throws AuthenticationError for a session and a page of another site.
 */
export function credentialOf(request: FastifyRequest): Credential | undefined {
  const { headers, raw } = request;
  const lines = linesNamed('authorization', raw.rawHeaders);
  if (lines > 0) {
    // A repeated header is not a key: neither value can be trusted.
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
