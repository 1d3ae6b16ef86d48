import type { BundleLine, GivenLine } from './bundle.js';
import { Fault } from './faults.js';
import { plainObject, type Field } from './fields.js';
import { brandLine, categoryLine, productLine } from './parse-catalog-lines.js';
import { binLine, stockLine, warehouseLine } from './parse-place-lines.js';
import { storeLine } from './parse-store-line.js';
import { customerLine, orderLine } from './parse-trade-lines.js';

const KINDS: { readonly [K in BundleLine['kind']]: Field<Extract<GivenLine, { kind: K }>> } = {
  store: storeLine,
  warehouse: warehouseLine,
  bin: binLine,
  brand: brandLine,
  category: categoryLine,
  product: productLine,
  stock: stockLine,
  customer: customerLine,
  order: orderLine,
};

/**
 * Reads one line of a bundle, with exactly the fields that it gives.
 *
 * @throws Fault naming the first field that is wrong.
 */
export function checkLine(value: unknown): GivenLine {
  const given = plainObject(value, 'the line').kind;
  const read =
    typeof given === 'string' && Object.hasOwn(KINDS, given) ? KINDS[given as BundleLine['kind']] : undefined;
  if (!read) throw new Fault('kind', `must be one of ${Object.keys(KINDS).join(', ')}`);
  return read(value, given as string);
}

/** @throws Fault when the text is not JSON. */
export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    // The parser's own words quote the line, which may hold personal data.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new Fault(
      'the line',
      `is not valid JSON${position === undefined ? '' : ` (character ${Number(position) + 1})`}`,
    );
  }
}

/** @throws Fault when the text is not JSON, or not a line of a bundle. */
export const parseLine = (line: string): GivenLine => checkLine(parseJson(line));
