import { minorUnitExponent, type Currency } from '../values/currency.js';
import { Money, toDecimalText } from './money.js';

export const PRICE_REFUSALS = [
  'invalid',
  'unknown_sku',
  'ambiguous_sku',
  'stale',
  'too_precise',
  'too_many_prices',
] as const;
export type PriceRefusalCode = (typeof PRICE_REFUSALS)[number];

export interface PriceRefusal {
  readonly code: PriceRefusalCode;
  readonly error: string;
}

export interface PriceOutcome {
  /** The price before the line; null where the price list has none. */
  readonly before: Money | null;
  /** The price after the line; null where the price list has none. */
  readonly after: Money | null;
  readonly refusal: PriceRefusal | null;
}

/**
 * Tracks one price of a product or variant through the lines of one request: that of the catalog, or that of a price list
 * from a quantity on.
 */
export class UnitPrice {
  private hasBeenSet = false;

  /** @param price the price that was read under the lock of the product or the price list; null where the list has none. */
  constructor(
    private price: Money | null,
    private readonly currency: Currency,
  ) {}

  get minor(): number | null {
    return this.price?.minor ?? null;
  }

  /** Whether a line has set the price, even to the value that it already had. */
  get isSet(): boolean {
    return this.hasBeenSet;
  }

  /** The outcome of a line that gives no price. */
  get asIs(): PriceOutcome {
    return { before: this.price, after: this.price, refusal: null };
  }

  /**
   * @param text decimal, in major units; null removes the price of a list.
   * @param expected the price that the writer assumes, in the same form; null overwrites any price.
   */
  set(text: string | null, expected: string | null): PriceOutcome {
    const before = this.price;
    const { currency } = this;
    const after = text === null ? null : Money.exact(text, currency);
    if (text !== null && !after) {
      return this.refuse('too_precise', `${currency} has ${minorUnitExponent(currency)} decimals: ${text}`);
    }
    // @protects expected-price
    if (expected !== null && (before === null || Money.exact(expected, currency)?.minor !== before.minor)) {
      const present = before
        ? `The price is ${toDecimalText(before)}, not`
        : 'The list has no price for this quantity, not';
      return this.refuse('stale', `${present} ${expected}`);
    }
    this.price = after;
    this.hasBeenSet = true;
    return { before, after, refusal: null };
  }

  /** The outcome of a line that is refused for another reason than its price. */
  refuse(code: PriceRefusalCode, error: string): PriceOutcome {
    return { ...this.asIs, refusal: { code, error } };
  }
}
