import type { StoreProfile } from '@app/application';
import { parseUrl, publicSettings } from '@app/domain';
import { manyLines, oneLine } from '../platform/plain-text.js';

/** The appearance of a store in a message. Values that are unfit to be shown are omitted. */
export interface StoreBranding {
  readonly name: string;
  /** The address uses http or https. */
  readonly logoUrl: string | null;
  /** The colour as `#` and three or six hexadecimal digits. */
  readonly color: string | null;
  readonly website: string | null;
  readonly email: string;
  readonly phone: string;
  readonly address: readonly string[];
}

export function storeBranding(store: StoreProfile): StoreBranding {
  // The settings are free-form: only texts are usable, and nothing that looks like a secret.
  const contact = publicSettings(store.contact);
  const text = (name: string) => (typeof contact[name] === 'string' ? contact[name] : '');
  const logo = webAddress(store.logoUrl);
  const domain = store.customDomain.trim().toLowerCase();
  return {
    name: oneLine(store.name, 100) || store.subdomain,
    logoUrl: logo !== null && logo.length <= 2_048 ? logo : null,
    color: /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(store.primaryColor) ? store.primaryColor : null,
    website: /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/.test(domain)
      ? `https://${domain}`
      : null,
    email: oneLine(text('email')),
    phone: oneLine(text('phone')),
    address: manyLines(text('address')),
  };
}

/**
 * Returns the text as an http or https address in ASCII; null when it is not one, or contains a user name or a
 * password.
 */
export function webAddress(text: string): string | null {
  const url = parseUrl(text);
  if (url === null) return null;
  const usable = ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
  return usable ? url.href : null;
}
