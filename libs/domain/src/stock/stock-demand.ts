/** A `null` variant means the product itself. */
export interface StockItem {
  readonly productId: number;
  readonly variantId: number | null;
}

/**
 * The fullest bin supplies the demand first, then the bin with the lowest id, so an order needs as few bins as
 * possible.
 */
export interface StockDemand extends StockItem {
  readonly quantity: number;
  readonly lines: readonly DemandOfLine[];
}

export interface DemandOfLine {
  /** Position of the order line, from 0. */
  readonly line: number;
  readonly quantity: number;
}

export function sameStock(a: StockItem, b: StockItem): boolean {
  return a.productId === b.productId && a.variantId === b.variantId;
}

/** Sums units by product and variant, in sequence of first appearance: two lines of one product use the same stock. */
export function sumDemand(lines: readonly (StockItem & { readonly quantity: number })[]): StockDemand[] {
  const demands: (StockItem & { quantity: number; lines: DemandOfLine[] })[] = [];
  lines.forEach(({ productId, variantId, quantity }, line) => {
    // @protects summed-demand
    const demand = demands.find((candidate) => sameStock(candidate, { productId, variantId }));
    if (demand) {
      demand.quantity += quantity;
      demand.lines.push({ line, quantity });
    } else {
      demands.push({ productId, variantId, quantity, lines: [{ line, quantity }] });
    }
  });
  return demands;
}
