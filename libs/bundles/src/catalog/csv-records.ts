import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { BundleLineError } from '../bundle/check/faults.js';
import { inUtf8 } from './csv-encoding.js';

/** One record of a CSV file. A field may span several lines, and so may the record. */
export interface CsvRecord {
  /** The record's first line, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The parser's output for a record with the option `raw`. */
interface Parsed {
  readonly record: string[];
  readonly raw: string;
}

/** A larger record is not a row of a catalog, and must not fill the memory. */
const MAX_RECORD_BYTES = 1_000_000;

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quotation mark that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quotation mark: within a quoted field, write two',
  INVALID_OPENING_QUOTE:
    'has a quotation mark inside a field that is not quoted: quote the field, and write the mark twice, as in "17"" screen"',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes`,
};

/**
 * Reads CSV with quoted fields, LF or CRLF, with or without a byte order mark. Commas, semicolons or tabs separate the
 * fields: those that the first line has most of, or the one that a spreadsheet names there as `sep=;`. Skips records
 * without any text.
 *
 * @param encoding of a file without a byte order mark.
 * @throws BundleLineError or Error when the source is not CSV or does not have the encoding.
 */
export async function* readCsv(source: AsyncIterable<Uint8Array>, encoding?: string): AsyncGenerator<CsvRecord> {
  const lines = utf8Text(inUtf8(source, encoding));
  try {
    const { value } = await lines.next();
    yield* recordsOf((value ?? '').replace(/^\ufeff/, ''), lines);
  } finally {
    await lines.return(undefined);
  }
}

/** @param start of the text, at least its first line. */
async function* recordsOf(start: string, rest: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  // A spreadsheet that writes the file again pads this line with separators.
  const [named = '', separator] = /^"?sep=([^\r\n])"?\1*(?:\r\n|\r|\n|$)/i.exec(start) ?? [];
  // Counted as the parser goes, which is ahead of the reader. The parser's own count takes a CRLF within quotes as two.
  let line = named === '' ? 1 : 2;
  const numbered = ({ record, raw }: Parsed): CsvRecord => {
    const begins = line;
    line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
    return { line: begins, cells: record };
  };
  const records = parse({
    delimiter: separator ?? separatorOf(start),
    raw: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    // The parser's types allow only records of text, regardless of `raw` and the result of this function.
    on_record: (parsed) => numbered(parsed as unknown as Parsed) as unknown as string[],
  });
  async function* rows(): AsyncGenerator<string> {
    yield start.slice(named.length);
    yield* rest;
  }
  const text = Readable.from(rows());
  text.on('error', (error) => records.destroy(error)).pipe(records);
  try {
    for await (const record of records as AsyncIterable<CsvRecord>) {
      if (record.cells.some((cell) => cell.trim() !== '')) yield record;
    }
  } catch (error) {
    throw error instanceof CsvError ? new BundleLineError(line, PROBLEMS[error.code] ?? 'is not valid CSV') : error;
  } finally {
    text.destroy();
  }
}

function separatorOf(start: string): string {
  const [heading = ''] = /^[^\r\n]*/.exec(start.replace(/"(?:[^"]|"")*"/g, '')) ?? [];
  const count = (separator: string) => heading.split(separator).length;
  return [',', ';', '\t'].reduce((most, other) => (count(other) > count(most) ? other : most));
}

const NEWLINE = 0x0a;

/** Decodes whole lines, so that an error names the line that is not UTF-8. The first text has at least one line. */
async function* utf8Text(source: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let rest = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    const lines = bytes.subarray(0, end);
    if (end > 0) yield decoded(lines, line);
    for (const byte of lines) if (byte === NEWLINE) line++;
    if (rest.length > MAX_RECORD_BYTES) throw new BundleLineError(line, `is longer than ${MAX_RECORD_BYTES} bytes`);
  }
  yield decoded(rest, line);
}

function decoded(bytes: Buffer, firstLine: number): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let line = firstLine;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end;
  }
  throw new BundleLineError(
    line,
    'is not UTF-8 text: name the encoding of the file, such as --encoding windows-1252 for a spreadsheet of Western Europe',
  );
}
