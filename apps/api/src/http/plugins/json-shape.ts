interface ShapeLimits {
  readonly levels: number;
  /** The total number of object members and array elements. A nested object or array counts twice. */
  readonly values: number;
}

const [QUOTE, COMMA, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from('",\\[]{}');

/**
 * Returns which limit the JSON exceeds; null when none. It stops at the first excess value, where a parser would build
 * them all. The result for malformed JSON has no meaning: the parser refuses it.
 */
export function excessOf(json: Uint8Array, { levels, values }: ShapeLimits): keyof ShapeLimits | null {
  let level = 0;
  let count = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA) count++;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      count++;
      if (++level > levels) return 'levels';
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) level--;
    if (count > values) return 'values';
  }
  return null;
}

function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
