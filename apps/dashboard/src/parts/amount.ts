/**
 * Currencies whose minor unit is not a hundredth, as the service has them from ISO 4217. Browsers differ for 17 others.
 */
const DIGITS: Readonly<Record<string, number>> = {
  ...{ BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0, VUV: 0 },
  ...{ XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 },
};

export const digitsOf = (currency: string): number => DIGITS[currency] ?? 2;

/** Formats an amount in minor units for people. */
export function money(minor: number, currency: string): string {
  const digits = digitsOf(currency);
  const range = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...range }).format(minor / 10 ** digits);
}

export const plainMoney = (minor: number, currency: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** Converts a price of the catalog, in major units. */
export const minorOf = (major: number, currency: string): number => Math.round(major * 10 ** digitsOf(currency));

/** Matches a number with or without decimals. Its thousands are not separated, or not by the decimal mark. */
const DECIMAL =
  /^(\d+|\d{1,3}(?:[ '’\u00A0\u202F]\d{3})+|\d{1,3}(?:\.\d{3})+(?=,)|\d{1,3}(?:,\d{3})+(?=\.))(?:[.,](\d+))?$/;
const THOUSANDS = /^[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:,\d{3})+)$/;

/** Removes the symbol or the code of the currency before or after the amount, as spreadsheets write it. */
function withoutCurrency(text: string, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  const symbol = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
  const [found] = [symbol, currency].filter((mark) => text.startsWith(mark) || text.endsWith(mark));
  return found === undefined ? text : text.replace(found, '').trim();
}

/**
 * Returns the typed amount in minor units: a comma or a point precedes the decimals, and thousands may be separated.
 * @throws why it is not an amount, or which two amounts it may mean.
 */
export function readAmount(text: string, currency: string): number {
  const digits = digitsOf(currency);
  const given = withoutCurrency(text.trim(), currency);
  const decimal = DECIMAL.exec(given);
  const isThousands = THOUSANDS.test(given);
  if (!decimal && !isThousands) throw new Error(`“${given}” is not an amount. Enter digits, such as 1250 or 12.50.`);
  let [, whole = given, decimals = ''] = decimal ?? [];
  if (isThousands && digits === 0) [whole, decimals] = [given, ''];
  // The page itself writes a point before three decimals.
  else if (isThousands && decimals && !(digits > 2 && given.includes('.')))
    throw new Error(`“${given}” is ambiguous. Enter ${whole}${decimals} or ${whole}.${decimals.slice(0, digits)}.`);
  if (decimals.length > digits) throw new Error(`“${given}” has too many decimals: ${currency} has ${digits}.`);
  const minor = Number(whole.replace(/\D/g, '') + decimals.padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) throw new Error(`“${given}” is too large.`);
  return minor;
}

/** @throws why it is not a number of units. */
export function readUnits(text: string): number {
  if (!/^[+-]?\d{1,9}$/.test(text.trim()))
    throw new Error(`“${text.trim()}” is not a whole number. Enter digits only.`);
  return Number(text);
}
