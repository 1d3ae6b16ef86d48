import { api, get, MAX_PAGES, type Schemas } from '../http.js';
import { minorOf, money, plainMoney } from '../parts/amount.js';
import type { ResultLine } from '../parts/results.js';
import { rowsIn, type Row } from './rows.js';

type UnitPrices = Schemas['UnitPrices'];

/** A line of a pasted table with its effect, or with its result. */
export interface SheetLine extends ResultLine {
  /** What is sent; absent when nothing is to be sent. */
  readonly change?: Schemas['PriceLineRequest'];
}

/** What the list says of a unit, changed by each line that was compared. */
interface Unit extends Pick<UnitPrices, 'product_id' | 'variant_id'> {
  /** Minor units by quantity. */
  prices: ReadonlyMap<number, number | null>;
  rule: Readonly<Record<'min' | 'step', number | null>>;
  /** The line that gave each value. */
  readonly givenBy: Map<string, number>;
}

const MAX_LINES_PER_WRITE = 500;
const MAX_SKUS_PER_READ = 100;
/** The service reads at most 16 kB of an address and its headers. */
const MAX_ADDRESS_LENGTH = 6_000;

/** Splits SKUs into as many as the address of a request can have. */
function chunksOf(skus: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let length = 0;
  for (const sku of skus) {
    const last = chunks.at(-1);
    const more = encodeURIComponent(`,${sku}`).length;
    const hasRoom = last && last.length < MAX_SKUS_PER_READ && length + more <= MAX_ADDRESS_LENGTH;
    if (hasRoom) last.push(sku);
    else chunks.push([sku]);
    length = hasRoom ? length + more : more;
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

/** The values that a line is about: as they are, and as they become. */
function valuesOf({ from, price, min, step }: Row, { prices, rule }: Unit, currency: string) {
  const present = prices.get(from) ?? null;
  const ruled = ruleOf(min === undefined ? rule.min : min, step === undefined ? rule.step : step);
  const say = (value: number | null, text: string) => (value === null ? 'none' : text);
  const amount = (minor: number | null) => say(minor, money(minor ?? 0, currency));
  const units = (value: number | null) => say(value, String(value));
  return {
    price: {
      name: `price from ${from}`,
      given: price,
      before: present,
      after: price === undefined ? present : price,
      text: amount,
    },
    min: { name: 'minimum', given: min, before: rule.min, after: ruled.min, text: units },
    step: { name: 'step', given: step, before: rule.step, after: ruled.step, text: units },
  };
}

/** Compares a line with its unit, which then has what the line says. @throws why the line is refused. */
function effectOf(row: Row, n: number, unit: Unit, currency: string): Omit<SheetLine, 'n' | 'key'> {
  const { price, min, step } = valuesOf(row, unit, currency);
  const given = [price, min, step].filter((value) => value.given !== undefined);
  const changed = [price, min, step].filter(({ before, after }) => before !== after);
  for (const { name, before, after } of given) {
    const other = unit.givenBy.get(name);
    if (other !== undefined && before !== after) throw new Error(`Line ${other} gives this SKU another ${name}.`);
  }
  const prices = new Map(unit.prices).set(row.from, price.after);
  const isRuled = changed.includes(min) || changed.includes(step);
  if (isRuled && min.after !== null && [...prices.values()].every((minor) => minor === null))
    throw new Error('The list has no price for this SKU.');
  Object.assign(unit, { prices, rule: { min: min.after, step: step.after } });
  for (const { name } of given) if (!unit.givenBy.has(name)) unit.givenBy.set(name, n);
  if (changed.length === 0) return { result: 'unchanged', notes: [] };
  const plain = (minor: number | null) => (minor === null ? null : plainMoney(minor, currency));
  const isPriced = changed.includes(price);
  return {
    result: isPriced && price.before === null ? 'created' : isPriced && price.after === null ? 'removed' : 'updated',
    notes: changed.map(({ name, before, after, text }) => `${name}: ${text(before)} → ${text(after)}`),
    change: {
      product_id: unit.product_id,
      variant_id: unit.variant_id,
      from_quantity: row.from,
      ...(isPriced && { price: plain(price.after), expected: plain(price.before) }),
      ...(isRuled && { min_quantity: min.after, step: step.after }),
    },
  };
}

/** Compares a pasted table with a price list. */
export async function compare(text: string, list: string, currency: string): Promise<SheetLine[]> {
  const lines = rowsIn(text, currency);
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
