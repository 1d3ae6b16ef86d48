import { api, get, MAX_PAGES, type Schemas } from '../http.js';
import { minorOf, money, plainMoney, readAmount, readUnits } from '../parts/amount.js';
import { count } from '../parts/text.js';
import type { ResultLine } from '../parts/results.js';

type UnitPrices = Schemas['UnitPrices'];

/** A line of a pasted table with its effect, or with its result. */
export interface SheetLine extends ResultLine {
  /** What is sent; absent when nothing is to be sent. */
  readonly change?: Schemas['PriceLineRequest'];
}

/** What a cell says: `undefined` leaves the value as it is, `null` removes it. */
type Given = number | null | undefined;

interface Row {
  readonly sku: string;
  readonly from: number;
  readonly price: Given;
  readonly min: Given;
  readonly step: Given;
}

/** What the list says of a unit, changed by each line that was compared. */
interface Unit extends Pick<UnitPrices, 'product_id' | 'variant_id'> {
  /** Minor units by quantity. */
  readonly prices: Map<number, number | null>;
  readonly rule: { min: number | null; step: number | null };
  /** The line that gave each value. */
  readonly givenBy: Map<string, number>;
}

/** The maximum number of lines at once, as many as a list that is read as a whole may have. */
const MAX_LINES = 5_000;
const MAX_LINES_PER_WRITE = 500;
const MAX_SKUS_PER_READ = 100;
/** The service reads at most 16 kB of an address and its headers. */
const MAX_ADDRESS_LENGTH = 6_000;
const COLUMNS = 5;

const given = (cell: string, read: (text: string) => number): Given =>
  cell === '' ? undefined : /^[-–—]$/.test(cell) ? null : read(cell);

function readQuantity(text: string): number {
  const units = readUnits(text);
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
    from: from ? readQuantity(from) : 1,
    price: given(price, (text) => readAmount(text, currency)),
    min: given(min, readQuantity),
    step: given(step, readQuantity),
  };
  if (row.price === undefined && row.min === undefined && row.step === undefined)
    throw new Error('The price is missing. Enter - to remove it.');
  return row;
}

const cellsOf = (text: string): string[] => text.split(text.includes('\t') ? '\t' : ';').map((cell) => cell.trim());

/** A heading has words where a line has numbers. */
const isHeading = ([, ...cells]: readonly string[]): boolean =>
  cells.some((cell) => /\p{L}/u.test(cell)) && !cells.some((cell) => /\d/.test(cell));

type Read = Readonly<{ n: number; key: string } & ({ row: Row } | { result: 'skipped' | 'refused'; note: string })>;

function read(cells: readonly string[], n: number, currency: string): Read {
  const key = cells[0] ?? '';
  try {
    return { n, key, row: rowOf(cells, currency) };
  } catch (error) {
    return { n, key, result: 'refused', note: (error as Error).message };
  }
}

/** Reads a table with a line for each SKU and quantity. Its cells are separated by tabs, or by semicolons. */
function linesOf(text: string, currency: string): Read[] {
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

/** Splits SKUs into as many as the address of a request can have. */
function chunksOf(skus: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let length = 0;
  for (const sku of skus) {
    const last = chunks.at(-1);
    const more = encodeURIComponent(`,${sku}`).length;
    length += more;
    if (last && last.length < MAX_SKUS_PER_READ && length <= MAX_ADDRESS_LENGTH) last.push(sku);
    else [length] = [more, chunks.push([sku])];
  }
  return chunks;
}

/** Reads all prices of the SKUs. @param list the code of a list; absent: the catalog. */
export async function readPrices(skus: readonly string[], list?: string): Promise<UnitPrices[]> {
  const found: UnitPrices[] = [];
  for (const chunk of chunksOf(skus)) {
    const query = { list, sku: chunk.join(','), limit: MAX_SKUS_PER_READ };
    let page = await get('/v1/prices', { query });
    found.push(...page.data);
    for (let n = 1; page.has_more && n < MAX_PAGES; n++) {
      page = await get('/v1/prices', { query: { ...query, cursor: page.cursor } });
      found.push(...page.data);
    }
  }
  return found;
}

export const keyOf = ({ product_id, variant_id }: Pick<UnitPrices, 'product_id' | 'variant_id'>): string =>
  `${product_id}/${variant_id ?? ''}`;

const pricesOf = (unit: UnitPrices | undefined, currency: string): [number, number][] =>
  unit?.price_breaks.map(({ from_quantity, price }) => [from_quantity, minorOf(price, currency)]) ?? [];

/** Groups the units by a text, each once. */
function groupsOf(units: readonly UnitPrices[], textOf: (unit: UnitPrices) => string) {
  const groups = new Map<string, Map<string, UnitPrices>>();
  for (const unit of units)
    groups.set(textOf(unit), (groups.get(textOf(unit)) ?? new Map<string, UnitPrices>()).set(keyOf(unit), unit));
  return groups;
}

/** Finds units as the service does: a SKU matches exactly, or else in any letter case. */
function finder(catalog: readonly UnitPrices[], listed: readonly UnitPrices[], currency: string) {
  const stored = new Map(listed.map((unit) => [keyOf(unit), unit]));
  const units = new Map<string, Unit>();
  const exact = groupsOf(catalog, ({ sku }) => sku);
  const anyCase = groupsOf(catalog, ({ sku }) => sku.toLowerCase());
  /** @throws when no unit has the SKU, or several. */
  return (sku: string): Unit => {
    const [found, ...others] = (exact.get(sku) ?? anyCase.get(sku.toLowerCase()))?.values() ?? [];
    if (!found) throw new Error('The store does not have this SKU.');
    if (others.length > 0) throw new Error('Several products have this SKU.');
    const key = keyOf(found);
    const present = stored.get(key);
    const unit = units.get(key) ?? {
      product_id: found.product_id,
      variant_id: found.variant_id,
      prices: new Map(pricesOf(present, currency)),
      rule: { min: present?.min_quantity ?? null, step: present?.step ?? null },
      givenBy: new Map<string, number>(),
    };
    units.set(key, unit);
    return unit;
  };
}

/** Where only one part of a rule is given, the service takes 1 for the other. */
const ruleOf = (min: number | null, step: number | null) =>
  min === null && step === null ? { min, step } : { min: min ?? 1, step: step ?? 1 };

/** Compares a line with its unit, which then has what the line says. @throws why the line is refused. */
function effectOf(row: Row, n: number, unit: Unit, currency: string): Omit<SheetLine, 'n' | 'key'> {
  const { prices, rule, givenBy } = unit;
  const { from, price } = row;
  const before = prices.get(from) ?? null;
  const after = price === undefined ? before : price;
  const ruled = ruleOf(row.min === undefined ? rule.min : row.min, row.step === undefined ? rule.step : row.step);
  const values = [
    { name: `price from ${from}`, given: price, before, after, text: (minor: number) => money(minor, currency) },
    { name: 'minimum', given: row.min, before: rule.min, after: ruled.min, text: String },
    { name: 'step', given: row.step, before: rule.step, after: ruled.step, text: String },
  ];
  for (const { name, given, before, after } of values) {
    const other = givenBy.get(name);
    if (given !== undefined && other !== undefined && before !== after)
      throw new Error(`Line ${other} gives this SKU another ${name}.`);
  }
  const isRuled = rule.min !== ruled.min || rule.step !== ruled.step;
  const rest = [...prices].filter(([quantity, minor]) => quantity !== from && minor !== null);
  if (isRuled && after === null && rest.length === 0) throw new Error('The list has no price for this SKU.');
  prices.set(from, after);
  Object.assign(rule, ruled);
  for (const { name, given } of values) if (given !== undefined) givenBy.set(name, givenBy.get(name) ?? n);
  const changed = values.filter((value) => value.before !== value.after);
  if (changed.length === 0) return { result: 'unchanged', notes: [] };
  const say = (value: number | null, text: (value: number) => string) => (value === null ? 'none' : text(value));
  const plain = (minor: number | null) => (minor === null ? null : plainMoney(minor, currency));
  return {
    result: before === null ? 'created' : after === null ? 'removed' : 'updated',
    notes: changed.map(({ name, before, after, text }) => `${name}: ${say(before, text)} → ${say(after, text)}`),
    change: {
      product_id: unit.product_id,
      variant_id: unit.variant_id,
      from_quantity: from,
      ...(before !== after && { price: plain(after), expected: plain(before) }),
      ...(isRuled && { min_quantity: ruled.min, step: ruled.step }),
    },
  };
}

/** Compares a pasted table with a price list. */
export async function compare(text: string, list: string, currency: string): Promise<SheetLine[]> {
  const lines = linesOf(text, currency);
  const skus = [...new Set(lines.flatMap((line) => ('row' in line ? [line.row.sku] : [])))];
  const find = finder(...(await Promise.all([readPrices(skus), readPrices(skus, list)])), currency);
  return lines.map(({ n, key, ...line }) => {
    if (!('row' in line)) return { n, key, result: line.result, notes: [line.note] };
    try {
      return { n, key, ...effectOf(line.row, n, find(line.row.sku), currency) };
    } catch (error) {
      return { n, key, result: 'refused', notes: [(error as Error).message] };
    }
  });
}

/** Sends the first lines, as many as one request can have, and returns their results. */
export async function write(list: string, lines: readonly SheetLine[]): Promise<SheetLine[]> {
  const piece = lines.slice(0, MAX_LINES_PER_WRITE);
  const { data } = await api.POST('/v1/prices', { body: { list, lines: piece.flatMap(({ change }) => change ?? []) } });
  return piece.map((line, index) => {
    const error = data?.data.lines[index]?.error;
    return error ? { ...line, result: 'refused', notes: [error] } : line;
  });
}
