import { partOf } from './parts.js';
import { sumByRate, taxDifference, type Tax, type TaxLine } from './tax.js';

/** A credit, and what it is for. */
export interface TaxedCredit {
  /** In minor units; negative: a credit that is taken back. */
  readonly credited: number;
  /** The goods or the shipping that it credits, with their price and taxes; null = nothing in particular. */
  readonly of: { readonly price: number; readonly taxes: readonly Tax[] } | null;
}

interface TaxedTotal {
  readonly totalAmount: number;
  /** The taxes of the order by name and rate, as it was sold. */
  readonly sold: readonly TaxLine[];
  /** The taxes that were credited before. */
  readonly creditedTaxes: readonly Tax[];
  readonly creditedAmount: number;
}

/**
 * The taxes of each credit. Goods and shipping take theirs with them, in the part of their price that is credited; any other
 * credit, such as goodwill or a write-off, takes its part of each tax that is left. Once nothing is owed, no tax is left.
 */
export function creditTaxes(order: TaxedTotal, credits: readonly TaxedCredit[]): TaxLine[][] {
  let creditedTaxes: readonly Tax[] = sumByRate(order.creditedTaxes);
  let { creditedAmount } = order;
  return credits.map(({ credited, of }) => {
    const left = taxDifference(asTaxLines(creditedTaxes, order.sold), order.sold);
    const owed = order.totalAmount - creditedAmount;
    const taxes =
      credited >= owed
        ? left
        : credited < 0
          ? takenBack(creditedTaxes, credited, creditedAmount)
          : taken(credited, of, left, owed);
    const lines = asTaxLines(taxes, order.sold).filter(({ amount }) => amount !== 0);
    creditedTaxes = sumByRate([...creditedTaxes, ...lines]);
    creditedAmount += credited;
    return lines;
  });
}

function taken(credited: number, of: TaxedCredit['of'], left: readonly TaxLine[], owed: number): TaxLine[] {
  if (!of || of.price <= 0) return left.map((tax) => ({ ...tax, amount: partOf(tax.amount, credited, owed) }));
  return left.map((tax) => {
    const own = of.taxes.reduce((sum, each) => sum + (isSame(each, tax) ? each.amount : 0), 0);
    return { ...tax, amount: Math.min(tax.amount, partOf(own, credited, of.price)) };
  });
}

/** @param credited negative. */
function takenBack(taxes: readonly Tax[], credited: number, creditedAmount: number): Tax[] {
  return taxes.map((tax) => ({ ...tax, amount: -partOf(tax.amount, -credited, creditedAmount) }));
}

/**
 * What the taxes that were credited change by once the order is charged again: where more was credited of a tax than is left of it,
 * the credits count for the taxes that the order has now.
 */
export function restatedTaxes({ sold, creditedTaxes, creditedAmount, totalAmount }: TaxedTotal): TaxLine[] {
  const before = asTaxLines(creditedTaxes, sold);
  const isBeyond = taxDifference(before, sold).some(({ amount }) => amount < 0);
  if (!isBeyond) return [];
  const after = sold.map((tax) => ({
    ...tax,
    amount: partOf(tax.amount, Math.min(creditedAmount, totalAmount), totalAmount),
  }));
  return taxDifference(before, after);
}

/** A credit is of taxes that the prices include, or not, as the order does. */
function asTaxLines(taxes: readonly Tax[], sold: readonly TaxLine[]): TaxLine[] {
  return taxes.map((tax) => ({
    ...{ name: tax.name, rate: tax.rate, amount: tax.amount },
    included: sold.find((each) => isSame(each, tax))?.included ?? sold[0]?.included ?? false,
  }));
}

function isSame(one: Tax, other: Tax): boolean {
  return one.name === other.name && one.rate === other.rate;
}
