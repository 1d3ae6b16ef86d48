import type { Currency } from '../values/currency.js';
import { MAX_TOTAL, Money } from '../money/money.js';
import { addedBy, assertCharges, NO_CHARGES, type Charges } from './charges.js';
import type { OrderLine } from './order-line.js';
import { assertFewTaxes, sumByRate } from './tax.js';

/** How an order that is placed through the API is paid. Imported orders may have other methods. */
export const PAYMENT_METHODS = ['COD', 'OFFLINE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

interface QuoteTerms {
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly lines: readonly OrderLine[];
  readonly charges?: Charges;
}

/** Lines with price, tax and discount, and the total that they cost. */
export interface Quote extends Required<QuoteTerms> {
  /** The sum of the line prices. */
  readonly subtotal: Money;
  /** The subtotal plus the charges. */
  readonly total: Money;
}

/** @throws TooManyTaxes, or RangeError when a charge or the total is not a valid amount. */
export function quoteOf({ currency, paymentMethod, lines, charges = NO_CHARGES }: QuoteTerms): Quote {
  assertCharges(charges, lines);
  assertFewTaxes(charges);
  const subtotal = subtotalOf(lines, currency);
  const total = Money.ofMinor(subtotal.minor + addedBy(charges), currency);
  if (total.minor > MAX_TOTAL) throw new RangeError(`The total is above ${MAX_TOTAL} minor units: ${total.minor}`);
  const summed = { ...charges, shippingTax: sumByRate(charges.shippingTax) };
  return { currency, paymentMethod, lines: chargedLines(lines, charges), charges: summed, subtotal, total };
}

export function subtotalOf(lines: readonly OrderLine[], currency: Currency): Money {
  return lines.reduce((sum, line) => sum.plus(line.total), Money.zero(currency));
}

function chargedLines(lines: readonly OrderLine[], charges: Charges): readonly OrderLine[] {
  if (charges.lines.length === 0) return lines;
  return lines.map((line, index) => {
    const { tax = [], discount = 0 } = charges.lines[index] ?? {};
    return { ...line, tax: sumByRate(tax), discount };
  });
}

/** Whether the total equals the expected one. Without an expected total, any total does. */
export function costs({ total }: Pick<Quote, 'total'>, expected: Money | undefined): boolean {
  return expected === undefined || expected.minor === total.minor;
}
