const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const format = formats.get(currency) ?? new Intl.NumberFormat(undefined, { style: 'currency', currency });
  formats.set(currency, format);
  return format;
}

const digitsOf = (currency: string): number => formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;

/** An amount in minor units, as people read it. */
export const money = (minor: number, currency: string): string =>
  formatOf(currency).format(minor / 10 ** digitsOf(currency));

/** What a field of money shows. */
export const plainMoney = (minor: number, currency: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** What a person typed, with a point or a comma, in minor units. */
export const minorOf = (text: string, currency: string): number =>
  Math.round(Number(text.trim().replace(',', '.')) * 10 ** digitsOf(currency));

/** The step of a field of money. */
export const stepOf = (currency: string): string => String(10 ** -digitsOf(currency));

export const count = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString()} ${n === 1 ? one : many}`;
