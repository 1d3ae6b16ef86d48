import { MAX_UNIT_PRICE, minorUnitExponent, Money, type Currency } from '@app/domain';
import { BundleLineError } from '../check/faults.js';

/** Reads a price as minor units of the currency. @throws BundleLineError */
export function unitPrice(price: string, currency: Currency, line: number, path: string): number {
  const minor = minorUnits(price, currency);
  if (minor === null) {
    throw new BundleLineError(line, `${path} must have at most ${minorUnitExponent(currency)} decimals in ${currency}`);
  }
  if (minor <= MAX_UNIT_PRICE) return minor;
  throw new BundleLineError(line, `${path} must not be higher than ${MAX_UNIT_PRICE} minor units of ${currency}`);
}

/** Null for a price that is finer than the currency; Infinity when they are no exact integer. */
function minorUnits(price: string, currency: Currency): number | null {
  try {
    return Money.exact(price, currency)?.minor ?? null;
  } catch {
    return Infinity;
  }
}
