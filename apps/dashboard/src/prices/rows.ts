import { readAmount, readUnits } from '../parts/amount.js';
import { count } from '../parts/text.js';

/** What a cell says: `undefined` leaves the value as it is, `null` removes it. */
type Given = number | null | undefined;

export interface Row {
  readonly sku: string;
  readonly from: number;
  readonly price: Given;
  readonly min: Given;
  readonly step: Given;
}

/** The maximum number of lines at once, as many as a list that is read as a whole may have. */
const MAX_LINES = 5_000;
const COLUMNS = 5;

/** @throws why the cell is refused, with the name of its column. */
function inColumn<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

const given = (name: string, cell: string, read: (text: string) => number): Given =>
  cell === '' ? undefined : /^[-–—]$/.test(cell) ? null : inColumn(name, () => read(cell));

/** Spreadsheets write 1 as `1.0`, too. */
function readQuantity(text: string): number {
  const units = readUnits(text.replace(/[.,]0{1,2}$/, ''));
  if (units < 1) throw new Error(`“${text}” is less than 1.`);
  return units;
}

/** @throws why the cells are not a line. */
function rowOf(cells: readonly string[], currency: string): Row {
  const [sku = '', from = '', price = '', min = '', step = '', ...more] = cells;
  if (more.some(Boolean)) throw new Error(`The line has more than ${COLUMNS} columns.`);
  if (!sku) throw new Error('The SKU is missing.');
  // The service separates SKUs by commas.
  if (sku.includes(',')) throw new Error('A SKU with a comma cannot be looked up. Import its price.');
  const row = {
    sku,
    from: from ? inColumn('From quantity', () => readQuantity(from)) : 1,
    price: given('Price', price, (text) => readAmount(text, currency)),
    min: given('Minimum', min, readQuantity),
    step: given('Step', step, readQuantity),
  };
  if (row.price === undefined && row.min === undefined && row.step === undefined)
    throw new Error('The price is missing. Enter - to remove it.');
  return row;
}

const cellsOf = (text: string): string[] => text.split(text.includes('\t') ? '\t' : ';').map((cell) => cell.trim());

/** A heading has words where a line has numbers. */
const isHeading = ([, ...cells]: readonly string[]): boolean =>
  cells.some((cell) => /\p{L}/u.test(cell)) && !cells.some((cell) => /\d/.test(cell));

export type SheetRow = Readonly<
  { n: number; key: string } & ({ row: Row } | { result: 'skipped' | 'refused'; note: string })
>;

function read(cells: readonly string[], n: number, currency: string): SheetRow {
  const key = cells[0] ?? '';
  try {
    return { n, key, row: rowOf(cells, currency) };
  } catch (error) {
    return { n, key, result: 'refused', note: (error as Error).message };
  }
}

/** Reads a table with a line for each SKU and quantity. Its cells are separated by tabs, or by semicolons. */
export function rowsIn(text: string, currency: string): SheetRow[] {
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() ? [{ cells: cellsOf(line), n: index + 1 }] : []));
  if (lines.length > MAX_LINES)
    throw new Error(`Paste at most ${count(MAX_LINES, 'line')} at once. Larger lists can be imported.`);
  return lines.map(({ cells, n }, index) =>
    index === 0 && isHeading(cells)
      ? { n, key: cells.join(' '), result: 'skipped', note: 'Heading' }
      : read(cells, n, currency),
  );
}
