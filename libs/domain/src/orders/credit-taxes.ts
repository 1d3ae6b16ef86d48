import type { Booking } from './booking.js';
import { partOf } from '../money/money.js';
import { taxDifference, type Tax, type TaxLine } from './tax.js';

/** A credit, with what it is given for. */
export interface TaxedCredit extends Pick<Booking, 'kind' | 'credited'> {
  /**
   * The credited goods or shipping, with their price and taxes. Null means that the credit is for nothing in
   * particular.
   */
  readonly of: { readonly price: number; readonly taxes: readonly Tax[] } | null;
}

/** A credit as the journal has it. */
export type BookedCredit = Pick<Booking, 'kind' | 'reference' | 'credited' | 'taxLines'>;

interface TaxedTotal {
  readonly totalAmount: number;
  /** The order's taxes by name and rate, at the time of sale. */
  readonly sold: readonly TaxLine[];
}

interface Credits {
  readonly amount: number;
  readonly taxes: readonly TaxLine[];
}

/** The sums of an order's credits, and how much of them was written off by payments. */
export interface CreditSums {
  readonly all: Credits;
  readonly writtenOff: Credits;
}

const NONE: Credits = { amount: 0, taxes: [] };
export const NO_CREDITS: CreditSums = { all: NONE, writtenOff: NONE };

export function sumOfCredits(booked: readonly BookedCredit[]): CreditSums {
  const sum = (credits: readonly BookedCredit[]): Credits => ({
    amount: credits.reduce((amount, { credited }) => amount + credited, 0),
    taxes: sumOf(credits.flatMap(({ taxLines }) => taxLines)),
  });
  return { all: sum(booked), writtenOff: sum(booked.filter(({ kind }) => kind === 'write_off')) };
}

/**
 * Computes the taxes of each credit. A credit for goods or shipping takes their taxes in proportion to the credited
 * part of the price. Any other credit, such as goodwill or a write-off, takes a proportional part of each remaining
 * tax; so does the part of a goods credit that exceeds what is left of the goods. Reversing a write-off returns its
 * taxes. When nothing is owed any more, no tax remains.
 * @param before what earlier changes credited.
 */
export function creditTaxes(order: TaxedTotal, before: CreditSums, credits: readonly TaxedCredit[]): TaxLine[][] {
  let sums = before;
  return credits.map((credit) => {
    const taxes = taxesOf(credit, order, sums).filter(({ amount }) => amount !== 0);
    sums = plus(sums, credit, taxes);
    return taxes;
  });
}

function taxesOf({ kind, credited, of }: TaxedCredit, order: TaxedTotal, sums: CreditSums): TaxLine[] {
  const left = taxDifference(sums.all.taxes, order.sold);
  const owed = order.totalAmount - sums.all.amount;
  if (credited >= owed) return left;
  if (credited < 0) {
    const { amount, taxes } = kind === 'write_off' ? sums.writtenOff : sums.all;
    return taxes.map((tax) => ({ ...tax, amount: -partOf(tax.amount, -credited, amount) }));
  }
  const own = of ? ownTaxes(of, credited, left) : { price: 0, taxes: [] };
  const rest = taxDifference(own.taxes, left);
  const shared = rest.map((tax) => ({ ...tax, amount: partOf(tax.amount, credited - own.price, owed - own.price) }));
  return sumOf([...own.taxes, ...shared]);
}

/** Returns the credited part of the goods and its taxes, reduced until none of them exceeds what is left of the tax. */
function ownTaxes(of: NonNullable<TaxedCredit['of']>, credited: number, left: readonly TaxLine[]) {
  const most = Math.max(0, Math.min(credited, of.price));
  const shares = left.map((tax) => {
    const own = of.taxes.filter((each) => isSame(each, tax)).reduce((sum, { amount }) => sum + amount, 0);
    return { tax, own };
  });
  const fitting = shares.map(({ tax, own }) => (own > tax.amount ? partOf(of.price, tax.amount, own) : most));
  const hasNoneLeft = of.taxes.some((own) => own.amount > 0 && !left.some((tax) => isSame(own, tax)));
  const price = hasNoneLeft ? 0 : Math.min(most, ...fitting);
  const taxes = shares.map(({ tax, own }) => ({ ...tax, amount: Math.min(tax.amount, partOf(own, price, of.price)) }));
  return { price, taxes };
}

/**
 * Computes how the taxes of credits and write-offs change when the taxes of the order change. Each credit counts
 * as if it were given now.
 * @param credits the credits of the journal, each with what it is for.
 */
export function restatedTaxes(
  order: TaxedTotal,
  booked: readonly BookedCredit[],
  credits: readonly TaxedCredit[],
): { readonly credits: TaxLine[]; readonly writeOffs: TaxLine[] } {
  const taxes = creditTaxes(order, NO_CREDITS, credits);
  const before = sumOfCredits(booked);
  const after = sumOfCredits(booked.map((credit, index) => ({ ...credit, taxLines: taxes[index] ?? [] })));
  const all = taxDifference(before.all.taxes, after.all.taxes);
  const writtenOff = taxDifference(before.writtenOff.taxes, after.writtenOff.taxes);
  return { credits: taxDifference(writtenOff, all), writeOffs: writtenOff };
}

function plus({ all, writtenOff }: CreditSums, { kind, credited }: TaxedCredit, taxes: readonly TaxLine[]): CreditSums {
  const more = (to: Credits) => ({ amount: to.amount + credited, taxes: sumOf([...to.taxes, ...taxes]) });
  return { all: more(all), writtenOff: kind === 'write_off' ? more(writtenOff) : writtenOff };
}

function sumOf(taxes: readonly TaxLine[]): TaxLine[] {
  return taxDifference([], taxes);
}

function isSame(one: Tax, other: Tax): boolean {
  return one.name === other.name && one.rate === other.rate;
}
