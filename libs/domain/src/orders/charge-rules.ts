import type { ChargeableOrder } from './chargeable-order.js';
import type { Charges, LineCharges } from './charges.js';
import type { OrderLine } from './order-line.js';
import { partOf } from '../money/money.js';
import type { Tax } from './tax.js';

export interface TaxRate {
  /** The country to which an order goes, as in ISO 3166-1. */
  readonly country: string;
  /** The slug of the category for whose products it is; null = for all that no other rate is for. */
  readonly category: string | null;
  readonly name: string;
  /** In percent, with at most 4 decimals. */
  readonly rate: number;
}

/** How a store charges its orders. */
export interface ChargeRules {
  /** Whether the prices of the catalog, and the shipping, include tax. */
  readonly isTaxIncluded: boolean;
  readonly rates: readonly TaxRate[];
  /** The country from which the store sells; null = it charges every business as a consumer. */
  readonly reverseChargeFrom: string | null;
  readonly shipping: {
    /** In minor units. */
    readonly amount: number;
    /** The sum of the lines from which it is free, in minor units; null = it never is. */
    readonly freeFrom: number | null;
  };
}

/** 2026. */
const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

const REVERSE_CHARGE: Tax = { name: 'Reverse charge', rate: 0, amount: 0 };

/**
 * The charges of an order by the rules of its store. Tax is rounded for each line, half up. A line has the rate of one of its
 * categories, the lowest where there are several; shipping has the rate without a category. An order for a business in another
 * country of the EU, with a VAT id of another one, has no tax: it is discounted by the tax that prices of the store's country include.
 * @param categoriesOf the slugs of the categories of a line.
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
  // Greece has its own prefix.
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

/** Tenths of thousandths of a percent: rates have at most 4 decimals. */
const WHOLE = 1_000_000;

function taxOn(price: number, by: TaxRate | undefined, isIncluded: boolean): Tax[] {
  if (!by) return [];
  const part = Math.round(by.rate * 10_000);
  return [{ name: by.name, rate: by.rate, amount: partOf(price, part, isIncluded ? WHOLE + part : WHOLE) }];
}
