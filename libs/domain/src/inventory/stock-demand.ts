/** What identifies a kind of unit in stock. A `null` variant is the product itself. */
export interface StockItem {
  readonly productId: number;
  readonly variantId: number | null;
}

/** All that an order needs of one product and variant. */
export interface StockDemand extends StockItem {
  readonly quantity: number;
  /** Positions of the order's lines that ask for it, from 0. */
  readonly lines: readonly number[];
}

/** Whether two lines draw on the same units. */
export function sameStock(a: StockItem, b: StockItem): boolean {
  return a.productId === b.productId && a.variantId === b.variantId;
}

/**
 * Sums the demand per product and variant, so that two lines of one product cannot each pass a check that they fail
 * together. In order of first appearance.
 */
export function sumDemand(lines: readonly (StockItem & { readonly quantity: number })[]): StockDemand[] {
  const demands: (StockItem & { quantity: number; lines: number[] })[] = [];
  lines.forEach((line, index) => {
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
