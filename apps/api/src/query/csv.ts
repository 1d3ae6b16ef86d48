/** Makes spreadsheets read the bytes as UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

/** The beginning of a cell that a spreadsheet runs as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** A number as JSON writes it: a text with a plus is a telephone number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const QUOTED = /[",\r\n]/;

/** Returns a row as a line of RFC 4180. */
export function toCsvLine(values: readonly unknown[]): string {
  return `${values.map(toCell).join(',')}\r\n`;
}

/** Objects and lists are JSON text. Null and undefined are empty. */
function toCell(value: unknown): string {
  const text = textOf(value);
  // A spreadsheet shows a cell that begins with an apostrophe as text.
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
