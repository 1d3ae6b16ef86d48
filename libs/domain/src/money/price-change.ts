import { minorUnitExponent } from '../values/currency.js';
import { Money, toDecimalText } from './money.js';

export const PRICE_REFUSALS = ['invalid', 'unknown_sku', 'ambiguous_sku', 'stale', 'too_precise'] as const;
export type PriceRefusalCode = (typeof PRICE_REFUSALS)[number];

export interface PriceRefusal {
  readonly code: PriceRefusalCode;
  readonly error: string;
}

export interface PriceOutcome {
  readonly before: Money;
  readonly after: Money;
  readonly refusal: PriceRefusal | null;
}

/** Tracks the price of a product or variant through the lines of one request. */
export class UnitPrice {
  private hasBeenSet = false;

  /** @param price the price that was read under the lock of the product. */
  constructor(private price: Money) {}

  get minor(): number {
    return this.price.minor;
  }

  /** Whether a line has set the price, even to the value that it already had. */
  get isSet(): boolean {
    return this.hasBeenSet;
  }

  /**
   * @param text decimal, in major units.
   * @param expected the price that the writer assumes, in the same form; null overwrites any price.
   */
  set(text: string, expected: string | null): PriceOutcome {
    const before = this.price;
    const { currency } = before;
    const after = Money.exact(text, currency);
    if (!after) return this.refuse('too_precise', `${currency} has ${minorUnitExponent(currency)} decimals: ${text}`);
    // @protects expected-price
    if (expected !== null && Money.exact(expected, currency)?.minor !== before.minor) {
      return this.refuse('stale', `The price is ${toDecimalText(before)}, not ${expected}`);
    }
    this.price = after;
    this.hasBeenSet = true;
    return { before, after, refusal: null };
  }

  private refuse(code: PriceRefusalCode, error: string): PriceOutcome {
    return { before: this.price, after: this.price, refusal: { code, error } };
  }
}
