/** Units of one product and variant in one bin. */
export interface BinStock {
  readonly binId: number;
  readonly quantity: number;
}

/**
 * Chooses the bins that supply `quantity` units: the fullest first, so that an order is picked from as few bins as
 * possible.
 *
 * @returns the withdrawals, summing to exactly `quantity`, or `null` when the bins together hold too little.
 */
export function allocateFromBins(bins: readonly BinStock[], quantity: number): BinStock[] | null {
  const withdrawals: BinStock[] = [];
  let outstanding = quantity;
  for (const bin of [...bins].sort((a, b) => b.quantity - a.quantity || a.binId - b.binId)) {
    if (outstanding === 0) break;
    const taken = Math.min(bin.quantity, outstanding);
    if (taken > 0) withdrawals.push({ binId: bin.binId, quantity: taken });
    outstanding -= taken;
  }
  return outstanding === 0 ? withdrawals : null;
}
