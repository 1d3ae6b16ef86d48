import type { SkuId } from '../ports/sku.repository.js';

/** The id of a SKU as text: `70` for a product, `70-12` for its variant 12. */
export function formatSkuId({ productId, variantId }: SkuId): string {
  return variantId === null ? String(productId) : `${productId}-${variantId}`;
}

/** @param text the result of `formatSkuId`. */
export function parseSkuId(text: string): SkuId {
  const [productId, variantId] = text.split('-');
  return { productId: Number(productId), variantId: variantId === undefined ? null : Number(variantId) };
}
