/** How much a body may have of what is dear to parse and to look at. */
export interface ShapeLimits {
  /** Objects and arrays in one another; the outermost one is level 1. */
  readonly levels: number;
  /** Members of objects and elements of arrays, in all. An object or array in one of them counts twice. */
  readonly values: number;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Which limit the JSON is over; `null` for none. One pass over the bytes, which ends at the first value too many: a parser
 * would have made them all by then. What is no JSON has an answer too, and is left to the parser.
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

/** Where the closing quote is. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
