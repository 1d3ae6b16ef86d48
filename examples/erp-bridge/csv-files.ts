import { readFile, rename, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';

export type Row = Readonly<Record<string, string>>;

type Value = string | number | boolean | null;

/**
 * Matches what a spreadsheet may run, after blanks, quotation marks and invisible characters; and the same after
 * apostrophes.
 */
const FORMULA = /^[\s'"\p{C}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^'*[\t\r\n]/u;

/**
 * Writes lines of CSV (RFC 4180). Every value is quoted, so that commas, quotes and line breaks stay in it. An
 * apostrophe precedes a text that is a formula for a spreadsheet, as in the files of WooCommerce. Numbers are
 * unchanged.
 */
export function toCsv(rows: readonly (readonly Value[])[]): string {
  const safe = (value: Value) => (typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? ''));
  const quoted = (value: Value) => `"${safe(value).replaceAll('"', '""')}"`;
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/**
 * Reads rows by column, without the apostrophes of `toCsv`. @throws Error for text that is not CSV or lacks a required
 * column.
 */
export function fromCsv(text: string, required: readonly string[] = []): Row[] {
  const cast = (cell: string) => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);
  const columns = (headings: string[]) => {
    const missing = required.filter((name) => !headings.includes(name));
    if (missing.length === 0) return headings;
    throw new Error(`the first line has no column ${missing.join(', ')}; a comma separates columns`);
  };
  return parse(text, { bom: true, columns, skip_empty_lines: true, cast });
}

/** Returns the text of a file; `null` when there is none. */
export async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Readers see the old file or the new one, never a part, even after a crash. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { flush: true });
  await rename(`${path}.part`, path);
}
