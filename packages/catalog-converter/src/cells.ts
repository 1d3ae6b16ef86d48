import { Invalid } from './invalid.js';

/** The non-empty cells of a row, by the format's name of their column. */
export type Cells = Readonly<Record<string, string | undefined>>;

/**
 * This limit detects an article number in the price column. It is in major units, above the limit of every currency.
 */
const MAX_PRICE = 50_000_000_000;

/** Returns the price as decimal text. @throws Invalid for text that could mean more than one amount. */
export function readPrice(text: string, column: string): string {
  const given = text.trim();
  if (/^-\s*\d/.test(given)) throw new Invalid(`${column} is negative`);
  if (/\p{Sc}|[A-Za-z]/u.test(given)) throw new Invalid(`${column} must be a plain number, without a currency`);
  if (/[,' \u00a0\u202f]/.test(given)) {
    throw new Invalid(`${column} must have no thousands separator, and a point before the decimals`);
  }
  if (!/^\d{1,18}(\.\d{1,18})?$/.test(given)) throw new Invalid(`${column} must be a number such as 79.90`);
  if (Number(given) > MAX_PRICE) throw new Invalid(`${column} must not be higher than ${MAX_PRICE}`);
  return given;
}

/** Notes a price that most currencies cannot express: the converter does not know the currency of the store. */
export function reportFinePrice(price: string, noted: (reason: string) => void): void {
  if (/\.\d\d\d*[1-9]/.test(price))
    noted(`the price ${price} has more than two decimals: the import refuses it unless the currency has them`);
}

/** Returns the lowest of the prices. */
export function lowestPrice(prices: readonly string[]): string {
  return prices.reduce((low, price) => (Number(price) < Number(low) ? price : low));
}

/** Returns the quantity; null when the shop does not track it. A negative quantity is read as 0 and `noted`. */
export function readQuantity(text: string | undefined, column: string, noted: (reason: string) => void): number | null {
  const given = text?.trim() ?? '';
  if (given === '') return null;
  if (!/^-?\d{1,10}(\.0*)?$/.test(given)) throw new Invalid(`${column} must be a whole number`);
  const quantity = Number(given);
  if (quantity < 0) noted(`${column} is negative and is read as 0`);
  return Math.max(quantity, 0);
}

/** Whether the cell says yes. */
export function isYes(text: string | undefined): boolean {
  return /^(true|yes|1)$/i.test(text?.trim() ?? '');
}

/** Returns image addresses that a browser can load, without duplicates. */
export function pictures<T extends { readonly url: string }>(
  given: readonly T[],
  noted: (reason: string) => void,
): T[] {
  const byUrl = new Map<string, T>();
  for (const picture of given) {
    if (!/^https?:\/\//i.test(picture.url)) noted('an image without an http address is skipped');
    else if (!byUrl.has(picture.url)) byUrl.set(picture.url, picture);
  }
  return [...byUrl.values()];
}

/** Returns options by name, in sequence. A repeated name gets a number, so that no option is lost. */
export function optionsByName(pairs: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const options = new Map<string, string>();
  for (const [name, value] of pairs) {
    let own = name;
    for (let n = 2; options.has(own); n++) own = `${name} (${n})`;
    options.set(own, value);
  }
  return Object.fromEntries(options);
}
