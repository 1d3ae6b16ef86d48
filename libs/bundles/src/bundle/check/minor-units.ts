import { Money, type Currency } from '@app/domain';

/** The minor units of decimal text, whose form has been checked; Infinity when they are no exact integer. */
export function minorUnits(price: string, currency: Currency): number {
  try {
    return Money.parse(price, currency).minor;
  } catch {
    return Infinity;
  }
}
