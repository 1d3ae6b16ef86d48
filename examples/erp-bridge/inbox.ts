import { isUtf8 } from 'node:buffer';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromCsv, replaceFile, toCsv, type Row } from './csv-files.js';

/** The folders of files from the ERP, and of the results. */
export interface Inbox {
  readonly files: string;
  readonly results: string;
  /** Columns that a file must have. */
  readonly required: readonly string[];
  /** The columns of the results. */
  readonly heading: readonly string[];
}

/**
 * Processes each file that has no file of results yet, and returns all results. When it is killed before the results
 * are written, it processes the file again, which must be harmless.
 * @param unreadable returns the result of a file that cannot be read.
 */
export async function workOff<Result>(
  { files, results, required, heading }: Inbox,
  work: (rows: readonly Row[]) => Promise<Result[]>,
  unreadable: (reason: string) => Result,
  cells: (result: Result) => string[],
): Promise<Result[]> {
  for (const path of [files, results]) await mkdir(path, { recursive: true });
  const done = new Set(await readdir(results));
  const all: Result[] = [];
  for (const name of (await readdir(files)).sort()) {
    if (!name.endsWith('.csv') || done.has(name)) continue;
    const rows = rowsOf(await readFile(join(files, name)), required);
    const outcomes = typeof rows === 'string' ? [unreadable(rows)] : await work(rows);
    await replaceFile(join(results, name), toCsv([heading, ...outcomes.map(cells)]));
    all.push(...outcomes);
  }
  return all;
}

/** Returns the rows of a file, or why it cannot be read. */
function rowsOf(file: Buffer, required: readonly string[]): Row[] | string {
  if (!isUtf8(file)) return 'the file is not UTF-8 text: save it as "CSV UTF-8"';
  try {
    return fromCsv(file.toString(), required);
  } catch (error) {
    return (error as Error).message;
  }
}
