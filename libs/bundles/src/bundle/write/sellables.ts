import { quoted } from '../check/faults.js';
import type { Batch, Owner } from './batch.js';
import { PRODUCTS, VARIANTS } from './tables.js';

interface SellableReference {
  readonly product?: string | null;
  readonly variant?: string | null;
}

export interface Sellable {
  readonly productId: number | null;
  readonly variantId: number | null;
}

/** Refuses lines that refer to unknown products or variants. */
export async function findSellables<Reference extends SellableReference>(
  batch: Batch,
  store: Owner,
  references: readonly { readonly number: number; readonly reference: Reference }[],
): Promise<Map<Reference, Sellable>> {
  const slugs = references.flatMap(({ reference: { product } }) => (product ? [{ slug: product }] : []));
  const productId = await batch.finder(PRODUCTS, store.id, slugs);
  const found = batch.good(references, ({ number, reference }) => {
    const { product, variant: sku } = reference;
    const product_id = product ? productId(number, { slug: product }, 'product') : null;
    return { number, reference, product_id, variant: sku ? { product_id, sku } : null };
  });
  const variants = found.flatMap(({ variant }) => variant ?? []);
  const variantId = await batch.finder(VARIANTS, store.id, variants);
  return new Map(
    batch.good(found, ({ number, reference, product_id, variant }) => {
      const what = `product ${quoted(reference.product ?? '')}: variant`;
      return [reference, { productId: product_id, variantId: variant && variantId(number, variant, what) }];
    }),
  );
}
