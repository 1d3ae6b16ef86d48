import type { QueryRunner } from 'typeorm';
import { BundleLineError, Fault, quoted } from '../bundle/check/faults.js';
import type { CatalogFormat } from './catalog-format.js';
import type { Notes } from './catalog-report.js';
import type { Cells } from './cells.js';
import type { CsvRecord } from './csv-records.js';

/** A row of the staged file. For a row with a fault, only its position is known. */
export interface StagedRow {
  readonly line: number;
  readonly cells: Cells;
  readonly fault: string | null;
}

export interface StagedFile {
  readonly columns: ReadonlySet<string>;
  /** Headers of the columns that the importer does not use. */
  readonly ignored: readonly string[];
  readonly rows: number;
}

const ROWS_AT_ONCE = 500;
const PRODUCTS_AT_ONCE = 100;
/** Characters of JSON per read and per write: a description may hold whole images. */
const SIZE_AT_ONCE = 4_000_000;
/** A larger group of rows is not a product, and must not fill the memory. */
const MAX_ROWS_OF_PRODUCT = 5_000;
const MAX_SIZE_OF_PRODUCT = 8_000_000;

const CREATE = `/* catalog.rows.create */
  CREATE TEMP TABLE catalog_rows (
    line int PRIMARY KEY, product text NOT NULL, alias text, fault text, cells jsonb NOT NULL, size int NOT NULL
  ) ON COMMIT DROP`;
const ADD = `/* catalog.rows.add */
  INSERT INTO catalog_rows
  SELECT *, length(cells::text)
  FROM jsonb_to_recordset($1::jsonb) AS given (line int, product text, alias text, fault text, cells jsonb)`;
const GATHER = [
  // A hash index, because names have no length limit before they are checked.
  'CREATE INDEX ON catalog_rows USING hash (product)',
  'ANALYZE catalog_rows',
  `/* catalog.rows.name_products */ UPDATE catalog_rows AS part SET product = whole.product
   FROM (SELECT DISTINCT ON (alias) alias, product FROM catalog_rows WHERE alias IS NOT NULL ORDER BY alias, line) AS whole
   WHERE whole.alias = part.product`,
  `/* catalog.rows.refuse_large */ WITH large AS (
     SELECT product, min(line) AS first, count(*) > ${MAX_ROWS_OF_PRODUCT} AS many FROM catalog_rows
     GROUP BY product HAVING count(*) > ${MAX_ROWS_OF_PRODUCT} OR sum(size) > ${MAX_SIZE_OF_PRODUCT}
   ), dropped AS (
     DELETE FROM catalog_rows AS more USING large WHERE more.product = large.product AND more.line > large.first
   )
   UPDATE catalog_rows AS kept SET cells = '{}', size = 2, fault = 'the product has more than '
     || CASE WHEN many THEN '${MAX_ROWS_OF_PRODUCT} rows' ELSE '${MAX_SIZE_OF_PRODUCT} characters' END
   FROM large WHERE kept.line = large.first`,
  `/* catalog.products.stage */ CREATE TEMP TABLE catalog_products ON COMMIT DROP AS
   SELECT min(line) AS line, product, sum(size) AS size FROM catalog_rows GROUP BY product`,
  'ALTER TABLE catalog_products ADD PRIMARY KEY (line)',
];
const NEXT = `/* catalog.products.next */
  WITH coming AS (
    SELECT * FROM catalog_products WHERE line > $1 ORDER BY line LIMIT ${PRODUCTS_AT_ONCE}
  ), next AS (
    SELECT line, product FROM (SELECT line, product, sum(size) OVER (ORDER BY line) - size AS before FROM coming) AS summed
    WHERE before < ${SIZE_AT_ONCE}
  )
  SELECT next.line AS first, rows.line, rows.cells, rows.fault FROM next JOIN catalog_rows AS rows USING (product)
  ORDER BY next.line, rows.line`;

/**
 * Copies the file into a temporary table, for two reasons: rows of one product may be far apart, and a file that is not
 * CSV fails before anything is written to the store. The table lasts as long as the runner's transaction.
 *
 * @param notes receives the cells that a spreadsheet has probably damaged.
 * @param renamed maps headings of the file to headings of the format.
 * @throws BundleLineError when a row is unreadable, Error when a column is missing.
 */
export async function stage(
  runner: QueryRunner,
  format: CatalogFormat,
  records: AsyncIterable<CsvRecord>,
  notes: Notes,
  renamed: Readonly<Record<string, string>> = {},
): Promise<StagedFile> {
  await runner.query(CREATE);
  let header: Header | null = null;
  let waiting: string[] = [];
  let size = 0;
  let rows = 0;
  const send = async () => {
    await runner.query(ADD, [`[${waiting.join(',')}]`]);
    waiting = [];
    size = 0;
  };
  for await (const record of records) {
    if (!header) {
      header = readHeader(record, format, renamed);
      continue;
    }
    const json = JSON.stringify(stagedRow(record, header, format));
    noteDamage(record, header, notes);
    waiting.push(json);
    size += json.length;
    rows++;
    if (waiting.length >= ROWS_AT_ONCE || size >= SIZE_AT_ONCE) await send();
  }
  if (!header) throw new Error('The file is empty.');
  if (waiting.length > 0) await send();
  for (const statement of GATHER) await runner.query(statement);
  return { columns: new Set(header.columns.filter((column) => column !== null)), ignored: header.ignored, rows };
}

/** The rows of each product, in the order of the products' first rows, several products at a time. */
export async function* stagedProducts(runner: QueryRunner): AsyncGenerator<StagedRow[][]> {
  for (let last = 0; ;) {
    const rows = (await runner.query(NEXT, [last])) as (StagedRow & { first: number })[];
    if (rows.length === 0) return;
    const products = new Map<number, StagedRow[]>();
    for (const { first, ...row } of rows) {
      const product = products.get(first);
      if (product) product.push(row);
      else products.set(first, [row]);
      last = first;
    }
    yield [...products.values()];
  }
}

interface Header {
  /** The column at each position; null when the importer does not use it. */
  readonly columns: readonly (string | null)[];
  readonly names: readonly string[];
  readonly ignored: readonly string[];
}

function readHeader({ cells }: CsvRecord, format: CatalogFormat, renamed: Readonly<Record<string, string>>): Header {
  const names = cells.map((cell) => cell.trim());
  for (const [name, known] of Object.entries(renamed)) {
    if (!names.includes(name)) throw new Error(`The file has no column ${quoted(name)}, which --columns names.`);
    if (format.columnOf(known.toLowerCase()) === null) {
      throw new Error(`--columns maps ${quoted(name)} to ${quoted(known)}, which the importer does not read.`);
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

function stagedRow({ line, cells: given }: CsvRecord, { columns, names }: Header, format: CatalogFormat): object {
  if (given.length !== columns.length) {
    throw new BundleLineError(line, `has ${given.length} fields, the first line ${columns.length}`);
  }
  const cells: Record<string, string> = {};
  let fault: string | null = null;
  columns.forEach((column, index) => {
    const text = given[index] ?? '';
    if (column === null || text.trim() === '') return;
    if (CONTROL_CHARACTER.test(text)) fault ??= new Fault(names[index] ?? '', 'has a control character').message;
    else cells[column] = format.unescape?.(text) ?? text;
  });
  const { product, alias } = format.placeOf(cells);
  // A row without a product is reported by its line.
  return { line, product: product ?? `line ${line}`, alias, fault, cells: fault === null ? cells : {} };
}

/** How a spreadsheet shortens a long number, such as 4006381333931 to 4,00638E+12. */
const SHORTENED = /^\d([.,]\d+)?E\+\d{2,}$/i;
const IS_CODE = /barcode|gtin|upc|ean|isbn/i;

function noteDamage({ line, cells }: CsvRecord, { columns, names }: Header, notes: Notes): void {
  cells.forEach((cell, index) => {
    const name = names[index] ?? '';
    if (!SHORTENED.test(cell.trim()) || (columns[index] !== 'sku' && !IS_CODE.test(name))) return;
    const reason = `${name} ${quoted(cell.trim())} looks like a number that a spreadsheet has shortened`;
    notes.add({ outcome: 'doubtful', line, reason });
  });
}

// Every control character except tabs and line breaks, which descriptions contain.
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
