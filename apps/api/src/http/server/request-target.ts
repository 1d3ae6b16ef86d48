/**
 * The path of every route is shorter: a prefix, and an id of 512 characters of up to 9 bytes. A longer path that is cut
 * here still has a longer id.
 */
const MAX_PATH_LENGTH = 5_000;
/** Several times those of a filter by 100 SKUs that repeats its parameter. */
export const MAX_PARAMETERS = 500;

/**
 * The request target that the router, the authentication and the handlers see: without scheme and authority, and with
 * every undecodable `%` written as `%25`. The router refuses undecodable paths before any hook runs, so a request without
 * a key would get 400 instead of 401. A path that is too long for every route is cut, because to escape and to decode
 * thousands of `%` takes milliseconds. So does parsing thousands of parameters: such a query is dropped.
 *
 * @param target as Node's parser returns it: characters up to U+00FF.
 */
export function routableTarget(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?=[?#]|$)/, '/');
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  const query = end < 0 || hasTooManyParameters(url) ? '' : url.slice(end);
  const routable = path.length > MAX_PATH_LENGTH ? path.slice(0, MAX_PATH_LENGTH) : path;
  return (routable.includes('%') ? escapeUndecodable(routable) : routable) + query;
}

/** Whether a target has more query parameters than any route reads. */
export function hasTooManyParameters(target: string): boolean {
  let count = 0;
  for (let at = target.indexOf('?'); at >= 0; at = target.indexOf('&', at + 1)) {
    if (++count > MAX_PARAMETERS) return true;
  }
  return false;
}

const [PERCENT = 0, TWO = 0, FIVE = 0] = Buffer.from('%25');

/** One pass over bytes. A path has up to 5,000 `%`, and a call per `%` takes milliseconds. */
function escapeUndecodable(path: string): string {
  const bytes = Buffer.from(path, 'latin1');
  const escaped = Buffer.allocUnsafe(3 * bytes.length);
  let length = 0;
  let endOfRun = 0;
  let decodable = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    escaped[length++] = byte;
    if (byte !== PERCENT) continue;
    if (at >= endOfRun) {
      endOfRun = endOfEncoded(bytes, at);
      decodable = endOfRun > at && isUtf8(bytes, at, endOfRun);
    }
    if (decodable) continue;
    escaped[length++] = TWO;
    escaped[length++] = FIVE;
  }
  return escaped.toString('latin1', 0, length);
}

/** The end of the percent-encoded bytes that begin at an index; the index itself when the `%` there encodes none. */
function endOfEncoded(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === PERCENT && byteAt(bytes, at) >= 0) at += 3;
  return at;
}

/** Whether percent-encoded bytes are UTF-8, by the decoder of the WHATWG Encoding Standard. */
function isUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  let missing = 0;
  let lowest = 0x80;
  let highest = 0xbf;
  for (let at = start; at < end; at += 3) {
    const byte = byteAt(bytes, at);
    if (missing > 0) {
      if (byte < lowest || byte > highest) return false;
      missing--;
      lowest = 0x80;
      highest = 0xbf;
    } else if (byte >= 0x80) {
      if (byte < 0xc2 || byte > 0xf4) return false;
      missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      // Excludes overlong forms, surrogates and code points above U+10FFFF.
      lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
      highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    }
  }
  return missing === 0;
}

/** The byte that a `%` and two hex digits encode; negative when the digits are none. */
function byteAt(bytes: Uint8Array, percent: number): number {
  return (hexDigit(bytes[percent + 1]) << 4) | hexDigit(bytes[percent + 2]);
}

function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
