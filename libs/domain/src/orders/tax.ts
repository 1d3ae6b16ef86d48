import { TooManyTaxes } from './placement-errors.js';
import { partOf } from '../money/money.js';

/**
 * The maximum number of taxes of an order, by name and rate. Each row of the journal contains them, and each credit
 * computes with them.
 */
export const MAX_ORDER_TAXES = 50;

/** A tax on a line, or on the shipping, of an order. */
export interface Tax {
  /** The name of the tax, such as `VAT`. */
  readonly name: string;
  /** The rate in percent, with at most 4 decimals. */
  readonly rate: number;
  /** In minor units. */
  readonly amount: number;
}

/** The sum of an order's taxes with the same name and rate. */
export interface TaxLine extends Tax {
  /** Whether the prices include the tax. */
  readonly included: boolean;
}

export function taxOf(taxes: readonly Tax[]): number {
  return taxes.reduce((sum, { amount }) => sum + amount, 0);
}

/** Sums taxes by name and rate, in the sequence of their first appearance. */
export function sumByRate(taxes: readonly Tax[]): Tax[] {
  const sums = new Map<string, Tax>();
  for (const tax of taxes) {
    const key = `${tax.rate} ${tax.name}`;
    sums.set(key, { ...tax, amount: (sums.get(key)?.amount ?? 0) + tax.amount });
  }
  return [...sums.values()];
}

/** Returns the share of some units of a line in its taxes. */
export function shareOfTaxes(taxes: readonly Tax[], units: number, of: number): Tax[] {
  return taxes.map((tax) => ({ ...tax, amount: partOf(tax.amount, units, of) }));
}

interface TaxedOrder {
  readonly isTaxIncluded: boolean;
  readonly shippingTax: readonly Tax[];
  readonly lines: readonly { readonly tax: readonly Tax[] }[];
}

/** Returns the taxes of an order at the time of sale. Credits do not lower them. */
export function taxLinesOf({ isTaxIncluded: included, shippingTax, lines }: TaxedOrder): TaxLine[] {
  return sumByRate([...lines.flatMap(({ tax }) => tax), ...shippingTax]).map((tax) => ({ ...tax, included }));
}

/** Whether both have the same taxes, regardless of the amounts. */
export function isTaxedAlike(one: readonly Tax[], other: readonly Tax[]): boolean {
  const keysOf = (taxes: readonly Tax[]) => taxes.map(({ name, rate }) => `${rate} ${name}`);
  return one.length === other.length && keysOf(one).every((key) => keysOf(other).includes(key));
}

/** @throws TooManyTaxes */
export function assertFewTaxes(order: TaxedOrder): void {
  if (taxLinesOf(order).length > MAX_ORDER_TAXES) throw new TooManyTaxes(MAX_ORDER_TAXES);
}

/** Returns by how much each tax grows. Unchanged taxes are omitted. */
export function taxDifference(before: readonly TaxLine[], after: readonly TaxLine[]): TaxLine[] {
  const lost = before.map((tax) => ({ ...tax, amount: -tax.amount }));
  const sums = new Map<string, TaxLine>();
  for (const tax of [...after, ...lost]) {
    const key = `${tax.rate} ${tax.included} ${tax.name}`;
    sums.set(key, { ...tax, amount: tax.amount + (sums.get(key)?.amount ?? 0) });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0);
}
