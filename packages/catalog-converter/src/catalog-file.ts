import type { CatalogFormat } from './catalog-format.js';
import type { Cells } from './cells.js';
import { readCsv, type CsvRecord, type OpenFile } from './csv-records.js';
import { Invalid, quoted } from './invalid.js';

/** A row of the file. When a row has a fault, only its line is known. */
export interface Row {
  readonly line: number;
  readonly cells: Cells;
  readonly fault: string | null;
  /** The key that all rows of its product share. */
  readonly product: string;
  readonly alias?: string;
}

export interface FileOptions {
  readonly format: CatalogFormat;
  readonly open: OpenFile;
  /** The encoding of a file without a byte order mark: a label of the Encoding Standard. UTF-8 by default. */
  readonly encoding?: string;
  /** Maps headings of the file to the format's English headings, for columns with other names. */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface Header {
  /** The column at each position; null for an unused one. */
  readonly columns: readonly (string | null)[];
  readonly names: readonly string[];
  /** The headings of the unused columns. */
  readonly ignored: readonly string[];
}

/**
 * Returns the records of the file, each with the common header. @throws Invalid or Error when the file does not have
 * the format.
 */
async function* readRecords(options: FileOptions): AsyncGenerator<{ header: Header; record: CsvRecord; row: Row }> {
  let header: Header | null = null;
  for await (const record of readCsv(options.open, options.encoding)) {
    if (header) yield { header, record, row: rowOf(record, header, options.format) };
    else header = readHeader(record, options.format, options.columns ?? {});
  }
  if (!header) throw new Error('The file is empty.');
}

/** What the first reading of a file finds. */
export interface Survey {
  readonly header: Header | null;
  readonly rows: number;
  /** The number of rows of each product. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The product of each alias, from the first row with it. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Reads the whole file, so that a broken one fails before any of it is converted. */
export async function survey(options: FileOptions): Promise<Survey> {
  const named = new Map<string, number>();
  const aliases = new Map<string, string>();
  let header: Header | null = null;
  let rows = 0;
  for await (const { header: own, row } of readRecords(options)) {
    header = own;
    rows++;
    named.set(row.product, (named.get(row.product) ?? 0) + 1);
    if (row.alias !== undefined && !aliases.has(row.alias)) aliases.set(row.alias, row.product);
  }
  const sizes = new Map<string, number>();
  for (const [name, count] of named) {
    const product = aliases.get(name) ?? name;
    sizes.set(product, (sizes.get(product) ?? 0) + count);
  }
  return { header, rows, sizes, aliases };
}

/**
 * Reads the file again and returns the rows of each product, in the sequence of the products' first rows. It holds the
 * rows from the first incomplete product on.
 * @param reportSuspect receives the cells that a spreadsheet has probably damaged.
 */
export async function* readProducts(
  options: FileOptions,
  { sizes, aliases }: Survey,
  reportSuspect: (line: number, reason: string) => void,
): AsyncGenerator<readonly Row[]> {
  const waiting = new Map<string, Row[]>();
  for await (const { header, record, row } of readRecords(options)) {
    reportDamage(record, header, reportSuspect);
    const product = aliases.get(row.product) ?? row.product;
    const gathered = waiting.get(product);
    if (gathered) gathered.push(row);
    else waiting.set(product, [row]);
    for (const [first, rows] of waiting) {
      if (rows.length < (sizes.get(first) ?? 0)) break;
      waiting.delete(first);
      yield rows;
    }
  }
}

function readHeader({ cells }: CsvRecord, format: CatalogFormat, renamed: Readonly<Record<string, string>>): Header {
  const names = cells.map((cell) => cell.trim());
  for (const [name, known] of Object.entries(renamed)) {
    if (!names.includes(name)) throw new Error(`The file has no column ${quoted(name)}, which --columns names.`);
    if (format.columnOf(known.toLowerCase()) === null) {
      throw new Error(`--columns maps ${quoted(name)} to ${quoted(known)}, which the converter does not read.`);
    }
  }
  const headingOf = (name: string) => (Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name);
  const columns = names.map((name) => format.columnOf(headingOf(name).toLowerCase()));
  const missing = Object.entries(format.required).flatMap(([column, name]) => (columns.includes(column) ? [] : [name]));
  const ignored = names.filter((name, index) => columns[index] === null && name !== '');
  if (missing.length > 0) {
    const others = ignored.length > 0 ? ` Unknown columns: ${ignored.slice(0, 50).map(quoted).join(', ')}.` : '';
    const remedy =
      names.length > 1
        ? '--columns FILE.json can map them.'
        : 'Commas, semicolons or tabs separate columns; a first line such as sep=| names another separator.';
    throw new Error(`The file has no column ${missing.map(quoted).join(', ')}.${others} ${remedy}`);
  }
  columns.forEach((column, index) => {
    if (column !== null && columns.indexOf(column) !== index) {
      throw new Error(`The file has the column ${quoted(names[index] ?? '')} twice.`);
    }
  });
  return { columns, names, ignored };
}

function rowOf({ line, cells: given }: CsvRecord, { columns, names }: Header, format: CatalogFormat): Row {
  if (given.length !== columns.length) {
    throw new Invalid(`has ${given.length} fields, the first line ${columns.length}`, line);
  }
  const cells: Record<string, string> = {};
  let fault: string | null = null;
  columns.forEach((column, index) => {
    const text = given[index] ?? '';
    if (column === null || text.trim() === '') return;
    if (CONTROL_CHARACTER.test(text)) fault ??= `${names[index] ?? ''} has a control character`;
    else cells[column] = format.unescape?.(text) ?? text;
  });
  const { product, alias } = format.placeOf(cells);
  // A row without a product is reported by its line.
  return { line, product: product ?? `line ${line}`, alias, fault, cells: fault === null ? cells : {} };
}

/** Matches a long number as a spreadsheet shortens it, such as 4006381333931 to 4,00638E+12. */
const SHORTENED = /^\d([.,]\d+)?E\+\d{2,}$/i;
const IS_CODE = /barcode|gtin|upc|ean|isbn/i;

function reportDamage(
  { line, cells }: CsvRecord,
  { columns, names }: Header,
  reportSuspect: (line: number, reason: string) => void,
): void {
  cells.forEach((cell, index) => {
    const name = names[index] ?? '';
    if (!SHORTENED.test(cell.trim()) || (columns[index] !== 'sku' && !IS_CODE.test(name))) return;
    reportSuspect(line, `${name} ${quoted(cell.trim())} looks like a number that a spreadsheet has shortened`);
  });
}

// This excludes tabs and line breaks, which descriptions contain.
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
