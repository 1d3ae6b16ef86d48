import { crc32 } from 'node:zlib';

/** Live keys and test keys behave alike; a test key marks its requests as test traffic. */
export type ApiKeyMode = 'live' | 'test';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORMAT = /^svc_(live|test|sess)_[0-9A-Za-z]{38}$/;
/** Every session secret begins with this text, in live and in test mode. It is shown to people. */
export const SESSION_PREFIX = 'svc_sess_';

/** `symbols`: the size of the alphabet. `length`: how many of them are drawn. */
export const API_KEY_SECRET = { symbols: ALPHABET.length, length: SECRET_LENGTH } as const;

/** `svc_live_` or `svc_test_`, 32 base 62 characters, then 6 base 62 characters: the CRC-32 of the text before them. */
export interface ApiKey {
  /** A secret. */
  readonly text: string;
  readonly mode: ApiKeyMode;
  /** The text up to the second underscore, for display. */
  readonly prefix: string;
  readonly lastFour: string;
}

/**
 * @param symbols 32 integers from 0 to 61, from a cryptographically secure source. @throws RangeError for any other
 * input.
 */
export function composeApiKey(mode: ApiKeyMode, symbols: readonly number[]): ApiKey {
  const prefix = `svc_${mode}_`;
  const text = compose(prefix, symbols);
  return { text, mode, prefix, lastFour: text.slice(-4) };
}

/** Returns `null` when the format or the checksum is wrong, so a mistyped key costs no database look-up. */
export function parseApiKey(text: string): ApiKey | null {
  const kind = kindOf(text);
  if (kind !== 'live' && kind !== 'test') return null;
  return { text, mode: kind, prefix: `svc_${kind}_`, lastFour: text.slice(-4) };
}

/** Composes the secret of a session, in the form of an API key. @param symbols the same as for `composeApiKey`. */
export function composeSessionSecret(symbols: readonly number[]): string {
  return compose(SESSION_PREFIX, symbols);
}

export function isSessionSecret(text: string): boolean {
  return kindOf(text) === 'sess';
}

function compose(prefix: string, symbols: readonly number[]): string {
  const body = prefix + symbols.map((symbol) => ALPHABET[symbol] ?? '?').join('');
  const text = body + checksum(body);
  if (kindOf(text) === null) throw new RangeError(`A secret needs ${SECRET_LENGTH} symbols below ${ALPHABET.length}`);
  return text;
}

function kindOf(text: string): string | null {
  const [, kind = null] = FORMAT.exec(text) ?? [];
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH) ? kind : null;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
