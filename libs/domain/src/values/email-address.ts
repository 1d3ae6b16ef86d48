import { domainToASCII, domainToUnicode } from 'node:url';

/** The longest SMTP path without its angle brackets (RFC 5321, 4.5.3.1.3), in octets of UTF-8. */
export const MAX_EMAIL_ADDRESS = 254;

/** The longest local part (RFC 5321, 4.5.3.1.1), in octets of UTF-8. */
const MAX_LOCAL_PART = 64;

/** Begins an encoded word (RFC 2047). Mail programs decode a text that contains it, possibly to a line break. */
export const ENCODED_WORD = '=?';

const LOCAL_PART = /^[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u0080-\u{10ffff}]+)*$/u;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ENCODED_LABEL = /(?:^|\.)xn--/;
const INVISIBLE = /[\p{C}\p{Z}]/u;
/** Zero-width joiner and non-joiner. Persian and Sinhala names need them, and IDNA permits them between such letters. */
const JOINERS = /[\u200c\u200d]/g;
const MAX_HOST_NAME = 253;

/**
 * Whether mail can go to exactly this address and no other: a dot-atom, one `@` and a host name (RFC 5321 and 5322),
 * possibly international (RFC 6531). Refuses what mail programs rewrite or read differently: lists, comments, quotes,
 * routes, address literals and possible encoded words.
 */
export function isMailAddress(text: string): boolean {
  const at = text.indexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (Buffer.byteLength(text) > MAX_EMAIL_ADDRESS || text.includes(ENCODED_WORD)) return false;
  const isLocalPart = Buffer.byteLength(local) <= MAX_LOCAL_PART && !INVISIBLE.test(local) && LOCAL_PART.test(local);
  return isLocalPart && isHostName(domain);
}

/**
 * Returns the form in which addresses are compared. Only ASCII letters are folded: other letters may fold into those of
 * another address, such as the Kelvin sign into `k`.
 */
export function foldMailAddress(address: string): string {
  return address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isHostName(domain: string): boolean {
  if (/[^a-z0-9.\-\u0080-\uffff]/i.test(domain) || INVISIBLE.test(domain.replace(JOINERS, ''))) return false;
  // Checks the form that is sent, in which `1.2` becomes the host 1.0.0.2.
  const ascii = domainToASCII(domain);
  // A broken label stays unconverted. Node 24 leaves it in both forms; Node 20 refuses it in one of the two
  // conversions.
  return ascii.length <= MAX_HOST_NAME && HOST_NAME.test(ascii) && !ENCODED_LABEL.test(domainToUnicode(ascii));
}
