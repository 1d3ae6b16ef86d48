import { parseUrl, UrlNotAllowed } from '@app/domain';
import { isIP } from 'node:net';
import type { ReachableAddresses } from './reachable-addresses.js';

const MAX_CHARACTERS = 2_000;
const HTTPS_PORT = 443;

/**
 * Checks a URL without looking up its host.
 * @throws UrlNotAllowed
 */
export function checkWebhookUrl(text: string, reachable: ReachableAddresses): void {
  if (text.length > MAX_CHARACTERS) throw new UrlNotAllowed(`must have at most ${MAX_CHARACTERS} characters`);
  const url = parseUrl(text);
  if (url === null) throw new UrlNotAllowed('must be a URL');
  if (url.protocol !== 'https:') throw new UrlNotAllowed('must begin with https://');
  if (url.username !== '' || url.password !== '') throw new UrlNotAllowed('must not have a user or a password');
  if (url.hash !== '') throw new UrlNotAllowed('must not have a fragment');
  const host = hostOf(url);
  const port = portOf(url);
  if (isIP(host)) {
    if (!reachable.has(host, port))
      throw new UrlNotAllowed(
        'must have a public address, and the port 443 or 8443, unless WEBHOOK_ALLOW permits its network',
      );
    return;
  }
  // A name without a dot belongs to the local network; `example.` is the same as `example`.
  if (!host.replace(/\.$/, '').includes('.') || /(^|\.)localhost\.?$/.test(host)) {
    throw new UrlNotAllowed('must have the full name of a public host');
  }
  if (!reachable.mayHavePort(port)) throw new UrlNotAllowed('must have the port 443 or 8443');
}

export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ port }: URL): number {
  return port === '' ? HTTPS_PORT : Number(port);
}
