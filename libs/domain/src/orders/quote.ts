import type { Currency } from '../money/currency.js';
import { MAX_TOTAL, Money } from '../money/money.js';
import type { OrderLine } from './order-line.js';

/** How an order placed through the API is paid. Cards and gateways go through the hosted checkout. */
export const PAYMENT_METHODS = ['COD', 'OFFLINE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

interface QuoteTerms {
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly lines: readonly OrderLine[];
  readonly charges?: Charges;
}

/** What an order costs in addition to its lines: integers of minor units, from 0. */
export interface Charges {
  readonly tax: number;
  /** Whether the prices and the shipping include the tax: then it is information, and does not raise the total. */
  readonly isTaxIncluded: boolean;
  readonly shipping: number;
  /** Lowers the total, which stays at least 0. */
  readonly discount: number;
}

export const NO_CHARGES: Charges = { tax: 0, isTaxIncluded: false, shipping: 0, discount: 0 };

/** Priced lines and what they cost. */
export interface Quote extends Required<QuoteTerms> {
  /** Sum of the lines. */
  readonly subtotal: Money;
  /** The subtotal with the charges. */
  readonly total: Money;
}

/** @throws RangeError when a charge or the total is not a valid amount. */
export function quoteOf({ currency, paymentMethod, lines, charges = NO_CHARGES }: QuoteTerms): Quote {
  const subtotal = lines.reduce((sum, line) => sum.plus(line.total), Money.zero(currency));
  const total = Money.ofMinor(subtotal.minor + addedBy(charges), currency);
  if (total.minor > MAX_TOTAL) throw new RangeError(`The total is above ${MAX_TOTAL} minor units: ${total.minor}`);
  return { currency, paymentMethod, lines, charges, subtotal, total };
}

function addedBy({ tax, isTaxIncluded, shipping, discount }: Charges): number {
  for (const [name, minor] of Object.entries({ tax, shipping, discount })) {
    if (!Number.isSafeInteger(minor) || minor < 0) {
      throw new RangeError(`The ${name} of an order must be an integer of minor units from 0: ${minor}`);
    }
  }
  return (isTaxIncluded ? 0 : tax) + shipping - discount;
}

/** Whether the total is the expected one. Any total is, when none is expected. */
export function costs({ total }: Quote, expected: Money | undefined): boolean {
  return expected === undefined || expected.minor === total.minor;
}
