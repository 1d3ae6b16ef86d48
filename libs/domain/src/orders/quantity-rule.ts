/** In which quantities units are sold: at least `minQuantity`, in multiples of `step`. Both are 1 without a rule. */
export interface QuantityRule {
  readonly minQuantity: number;
  readonly step: number;
}

/** @param quantity the units of all lines of the order. */
export function isOffered(quantity: number, { minQuantity, step }: QuantityRule): boolean {
  // @protects quantity-rule
  return quantity >= minQuantity && quantity % step === 0;
}

/** Such as `5 is not offered: at least 6, in steps of 6`. */
export function unofferedText(quantity: number, { minQuantity, step }: QuantityRule): string {
  const offered = [
    ...(minQuantity > 1 ? [`at least ${minQuantity}`] : []),
    ...(step > 1 ? [`in steps of ${step}`] : []),
  ];
  return `${quantity} is not offered: ${offered.join(', ')}`;
}
