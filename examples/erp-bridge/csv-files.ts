import { readFile, rename, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';

export type Row = Readonly<Record<string, string>>;

type Value = string | number | boolean | null;

/** Lines of CSV (RFC 4180). Every value is quoted, so that commas, quotes and line breaks stay in it. */
export function toCsv(rows: readonly (readonly Value[])[]): string {
  const quoted = (value: Value) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  return rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/** @throws CsvError */
export function fromCsv(text: string): Row[] {
  return parse(text, { bom: true, columns: true, skip_empty_lines: true });
}

/**
 * Makes a buyer's text safe for spreadsheets: an apostrophe precedes a character that begins a formula, as in the files of
 * WooCommerce.
 */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
}

/** The text of a file; `null` when there is none. */
export async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Readers see the old file or the new one, never a part, also after a crash. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { flush: true });
  await rename(`${path}.part`, path);
}
