/** A `null` variant means the product itself. */
export interface StockItem {
  readonly productId: number;
  readonly variantId: number | null;
}

/** The fullest bin supplies it first, then the one with the lower id: an order needs as few bins as possible. */
export interface StockDemand extends StockItem {
  readonly quantity: number;
  /** Positions of the order lines behind this demand, from 0. */
  readonly lines: readonly number[];
}

export function sameStock(a: StockItem, b: StockItem): boolean {
  return a.productId === b.productId && a.variantId === b.variantId;
}

/** Per product and variant, in order of first appearance: two lines of one product draw on the same stock. */
export function sumDemand(lines: readonly (StockItem & { readonly quantity: number })[]): StockDemand[] {
  const demands: (StockItem & { quantity: number; lines: number[] })[] = [];
  lines.forEach((line, index) => {
    // @protects summed-demand
    const demand = demands.find((candidate) => sameStock(candidate, line));
    if (demand) {
      demand.quantity += line.quantity;
      demand.lines.push(index);
    } else {
      demands.push({ productId: line.productId, variantId: line.variantId, quantity: line.quantity, lines: [index] });
    }
  });
  return demands;
}
