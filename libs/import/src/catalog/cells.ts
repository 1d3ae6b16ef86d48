import { Money, MAX_UNIT_PRICE, minorUnitExponent, toDecimal, type Currency } from '@app/domain';
import { Fault } from '../bundle/faults.js';

/** The cells of a row that hold something, by the format's own name of their column. */
export type Cells = Readonly<Record<string, string | undefined>>;

/** The price as decimal text. @throws Fault for what could be taken for another amount than was meant. */
export function readPrice(text: string, column: string, currency: Currency): string {
  const given = text.trim();
  if (/^-\s*\d/.test(given)) throw new Fault(column, 'is negative');
  if (/\p{Sc}|[A-Za-z]/u.test(given)) throw new Fault(column, 'must be a plain number, without a currency');
  if (/[,' \u00a0\u202f]/.test(given)) {
    throw new Fault(column, 'must have no thousands separator, and a point before the decimals');
  }
  if (!/^\d{1,18}(\.\d{1,18})?$/.test(given)) throw new Fault(column, 'must be a number such as 79.90');
  if (minorUnits(given, currency) > MAX_UNIT_PRICE) {
    throw new Fault(column, `must not be higher than ${MAX_UNIT_PRICE} minor units of ${currency}`);
  }
  return given;
}

/** Tells of a price that has more decimals than its currency. */
export function noteRounding(price: string, currency: Currency, noted: (reason: string) => void): void {
  const taken = toDecimal(minorUnits(price, currency), currency);
  if (Number(price) === taken) return;
  noted(`the price ${price} is taken as ${taken.toFixed(minorUnitExponent(currency))} ${currency}`);
}

/** The lowest of the prices. */
export function lowestPrice(prices: readonly string[], currency: Currency): string {
  return prices.reduce((low, price) => (minorUnits(price, currency) < minorUnits(low, currency) ? price : low));
}

function minorUnits(price: string, currency: Currency): number {
  try {
    return Money.parse(price, currency).minor;
  } catch {
    return Infinity; // more than an exact integer can hold
  }
}

/** How many there are; null where the shop does not count. Less than none is none, which is `noted`. */
export function readQuantity(text: string | undefined, column: string, noted: (reason: string) => void): number | null {
  const given = text?.trim() ?? '';
  if (given === '') return null;
  if (!/^-?\d{1,10}(\.0*)?$/.test(given)) throw new Fault(column, 'must be a whole number');
  const quantity = Number(given);
  if (quantity < 0) noted(`${column} is negative, and taken as 0`);
  return Math.max(quantity, 0);
}

/** Whether the cell says yes. */
export function saysYes(text: string | undefined): boolean {
  return /^(true|yes|1)$/i.test(text?.trim() ?? '');
}

/** A list as WooCommerce writes it: commas between, a backslash before a comma that belongs to the text. */
export function listed(text: string | undefined): string[] {
  const parts = (text ?? '').split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
  return parts.filter((part) => part !== '');
}

/** Addresses that a browser can load, each once. */
export function pictures<T extends { readonly url: string }>(
  given: readonly T[],
  noted: (reason: string) => void,
): T[] {
  const byUrl = new Map<string, T>();
  for (const picture of given) {
    if (!/^https?:\/\//i.test(picture.url)) noted('an image that is not an http address is left out');
    else if (!byUrl.has(picture.url)) byUrl.set(picture.url, picture);
  }
  return [...byUrl.values()];
}

/** Options by name, in their order. A further option of the same name gets a number, so that none is lost. */
export function optionsByName(pairs: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const options = new Map<string, string>();
  for (const [name, value] of pairs) {
    let own = name;
    for (let n = 2; options.has(own); n++) own = `${name} (${n})`;
    options.set(own, value);
  }
  return Object.fromEntries(options);
}
