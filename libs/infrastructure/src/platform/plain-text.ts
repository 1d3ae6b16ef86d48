/**
 * Matches what a line of text must not contain: control characters, separators, byte order marks, bidirectional marks.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff\ufffe\uffff]/gu;

/** Escapes what a terminal interprets or hides, except line feeds and tabs. Escaped JSON parses to the same value. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) =>
    /[\n\t]/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns a text that cannot begin a new line. @param max in code points; a longer text ends with an ellipsis. */
export function oneLine(text: string, max = 500): string {
  const line = text.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : line;
}

/** Drops leading, trailing and repeated blank lines. */
export function manyLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map((line) => oneLine(line, 2_000));
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  return kept.at(-1) === '' ? kept.slice(0, -1) : kept;
}
