/** ISO 4217 alphabetic code, for example `USD`. */
export type Currency = string;

/** Currencies whose minor unit is not a hundredth (ISO 4217, list one, 2024-06-25). */
const EXPONENTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV']
      .concat(['XAF', 'XOF', 'XPF'])
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

const KNOWN = new Set([...Intl.supportedValuesOf('currency'), ...Object.keys(EXPONENTS)]);

export function isCurrency(code: string): code is Currency {
  return KNOWN.has(code);
}

/** Returns 2 for most currencies, 0 for JPY, 3 for KWD. */
export function minorUnitExponent(currency: Currency): number {
  return EXPONENTS[currency] ?? 2;
}
