/**
 * What must not stand in one line of text: control characters (CR and LF among them), the line and paragraph
 * separators, byte order marks, and the marks that turn the writing direction, which can make one text look like
 * another.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]+/gu;

/**
 * Text from outside as one line, fit for a header and for a line of a message: nothing in it can begin a new line.
 *
 * @param max longest result in code points; what is beyond is cut off and marked by an ellipsis.
 */
export function oneLine(text: string, max = 500): string {
  const line = text.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : line;
}

/** Text from outside as its lines, each of them safe; blank ones at the start, at the end and in rows are dropped. */
export function manyLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => oneLine(line, 2_000));
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  return kept.at(-1) === '' ? kept.slice(0, -1) : kept;
}
