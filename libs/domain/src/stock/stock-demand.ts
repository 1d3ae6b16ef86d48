/** The key of a stock item. A `null` variant means the product itself. */
export interface StockItem {
  readonly productId: number;
  readonly variantId: number | null;
}

/**
 * The total demand of an order for one product and variant. The fullest bin supplies it first, of equally full bins the
 * one with the lower id, so that an order is picked from as few bins as possible.
 */
export interface StockDemand extends StockItem {
  readonly quantity: number;
  /** Positions of the order lines behind this demand, from 0. */
  readonly lines: readonly number[];
}

export function sameStock(a: StockItem, b: StockItem): boolean {
  return a.productId === b.productId && a.variantId === b.variantId;
}

/**
 * Sums the demand per product and variant, in order of first appearance. Two lines of one product could otherwise each
 * pass a stock check that they fail together.
 */
export function sumDemand(lines: readonly (StockItem & { readonly quantity: number })[]): StockDemand[] {
  const demands: (StockItem & { quantity: number; lines: number[] })[] = [];
  lines.forEach((line, index) => {
    // @protects summed-demand
    const demand = demands.find((candidate) => sameStock(candidate, line));
    if (demand) {
      demand.quantity += line.quantity;
      demand.lines.push(index);
    } else {
      demands.push({
        productId: line.productId,
        variantId: line.variantId,
        quantity: line.quantity,
        lines: [index],
      });
    }
  });
  return demands;
}
