import { printable } from './printable.js';

/**
 * Formats a list of records as a table. If it is wider than the terminal, lists of words and times take several lines;
 * if it is still too wide, the records are listed one below the other. A single record has two columns, with its nested
 * records and lists below.
 */
export function textOf(value: object, width = Infinity): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listOf(value as object[], width);
  const fields = Object.entries(value);
  const plain = fields.filter(([, field]) => !isNested(field)).map(([name, field]) => [cellOf(name), cellOf(field)]);
  const nested = fields.filter(([, field]) => isNested(field));
  const below = nested.map(([name, field]) => `${cellOf(name)}:\n${textOf(field as object).replace(/^/gm, '  ')}`);
  return [...(plain.length > 0 ? [aligned(plain)] : []), ...below].join('\n');
}

function listOf(rows: readonly object[], width: number): string {
  const fits = (table: string) => table.split('\n').every((line) => widthOf(line) <= width);
  const table = [' ', '\n'].map((separator) => tableOf(rows, separator)).find(fits);
  return table ?? rows.map((row) => textOf(row)).join('\n\n');
}

/** Omits the columns that are empty in every row. */
function tableOf(rows: readonly object[], separator: string): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = names.map((name) => rows.map((row) => tableCell((row as Record<string, unknown>)[name], separator)));
  const columns = names.map((name, column) => [cellOf(name), ...(cells[column] ?? [])]);
  const shown = columns.filter(([, ...column]) => column.some((cell) => cell !== ''));
  return aligned(['', ...rows].flatMap((_, row) => linesOf(shown.map((column) => column[row] ?? ''))));
}

function tableCell(value: unknown, separator: string): string {
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', separator);
  if (Array.isArray(value) && !value.some(isRecord)) return value.map(cellOf).join(`,${separator}`);
  return cellOf(value);
}

/** A row of cells that may have several lines. */
function linesOf(row: readonly string[]): string[][] {
  const cells = row.map((cell) => cell.split('\n'));
  const height = Math.max(1, ...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''));
}

const widthOf = (text: string): number => Array.from(text).length;

/** Every row has as many cells as the first. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  const padded = (cell: string, column: number) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRecord);
  return isRecord(value);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Writes a value in one line. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && !value.some(isRecord)) return cellOf(value.join(', '));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
