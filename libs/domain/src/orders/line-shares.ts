import type { LineQuantity } from './line-units.js';

interface PricedOrder {
  readonly totalAmount: number;
  readonly shippingAmount: number;
  readonly lines: readonly (LineQuantity & { readonly unitPrice: number })[];
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

function sharesOf({ totalAmount, shippingAmount, lines }: PricedOrder) {
  const goods = Math.max(0, totalAmount - shippingAmount);
  const amount = lines.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * quantity, 0);
  let [passed, given] = [0, 0];
  return new Map(
    lines.map(({ line, unitPrice, quantity }) => {
      passed += unitPrice * quantity;
      const share = partOf(goods, passed, amount) - given;
      given += share;
      return [line, { share, quantity }];
    }),
  );
}

/** `whole` × `part` / `of`, rounded half up. Products of amounts exceed the exact integers. */
function partOf(whole: number, part: number, of: number): number {
  if (of <= 0) return 0;
  const [dividend, divisor] = [2n * BigInt(whole) * BigInt(part) + BigInt(of), 2n * BigInt(of)];
  return Number(dividend / divisor);
}
