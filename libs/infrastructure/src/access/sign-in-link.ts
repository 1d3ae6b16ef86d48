import type { Config } from '../platform/config.js';

/**
 * Puts the token in the fragment, which no request, log or Referer contains. Without `PUBLIC_URL`, the link points to
 * this machine.
 */
export function signInLink({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>, token: string): string {
  return `${publicUrl ?? `http://127.0.0.1:${port}`}/dashboard/#/enter/${token}`;
}
