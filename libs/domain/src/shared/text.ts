/** Whether the database can store `text` unchanged. PostgreSQL rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Control characters, line breaks of all kinds, bidirectional controls, halves of a surrogate pair. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/** What shows nothing by itself. Joiners and variation selectors are part of names in some scripts, and of emoji. */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

export const MAX_DISPLAY_NAME = 200;

/** A name for people, of a key or of a person: on one line, with something to see. */
export function isDisplayName(text: string): boolean {
  return text.replace(INVISIBLE, '') !== '' && Array.from(text).length <= MAX_DISPLAY_NAME && !CONTROL.test(text);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The id that a client, an operator or a file names: in lower case, the only form that is compared, and that seals what is
 * encrypted. Some clients write capitals.
 *
 * @param text with hyphens, of any version, in either case. @returns null for another text.
 */
export function readUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

/** The URL of a text; null when it is none. Not `URL.canParse`, which fails for hosts such as `münchen.example` on Node 20. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a host, as in a URL, is this machine: what is sent there is on no network. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.has(hostname);
