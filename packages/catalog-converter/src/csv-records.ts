import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { Invalid } from './invalid.js';

/** A record of a CSV file. A field may span several lines, and so may the record. */
export interface CsvRecord {
  /** The first line of the record, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The output of the parser for a record with the option `raw`. */
interface Parsed {
  readonly record: string[];
  readonly raw: string;
}

/** Opens the file at its beginning. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

/** A larger record is not a row of a catalog, and must not fill the memory. */
const MAX_RECORD_BYTES = 1_000_000;
/** Large enough for the first line of every catalog. */
const HEAD_BYTES = 65_536;

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quotation mark that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quotation mark: within a quoted field, write two',
  INVALID_OPENING_QUOTE:
    'has a quotation mark inside a field that is not quoted: quote the field, and write the mark twice, as in "17"" screen"',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES} bytes`,
};

/**
 * Reads CSV with quoted fields, LF or CRLF, with or without a byte order mark. Commas, semicolons or tabs separate the
 * fields: the most frequent one in the first line, or the one that a spreadsheet names there as `sep=;`. Records
 * without any text are skipped.
 * @param named the encoding of a file without a byte order mark: a label of the Encoding Standard. UTF-8 by default.
 * @throws Invalid or Error when the file is not CSV or does not have the encoding.
 */
export async function* readCsv(open: OpenFile, named?: string): AsyncGenerator<CsvRecord> {
  const head = await headOf(open());
  const encoding = encodingOf(head, named);
  const start = new TextDecoder(encoding).decode(head);
  // A spreadsheet that saves the file again pads this line with separators.
  const [first = '', separator] = /^"?sep=([^\r\n])"?\1*(?:\r\n|\r|\n|$)/i.exec(start) ?? [];
  // Lines are counted while the parser runs, because it is ahead of the reader. The parser's own count takes a CRLF
  // within quotes as two lines.
  let line = first === '' ? 1 : 2;
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
  const text = Readable.from(textOf(open(), encoding, first.length));
  text.on('error', (error) => records.destroy(error)).pipe(records);
  try {
    for await (const record of records as AsyncIterable<CsvRecord>) {
      if (record.cells.some((cell) => cell.trim() !== '')) yield record;
    }
  } catch (error) {
    throw error instanceof CsvError ? new Invalid(PROBLEMS[error.code] ?? 'is not valid CSV', line) : error;
  } finally {
    text.destroy();
  }
}

async function headOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of source) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= HEAD_BYTES) break;
  }
  return head;
}

/** A byte order mark determines the encoding. The first heading has at least two ASCII characters. */
function encodingOf(head: Buffer, named = 'utf-8'): string {
  const start = head.toString('hex', 0, 4);
  // These bytes begin a ZIP archive, which an .xlsx or .ods is, or an .xls.
  if (/^(504b0304|d0cf11e0)/.test(start)) {
    throw new Error('The file is a workbook, such as .xlsx: save it as CSV, in UTF-8.');
  }
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  if (start.startsWith('feff')) return 'utf-16be';
  const likely = /^00../.test(start) ? 'utf-16be' : /^..00/.test(start) ? 'utf-16le' : null;
  if (likely === null || named !== 'utf-8') return named;
  throw new Error(`The file looks like UTF-16 without a byte order mark: name its encoding with --encoding ${likely}.`);
}

/** @param skipped the number of characters to skip at the beginning. */
async function* textOf(source: AsyncIterable<Uint8Array>, encoding: string, skipped: number): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let left = skipped;
  try {
    for await (const chunk of source) {
      const text = decoder.decode(chunk, { stream: true });
      yield text.slice(left);
      left = Math.max(0, left - text.length);
    }
    yield decoder.decode();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    const remedy = 'name its encoding, such as --encoding windows-1252 for a spreadsheet of Western Europe';
    throw new Error(`The file is not ${encoding} text: ${remedy}.`, { cause: error });
  }
}

function separatorOf(start: string): string {
  const [heading = ''] = /^[^\r\n]*/.exec(start.replace(/"(?:[^"]|"")*"/g, '')) ?? [];
  const count = (separator: string) => heading.split(separator).length;
  return [',', ';', '\t'].reduce((most, other) => (count(other) > count(most) ? other : most));
}
