import { domainToASCII, domainToUnicode } from 'node:url';
import { oneLine } from './plain-text.js';

/** Begins an encoded word (RFC 2047). Mail programs decode a text that contains it, possibly to a line break. */
export const ENCODED_WORD = '=?';

/** One party of a message. The mailer gets it as an object, because it reads a string as a list of addresses. */
export interface Mailbox {
  /** Display name, `''` for none. */
  readonly name: string;
  readonly address: string;
}

const LOCAL_PART = /^[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+)*$/u;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ENCODED_LABEL = /(?:^|\.)xn--/;
const INVISIBLE = /[\p{C}\p{Z}]/u;
const MAX_ADDRESS = 254;

/**
 * Whether mail can go to exactly this address and no other. Stricter than the check of orders, which accept anything
 * with one `@` and no space. Refuses lists, comments, quotes, routes and host addresses, which mail programs rewrite or
 * read differently, and possible encoded words. Accepts international names and domains.
 */
export function isMailAddress(text: string): boolean {
  const at = text.indexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (Buffer.byteLength(text) > MAX_ADDRESS || text.includes(ENCODED_WORD)) return false;
  return !INVISIBLE.test(text) && LOCAL_PART.test(local) && isDomain(domain);
}

function isDomain(domain: string): boolean {
  if (/[^a-z0-9.\-\u0080-\uffff]/i.test(domain)) return false;
  // Checks the form that is sent, in which `1.2` becomes the host 1.0.0.2.
  const ascii = domainToASCII(domain);
  // A broken label stays as it is. Node 24 leaves it in both forms, Node 20 refuses it here or there.
  return ascii.length <= 253 && HOST_NAME.test(ascii) && !ENCODED_LABEL.test(domainToUnicode(ascii));
}

/** The party with this address and display name; null when the address cannot be used. */
export function mailbox(address: string, name = ''): Mailbox | null {
  const trimmed = address.trim();
  return isMailAddress(trimmed) ? { name: oneLine(name, 100), address: trimmed } : null;
}

/** Reads `a@b`, `<a@b>`, `Name <a@b>` or `"Name" <a@b>`; null for any other text. */
export function readMailbox(text: string): Mailbox | null {
  const angled = /^([^<>]*)<([^<>]*)>$/.exec(text.trim());
  if (!angled) return mailbox(text);
  const name = (angled[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return mailbox(angled[2] ?? '', name.replace(/\\(.)/g, '$1'));
}
