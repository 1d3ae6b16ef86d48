import type { QuantityRule } from '../money/price-list.js';
/** @param quantity the units of all lines of the order. */
export function isOffered(quantity: number, { minQuantity, step }: QuantityRule): boolean {
  // @protects quantity-rule
  return quantity >= minQuantity && quantity % step === 0;
}

/** Such as `5 is not offered: order at least 6, in steps of 6`. */
export function unofferedText(quantity: number, { minQuantity, step }: QuantityRule): string {
  const offered = [
    ...(minQuantity > 1 ? [`at least ${minQuantity}`] : []),
    ...(step > 1 ? [`in steps of ${step}`] : []),
  ];
  return `${quantity} is not offered: order ${offered.join(', ')}`;
}
