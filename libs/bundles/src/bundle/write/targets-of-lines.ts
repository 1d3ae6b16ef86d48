import type { Batch, Owner } from './batch.js';
import { PRODUCTS, VARIANTS } from './tables.js';

/** A product or one of its variants, as a stock line or an order's line refers to it. */
export interface SellableReference {
  readonly product?: string | null;
  readonly variant?: string | null;
}

/** Ids of a line's product and variant; null where it names none. */
export interface Sellable {
  readonly productId: number | null;
  readonly variantId: number | null;
}

/**
 * Looks up all references at once.
 *
 * @returns ids in the order of the references.
 * @throws BundleLineError when a reference is unknown.
 */
export async function findSellables(
  { known }: Batch,
  store: Owner,
  references: readonly { readonly number: number; readonly reference: SellableReference }[],
): Promise<Sellable[]> {
  const slugs = references.flatMap(({ reference: { product } }) => (product ? [{ slug: product }] : []));
  await known.load(PRODUCTS, store.id, slugs);
  const products = references.map(({ number, reference: { product } }) => {
    if (!product) return null;
    return known.get(PRODUCTS, store.id, { slug: product }, { line: number, what: 'product', name: product });
  });

  const variantOf = (index: number, sku: string) => ({ product_id: products[index], sku });
  const variants = references.flatMap(({ reference }, index) =>
    reference.variant ? [variantOf(index, reference.variant)] : [],
  );
  await known.load(VARIANTS, store.id, variants);
  return references.map(({ number, reference: { product, variant } }, index) => {
    const productId = products[index] ?? null;
    if (!variant) return { productId, variantId: null };
    const from = { line: number, what: `product ${JSON.stringify(product)}: variant`, name: variant };
    return { productId, variantId: known.get(VARIANTS, store.id, variantOf(index, variant), from) };
  });
}
