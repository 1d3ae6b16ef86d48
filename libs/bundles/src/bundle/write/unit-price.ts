import { isUnitPrice, MAX_UNIT_PRICE, minorUnitExponent, Money, type Currency } from '@app/domain';
import { BundleLineError } from '../check/faults.js';

/** Reads a price as minor units of the currency. @throws BundleLineError */
export function unitPrice(price: string, currency: Currency, line: number, path: string): number {
  if (!isUnitPrice(price, currency)) {
    throw new BundleLineError(line, `${path} must not be higher than ${MAX_UNIT_PRICE} minor units of ${currency}`);
  }
  const money = Money.exact(price, currency);
  if (money) return money.minor;
  throw new BundleLineError(line, `${path} must have at most ${minorUnitExponent(currency)} decimals in ${currency}`);
}
