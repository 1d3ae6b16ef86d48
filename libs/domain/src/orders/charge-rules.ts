import type { ChargeableOrder } from './chargeable-order.js';
import type { Charges, LineCharges } from './charges.js';
import type { OrderLine } from './order-line.js';
import { partOf } from '../money/money.js';
import type { Tax } from './tax.js';

export interface TaxRate {
  /** The country that the order ships to, as an ISO 3166-1 code. */
  readonly country: string;
  /**
   * The slug of the category whose products have this rate. Null applies it to all products that no other rate covers.
   */
  readonly category: string | null;
  readonly name: string;
  /** A percentage with at most 4 decimals. */
  readonly rate: number;
}

/** How a store computes taxes and shipping of its orders. */
export interface ChargeRules {
  /** Whether catalog prices and shipping include tax. */
  readonly isTaxIncluded: boolean;
  readonly rates: readonly TaxRate[];
  /**
   * The country that the store sells from. Null disables the reverse charge: the store charges businesses like
   * consumers.
   */
  readonly reverseChargeFrom: string | null;
  readonly shipping: {
    /** In minor units. */
    readonly amount: number;
    /** Shipping is free from this sum of the lines, in minor units. Null means that it is never free. */
    readonly freeFrom: number | null;
  };
}

/** The member states of the EU as of 2026. */
const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

const REVERSE_CHARGE: Tax = { name: 'Reverse charge', rate: 0, amount: 0 };

/**
 * Computes the charges of an order by the rules of its store. Tax is rounded half up for each line. A line has the
 * lowest rate among its categories; shipping has the rate without a category. A business in another EU country, with a
 * VAT id from outside the store's country, pays no tax: where prices include tax, the tax of the store's country
 * becomes a discount.
 * @param categoriesOf returns the slugs of a line's categories.
 */
export function chargesBy(
  rules: ChargeRules,
  order: ChargeableOrder,
  categoriesOf: (line: OrderLine) => readonly string[],
): Charges {
  const { isTaxIncluded, shipping: fee } = rules;
  const isFree = fee.freeFrom !== null && order.subtotal.minor >= fee.freeFrom;
  const home = homeOfReverseCharge(rules, order);
  const country = home ?? order.address.country;
  const rates = rules.rates.filter((rate) => rate.country === country);
  const charge = (price: number, categories: readonly string[]): LineCharges => {
    const tax = taxOn(price, rateFor(rates, categories), isTaxIncluded);
    if (home === null) return { tax, discount: 0 };
    return { tax: [REVERSE_CHARGE], discount: isTaxIncluded ? (tax[0]?.amount ?? 0) : 0 };
  };
  const gross = isFree ? 0 : fee.amount;
  const shipping = charge(gross, []);
  return {
    isTaxIncluded,
    shipping: gross - shipping.discount,
    shippingTax: gross > 0 ? shipping.tax : [],
    lines: order.lines.map((line) => charge(line.total.minor, categoriesOf(line))),
  };
}

function homeOfReverseCharge({ reverseChargeFrom: home }: ChargeRules, order: ChargeableOrder): string | null {
  const vatId = order.billing.vat_id || order.address.vat_id;
  // VAT ids of Greece begin with EL, not with its country code GR.
  const ofBusiness = vatId.trim().slice(0, 2).toUpperCase().replace('EL', 'GR');
  const isAbroad = [ofBusiness, order.address.country].every((country) => EU.includes(country) && country !== home);
  return isAbroad ? home : null;
}

function rateFor(rates: readonly TaxRate[], categories: readonly string[]): TaxRate | undefined {
  const own = new Set(categories);
  const [lowest] = rates
    .filter(({ category }) => category !== null && own.has(category))
    .sort((a, b) => a.rate - b.rate);
  return lowest ?? rates.find(({ category }) => category === null);
}

/** The divisor for rates in units of 0.0001 percent: rates have at most 4 decimals. */
const WHOLE = 1_000_000;

function taxOn(price: number, by: TaxRate | undefined, isIncluded: boolean): Tax[] {
  if (!by) return [];
  const part = Math.round(by.rate * 10_000);
  return [{ name: by.name, rate: by.rate, amount: partOf(price, part, isIncluded ? WHOLE + part : WHOLE) }];
}
