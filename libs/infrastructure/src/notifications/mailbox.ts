import { domainToASCII } from 'node:url';
import { oneLine } from './plain-text.js';

/** Begins an encoded word (RFC 2047). A text that holds it is read as something else, and may decode to a line break. */
export const ENCODED_WORD = '=?';

/** One party of a message. Handed to the mailer as an object: it would take a string for a list of addresses. */
export interface Mailbox {
  /** What is displayed, `''` for none. */
  readonly name: string;
  readonly address: string;
}

const LOCAL_PART = /^[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+)*$/u;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const INVISIBLE = /[\p{C}\p{Z}]/u;
const MAX_ADDRESS = 254;

/**
 * Whether mail can go to exactly this address and no other. Narrower than what an order may state (anything with one
 * `@` and no space): lists, comments, quotes, routes and host addresses, which mail programs rewrite or read
 * differently, are out, and so is what can be read as an encoded word. International names and domains are in.
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
  // Judged as it goes over the wire, where `1.2` would have become the host 1.0.0.2.
  const ascii = domainToASCII(domain);
  return ascii.length <= 253 && HOST_NAME.test(ascii);
}

/** The party with the address and display name given, or null when the address cannot be used. */
export function mailbox(address: string, name = ''): Mailbox | null {
  const trimmed = address.trim();
  return isMailAddress(trimmed) ? { name: oneLine(name, 100), address: trimmed } : null;
}

/** Reads `a@b`, `<a@b>`, `Name <a@b>` or `"Name" <a@b>`; null when it is none of them. */
export function readMailbox(text: string): Mailbox | null {
  const angled = /^([^<>]*)<([^<>]*)>$/.exec(text.trim());
  if (!angled) return mailbox(text);
  const name = (angled[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  return mailbox(angled[2] ?? '', name.replace(/\\(.)/g, '$1'));
}
