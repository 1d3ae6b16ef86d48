import type { Config } from '../platform/config.js';

/** The token is in the fragment, which no request, log or Referer has. Without `PUBLIC_URL`: on this machine. */
export function signInLink({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>, token: string): string {
  return `${publicUrl ?? `http://127.0.0.1:${port}`}/dashboard/#/enter/${token}`;
}
