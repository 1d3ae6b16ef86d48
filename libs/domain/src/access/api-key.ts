import { crc32 } from 'node:zlib';

/** Live keys and test keys behave alike; a test key marks its requests as test traffic. */
export type ApiKeyMode = 'live' | 'test';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORMAT = /^svc_(live|test)_[0-9A-Za-z]{38}$/;

/** `symbols`: the size of the alphabet. `length`: how many of them are drawn. */
export const API_KEY_SECRET = { symbols: ALPHABET.length, length: SECRET_LENGTH } as const;

/** `svc_live_` or `svc_test_`, 32 base 62 characters, then 6 base 62 characters: the CRC-32 of the text before them. */
export interface ApiKey {
  /** A secret. */
  readonly text: string;
  readonly mode: ApiKeyMode;
  /** For display: the text up to the second underscore. */
  readonly prefix: string;
  readonly lastFour: string;
}

/** @param symbols 32 integers from 0 to 61, from a cryptographically secure source. @throws RangeError for others. */
export function composeApiKey(mode: ApiKeyMode, symbols: readonly number[]): ApiKey {
  const body = `svc_${mode}_${symbols.map((symbol) => ALPHABET[symbol] ?? '?').join('')}`;
  const key = parseApiKey(body + checksum(body));
  if (!key) throw new RangeError(`An API key needs ${SECRET_LENGTH} symbols below ${ALPHABET.length}`);
  return key;
}

/** `null` when the format or the checksum is wrong, so a mistyped key costs no database look-up. */
export function parseApiKey(text: string): ApiKey | null {
  const match = FORMAT.exec(text);
  if (!match) return null;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return null;
  const mode = match[1] as ApiKeyMode;
  return { text, mode, prefix: `svc_${mode}_`, lastFour: text.slice(-4) };
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
