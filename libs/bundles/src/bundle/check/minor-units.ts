import { Money, type Currency } from '@app/domain';

/** Infinity when they are no exact integer. */
export function minorUnits(price: string, currency: Currency): number {
  try {
    return Money.parse(price, currency).minor;
  } catch {
    return Infinity;
  }
}
