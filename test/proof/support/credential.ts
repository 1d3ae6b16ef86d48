import { SESSION_PREFIX } from '@app/domain';

/** @param secret of a key, or of a live session on this machine; `''` is no credential. */
export function credentialOf(secret: string): Record<string, string> {
  if (secret === '') return {};
  if (!secret.startsWith(SESSION_PREFIX)) return { authorization: `Bearer ${secret}` };
  return { cookie: `store-live=${secret}`, 'x-dashboard': 'live' };
}
