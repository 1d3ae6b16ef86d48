/** Whether the database can store `text` unchanged. PostgreSQL rejects NUL, and UTF-8 has no lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Matches control characters, line breaks of all kinds, bidirectional controls, and lone surrogates. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u;

/**
 * Matches characters that are invisible on their own. Joiners and variation selectors are part of names in some
 * scripts, and of emoji.
 */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

export const MAX_DISPLAY_NAME = 200;

/** Whether the text can name a key or a person: it is on one line and has a visible character. */
export function isDisplayName(text: string): boolean {
  return text.replace(INVISIBLE, '') !== '' && Array.from(text).length <= MAX_DISPLAY_NAME && !CONTROL.test(text);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Reads the id that a client, an operator or a file names. Only the lower-case form is compared and authenticates
 * encrypted values, but some clients write capitals.
 * @param text with hyphens, of any version, in either case. @returns null for any other text.
 */
export function readUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

/**
 * Parses a URL; returns null when the text is not a URL. `URL.canParse` fails for hosts such as `münchen.example` on
 * Node 20.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether the host of a URL is this machine. What is sent there crosses no network. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.has(hostname);
