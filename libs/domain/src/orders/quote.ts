import type { Currency } from '../money/currency.js';
import { Money } from '../money/money.js';
import type { OrderLine } from './order-line.js';

/** How an order placed through the API is paid. Cards and gateways go through the hosted checkout. */
export const PAYMENT_METHODS = ['COD', 'OFFLINE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

interface QuoteTerms {
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly lines: readonly OrderLine[];
}

/** Priced lines and what they cost. */
export interface Quote extends QuoteTerms {
  readonly subtotal: Money;
  /** Equal to the subtotal: an order placed through the API has no tax, shipping or discount. */
  readonly total: Money;
}

export function quoteOf({ currency, paymentMethod, lines }: QuoteTerms): Quote {
  const subtotal = lines.reduce((sum, line) => sum.plus(line.total), Money.zero(currency));
  return { currency, paymentMethod, lines, subtotal, total: subtotal };
}

/** Whether the total is the expected one. Any total is, when none is expected. */
export function costs({ total }: Quote, expected: Money | undefined): boolean {
  return expected === undefined || expected.minor === total.minor;
}
