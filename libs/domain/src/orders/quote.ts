import type { Currency } from '../money/currency.js';
import { Money, toDecimal } from '../money/money.js';
import type { OrderLine } from './order-line.js';

/** How an order placed through the API is paid. Cards and gateways go through the hosted checkout. */
export const PAYMENT_METHODS = ['COD', 'OFFLINE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

interface QuoteTerms {
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly lines: readonly OrderLine[];
}

/** Priced lines and what they cost. The totals are always derived from the lines, never supplied. */
export class Quote {
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly lines: readonly OrderLine[];

  constructor({ currency, paymentMethod, lines }: QuoteTerms) {
    this.currency = currency;
    this.paymentMethod = paymentMethod;
    this.lines = lines;
  }

  get subtotal(): Money {
    return this.lines.reduce((sum, line) => sum.plus(line.total), Money.zero(this.currency));
  }

  /** Equal to the subtotal: an order placed through the API has no tax, shipping or discount. */
  get total(): Money {
    return this.subtotal;
  }

  /** Whether the total is the expected one, in major units, as the API shows it. Any total is, when none is expected. */
  costs(expected: number | undefined): boolean {
    return expected === undefined || expected === toDecimal(this.total.minor, this.currency);
  }
}
