import { MAX_TOTAL, type Money } from '../money/money.js';
import { isText } from '../values/text.js';
import { taxOf, type Tax } from './tax.js';

export const MAX_TAXES = 10;
export const MAX_TAX_NAME = 64;

export interface LineCharges {
  readonly tax: readonly Tax[];
  /** In minor units, from 0 to the price of the line. */
  readonly discount: number;
}

/** What an order costs in addition to its line prices, as non-negative integers of minor units. */
export interface Charges {
  /** Whether prices and shipping include the taxes. If so, the taxes are information and do not raise the total. */
  readonly isTaxIncluded: boolean;
  readonly shipping: number;
  readonly shippingTax: readonly Tax[];
  /** Has the same sequence as the lines. It is empty when no line has tax or a discount. */
  readonly lines: readonly LineCharges[];
}

export const NO_CHARGES: Charges = { isTaxIncluded: false, shipping: 0, shippingTax: [], lines: [] };

/** The charges that a client gives for an order, apart from those of its lines. */
export type GivenCharges = Omit<Charges, 'lines'>;

/** Sums the charges, in minor units. */
export function sumsOf({ shippingTax, lines }: Charges): { readonly tax: number; readonly discount: number } {
  return {
    tax: lines.reduce((sum, { tax }) => sum + taxOf(tax), taxOf(shippingTax)),
    discount: lines.reduce((sum, { discount }) => sum + discount, 0),
  };
}

/** Returns what the charges add to the line prices, in minor units. */
export function addedBy(charges: Charges): number {
  const { tax, discount } = sumsOf(charges);
  return (charges.isTaxIncluded ? 0 : tax) + charges.shipping - discount;
}

/**
 * Names the taxes that exceed the price that includes them. Returns null when there are none. @param prices the prices
 * of the lines.
 */
export function excessOfTaxes(
  { isTaxIncluded, shipping, shippingTax, lines }: Charges,
  prices: readonly number[],
): string | null {
  if (!isTaxIncluded) return null;
  const parts = [
    ...lines.map(({ tax, discount }, index) => {
      return { of: `line ${index + 1}`, tax: taxOf(tax), price: (prices[index] ?? 0) - discount };
    }),
    { of: 'the shipping', tax: taxOf(shippingTax), price: shipping },
  ];
  const beyond = parts.find(({ tax, price }) => tax > price);
  if (!beyond) return null;
  const { of, tax, price } = beyond;
  return `The taxes of ${of} are ${tax} minor units and exceed the price of ${price} that includes them`;
}

/**
 * Checks at run time what an extension returns: its code may be untyped. @throws RangeError unless the charges are
 * valid for the lines.
 */
export function assertCharges(charges: Charges, priced: readonly { readonly total: Money }[]): void {
  const { shipping, shippingTax, lines } = charges;
  assertAmount('shipping', shipping);
  assertTaxes(shippingTax);
  if (lines.length > 0 && lines.length !== priced.length) {
    throw new RangeError(`${lines.length} lines have charges, of ${priced.length}`);
  }
  for (const [index, { tax, discount }] of lines.entries()) {
    assertTaxes(tax);
    assertAmount('discount', discount);
    const price = priced[index]?.total.minor ?? 0;
    if (discount > price) throw new RangeError(`The discount of a line of ${price} must not be ${discount}`);
  }
  const excess = excessOfTaxes(
    charges,
    priced.map(({ total }) => total.minor),
  );
  if (excess !== null) throw new RangeError(excess);
  const { tax } = sumsOf(charges);
  if (tax > MAX_TOTAL) throw new RangeError(`The taxes of an order must not exceed ${MAX_TOTAL} minor units: ${tax}`);
}

function assertTaxes(taxes: readonly Tax[]): void {
  if (!Array.isArray(taxes) || taxes.length > MAX_TAXES)
    throw new RangeError(`Taxes must be a list of up to ${MAX_TAXES}`);
  for (const { name, rate, amount } of taxes as readonly Tax[]) {
    if (!isTaxName(name) || !isTaxRate(rate)) throw new RangeError(`Not a tax: ${name} of ${rate} percent`);
    assertAmount('tax', amount);
  }
}

function isTaxName(name: unknown): boolean {
  return typeof name === 'string' && name.trim() !== '' && isText(name, MAX_TAX_NAME);
}

/** Percent. */
export const MAX_TAX_RATE = 1_000;
export const TAX_RATE_RULE = `must be a percentage from 0 to ${MAX_TAX_RATE} with at most 4 decimals`;

export function isTaxRate(rate: unknown): rate is number {
  return typeof rate === 'number' && rate >= 0 && rate <= MAX_TAX_RATE && Number(rate.toFixed(4)) === rate;
}

function assertAmount(name: string, minor: number): void {
  if (!Number.isSafeInteger(minor) || minor < 0) {
    throw new RangeError(`The ${name} of an order must be an integer of minor units from 0: ${minor}`);
  }
}
