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

/** The price of shipping including its tax, in minor units. */
export function shippingOf({
  shippingAmount,
  shippingTax,
  isTaxIncluded,
}: Omit<PricedOrder, 'totalAmount' | 'lines'>): number {
  return shippingAmount + (isTaxIncluded ? 0 : taxOf(shippingTax));
}

/**
 * Returns the units whose share of the total is already credited: cancelled units, and shipped units that were
 * refunded.
 */
export function creditedUnitsOf({ lines, refunds }: CreditedOrder): LineQuantity[] {
  const cancelled = lines.map(({ line, cancelledQuantity }) => ({ line, quantity: cancelledQuantity }));
  const refunded = refunds.flatMap((refund) =>
    refund.lines.map(({ line, quantity, cancelledQuantity }) => ({ line, quantity: quantity - cancelledQuantity })),
  );
  return sumByLine([...cancelled, ...refunded]);
}

/**
 * Returns the share of the units in the order's total without shipping, in minor units. The share includes tax and
 * discount. All shares add up exactly: the last units of a line, and the last line, absorb the rounding.
 * @param before units whose share was taken before.
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
 * Returns the taxes of the units.
 * @param before units whose taxes were taken before.
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

/** Distributes amounts that belong to no line in proportion to what each line costs with its tax and discount. */
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
