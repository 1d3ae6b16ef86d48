import type { StoreProfile } from '@app/application';
import { publicSettings } from '@app/domain';
import { manyLines, oneLine } from '../platform/plain-text.js';

/** How a store shows itself in a message. What is not fit to be shown there is left out. */
export interface StoreBranding {
  readonly name: string;
  /** http(s). */
  readonly logoUrl: string | null;
  /** `#` and three or six hexadecimal digits. */
  readonly color: string | null;
  /** The storefront on its own domain. */
  readonly website: string | null;
  readonly email: string;
  readonly phone: string;
  readonly address: readonly string[];
}

export function storeBranding(store: StoreProfile): StoreBranding {
  // Free-form settings: only texts are of use, and nothing that looks like a secret.
  const contact = publicSettings(store.contact);
  const text = (name: string) => (typeof contact[name] === 'string' ? contact[name] : '');
  const domain = store.customDomain.trim().toLowerCase();
  return {
    name: oneLine(store.name, 100) || store.subdomain,
    logoUrl: imageUrl(store.logoUrl),
    color: /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(store.primaryColor) ? store.primaryColor : null,
    website: /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/.test(domain)
      ? `https://${domain}`
      : null,
    email: oneLine(text('email')),
    phone: oneLine(text('phone')),
    address: manyLines(text('address')),
  };
}

function imageUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const usable = ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
  return usable && url.href.length <= 2_048 ? url.href : null;
}
