import { VALUES } from '../values/values.js';
import { minorUnitExponent, type Currency } from '../values/currency.js';

/** {@link toDecimal} is exact up to this many minor units. */
export const MAX_TOTAL = 5_000_000_000_000_000;

/** 100 lines of 999 units at this price stay below {@link MAX_TOTAL}. */
export const MAX_UNIT_PRICE = 50_000_000_000;

/** An integer amount in the minor unit of its currency (cents for USD). */
export class Money {
  private constructor(
    readonly minor: number,
    readonly currency: Currency,
  ) {}

  /** @throws RangeError when `minor` is not a safe, non-negative integer. */
  static ofMinor(minor: number, currency: Currency): Money {
    if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError(`Not an amount in minor units: ${minor}`);
    return new Money(minor, currency);
  }

  static zero(currency: Currency): Money {
    return new Money(0, currency);
  }

  /**
   * Reads decimal text in major units (`79.90`). Further digits are rounded half away from zero.
   * @throws RangeError when the text is not a non-negative decimal, or the amount is not a safe integer.
   */
  static parse(text: string, currency: Currency): Money {
    return Money.ofMinor(Number(minorUnitsOf(text, currency)), currency);
  }

  /**
   * Parses like {@link parse}, but returns null for a text that is finer than the minor unit. @throws RangeError like
   * {@link parse}.
   */
  static exact(text: string, currency: Currency): Money | null {
    const decimals = /\.(\d*?)0*$/.exec(text)?.[1]?.length ?? 0;
    return decimals > minorUnitExponent(currency) ? null : Money.parse(text, currency);
  }

  /**
   * Returns the minor unit nearest to a number in major units, half away from zero. Sums of doubles are not exact: 0.1
   * × 3 is 0.30000000000000004. @throws RangeError when the amount is negative or not a safe integer.
   */
  static nearest(major: number, currency: Currency): Money {
    return Money.parse(major.toFixed(18), currency);
  }

  /** @throws RangeError when the currencies differ. */
  plus(other: Money): Money {
    if (other.currency !== this.currency) throw new RangeError(`Cannot add ${other.currency} to ${this.currency}`);
    return Money.ofMinor(this.minor + other.minor, this.currency);
  }

  times(quantity: number): Money {
    return Money.ofMinor(this.minor * quantity, this.currency);
  }
}

/** Rounds further digits half away from zero. @throws RangeError when the text is not a non-negative decimal. */
function minorUnitsOf(text: string, currency: Currency): bigint {
  if (VALUES.decimal.read(text) === null) throw new RangeError(`Not a decimal amount: ${text.slice(0, 40)}`);
  const [whole = '', decimals = ''] = text.split('.');
  const exponent = minorUnitExponent(currency);
  const fraction = decimals.padEnd(exponent + 1, '0');
  const kept = BigInt(whole + fraction.slice(0, exponent));
  return Number(fraction[exponent]) >= 5 ? kept + 1n : kept;
}

/** Whether a decimal in major units is at most {@link MAX_UNIT_PRICE}. @throws RangeError for another text. */
export function isUnitPrice(text: string, currency: Currency): boolean {
  return minorUnitsOf(text, currency) <= MAX_UNIT_PRICE;
}

/** Formats 7990 minor units of USD as `79.90`. {@link Money.parse} reads the text back. */
export function toDecimalText({ minor, currency }: Money): string {
  const exponent = minorUnitExponent(currency);
  if (exponent === 0) return String(minor);
  const digits = String(minor).padStart(exponent + 1, '0');
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Converts 1999 minor units of USD to 19.99. The decimal is exact up to {@link MAX_TOTAL}. */
export function toDecimal(minor: number, currency: Currency): number {
  return minor / 10 ** minorUnitExponent(currency);
}

/**
 * Computes `whole` × `part` / `of`, rounded half up, and 0 when `of` is 0. It uses big integers: the product may exceed
 * the exact numbers.
 */
export function partOf(whole: number, part: number, of: number): number {
  if (of <= 0) return 0;
  const [dividend, divisor] = [2n * BigInt(whole) * BigInt(part) + BigInt(of), 2n * BigInt(of)];
  return Number(dividend / divisor);
}
