import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { BundleLineError } from '../bundle/faults.js';

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
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quotation mark',
  INVALID_OPENING_QUOTE: 'has a quotation mark inside a field that is not quoted',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes`,
};

/**
 * Reads comma-separated UTF-8 with quoted fields, LF or CRLF, with or without a byte order mark. Skips records without
 * any text.
 *
 * @throws BundleLineError when the source is not CSV or not UTF-8.
 */
export async function* readCsv(source: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  // Counted as the parser goes, which is ahead of the reader. The parser's own count takes a CRLF within quotes as two.
  let line = 1;
  const numbered = ({ record, raw }: Parsed): CsvRecord => {
    const begins = line;
    line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
    return { line: begins, cells: record };
  };
  const records = parse({
    bom: true,
    raw: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    // The parser's types allow only records of text, regardless of `raw` and the result of this function.
    on_record: (parsed) => numbered(parsed as unknown as Parsed) as unknown as string[],
  });
  const text = Readable.from(utf8Text(source));
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

const NEWLINE = 0x0a;

/** Decodes whole lines, so that an error names the line that is not UTF-8. */
async function* utf8Text(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of source) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    const lines = bytes.subarray(0, end);
    yield decoded(lines, line);
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
  throw new BundleLineError(line, 'is not UTF-8 text');
}
