import { sumByLine, unitsByLine, type LineQuantity } from './line-units.js';
import type { RefundRecord } from './order-money.js';
import type { LineCharges } from './charges.js';
import { partOf } from '../money/money.js';
import { taxOf, type Tax } from './tax.js';

export interface PricedOrder {
  readonly totalAmount: number;
  readonly shippingAmount: number;
  readonly shippingTax: readonly Tax[];
  readonly isTaxIncluded: boolean;
  readonly lines: readonly (LineQuantity & LineCharges & { readonly unitPrice: number })[];
}

export interface CreditedOrder {
  readonly lines: readonly { readonly line: number; readonly cancelledQuantity: number }[];
  readonly refunds: readonly Pick<RefundRecord, 'lines'>[];
}

/** What the shipping costs with its tax, in minor units. */
export function shippingOf({
  shippingAmount,
  shippingTax,
  isTaxIncluded,
}: Omit<PricedOrder, 'totalAmount' | 'lines'>): number {
  return shippingAmount + (isTaxIncluded ? 0 : taxOf(shippingTax));
}

/** Units that were given up, or shipped and refunded: their share of the total is credited. */
export function creditedUnitsOf({ lines, refunds }: CreditedOrder): LineQuantity[] {
  const cancelled = lines.map(({ line, cancelledQuantity }) => ({ line, quantity: cancelledQuantity }));
  const refunded = refunds.flatMap((refund) =>
    refund.lines.map(({ line, quantity, cancelledQuantity }) => ({ line, quantity: quantity - cancelledQuantity })),
  );
  return sumByLine([...cancelled, ...refunded]);
}

/**
 * The share of units in the total of their order without shipping, so with tax and discount, in minor units. The shares of all
 * units of a line, and those of all lines, add up: the last ones take what the others leave by rounding.
 * @param before units of the lines whose share was taken before.
 */
export function shareOf(order: PricedOrder, units: readonly LineQuantity[], before: readonly LineQuantity[]): number {
  const shares = sharesOf(order);
  const earlier = new Map(before.map(({ line, quantity }) => [line, quantity]));
  const sums = units.map(({ line, quantity }) => {
    const { share = 0, quantity: ordered = 0 } = shares.get(line) ?? {};
    const first = earlier.get(line) ?? 0;
    return (
      partOf(share, Math.min(first + quantity, ordered), ordered) - partOf(share, Math.min(first, ordered), ordered)
    );
  });
  return sums.reduce((sum, share) => sum + share, 0);
}

/**
 * The taxes of units.
 * @param before units of the lines whose taxes were taken before.
 */
export function taxesOfUnits(
  order: Pick<PricedOrder, 'lines'>,
  units: readonly LineQuantity[],
  before: readonly LineQuantity[],
): Tax[] {
  const earlier = unitsByLine(before);
  return units.flatMap(({ line, quantity }) => {
    const { tax = [], quantity: of = 0 } = order.lines.find((each) => each.line === line) ?? {};
    const first = Math.min(earlier.get(line) ?? 0, of);
    const last = Math.min(first + quantity, of);
    return tax.map((each) => ({ ...each, amount: partOf(each.amount, last, of) - partOf(each.amount, first, of) }));
  });
}

/** Amounts that belong to no line are shared by what the lines cost with their tax and discount. */
function sharesOf(order: PricedOrder) {
  const { totalAmount, isTaxIncluded } = order;
  const lines = order.lines.map(({ line, unitPrice, quantity, tax, discount }) => {
    return { line, quantity, cost: unitPrice * quantity - discount + (isTaxIncluded ? 0 : taxOf(tax)) };
  });
  const goods = Math.max(0, totalAmount - shippingOf(order));
  const all = lines.reduce((sum, { cost }) => sum + cost, 0);
  let [passed, given] = [0, 0];
  return new Map(
    lines.map(({ line, quantity, cost }) => {
      passed += cost;
      const share = partOf(goods, passed, all) - given;
      given += share;
      return [line, { share, quantity }];
    }),
  );
}
