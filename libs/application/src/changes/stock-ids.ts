import type { StockId } from '../ports/stock.repository.js';

/** The id of stock in a bin as text: `70-12-5` for variant 12 of product 70 in bin 5, `70-0-5` for the product itself. */
export function formatStockId({ productId, variantId, binId }: StockId): string {
  return `${productId}-${variantId ?? 0}-${binId}`;
}

/** @param text the result of `formatStockId`. */
export function parseStockId(text: string): StockId {
  const [productId, variantId, binId] = text.split('-').map(Number);
  return { productId: productId ?? 0, variantId: variantId || null, binId: binId ?? 0 };
}
