import type { Numbered } from '../bundle/write/batch.js';
import { BundleLineError, Fault, quoted } from '../bundle/check/faults.js';
import { atLine } from '../bundle/read/line-batches.js';
import { checkLine } from '../bundle/check/check-line.js';
import type { CatalogProduct, CatalogVariant } from './catalog-format.js';
import { hashOf, slugOf } from './slugs.js';

/** The store and bin that an import writes to. */
export interface Destination {
  /** Subdomain of the store. */
  readonly store: string;
  /** `WAREHOUSE/BIN`; null leaves stock unchanged. */
  readonly bin: string | null;
}

/**
 * Slugs of a category path, from the top. Each includes the names above it, because WooCommerce allows "Shoes" twice.
 */
export const slugsOfPath = (path: readonly string[]): string[] =>
  path.map((_, depth) =>
    path
      .slice(0, depth + 1)
      .map(slugOf)
      .join('--'),
  );

/**
 * Converts a product to lines of a bundle: its brand and categories, the product, its stock.
 *
 * @param first the number of the product's first row. Shared lines get it too, because a line may not refer to a later
 * one.
 * @throws BundleLineError for a product that a bundle would also refuse.
 */
export function linesOfProduct(
  product: CatalogProduct,
  first: number,
  slug: string,
  { store, bin }: Destination,
): Numbered[] {
  const { line: number, brand, categories, quantity, name, price, sku, status, featured } = product;
  const { description, images, specifications } = product;
  const skus = skusOf(product, slug);
  const variants = product.variants.map((variant, index) => ({
    sku: skus[index],
    name: Object.values(variant.attributes).join(' / ') || skus[index],
    price: variant.price,
    attributes: variant.attributes,
    status: variant.active ? 'ACTIVE' : 'INACTIVE',
  }));
  const lines: { number: number; value: object }[] = [
    ...(brand ? [{ number: first, value: { kind: 'brand', store, slug: slugOf(brand), name: brand } }] : []),
    ...(categories ?? []).flatMap((path) => categoryLines(path, store)).map((value) => ({ number: first, value })),
    {
      number,
      value: given({
        ...{ kind: 'product', store, slug, sku, name, price, status, featured, description, images, specifications },
        ...(brand !== undefined && { brand: brand ? slugOf(brand) : null }),
        ...(categories && { categories: [...new Set(categories.map((path) => slugsOfPath(path).at(-1)))] }),
        variants,
      }),
    },
    ...stockOf(product.variants, skus, quantity, number).map(({ line, ...counted }) => ({
      number: Math.max(number, line),
      value: { kind: 'stock', store, bin, product: slug, ...counted },
    })),
  ];
  return lines
    .filter(({ value }) => bin !== null || (value as { kind: string }).kind !== 'stock')
    .map(({ number: line, value }) => ({ number: line, line: atLine(line, () => checkLine(value)) }));
}

const given = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

function categoryLines(path: readonly string[], store: string): object[] {
  const slugs = slugsOfPath(path);
  return path.map((name, depth) => {
    // A top-level category may have been moved below another one in this store; it stays there.
    const parent = slugs[depth - 1];
    return { kind: 'category', store, slug: slugs[depth], name, ...(parent && { parent }) };
  });
}

function stockOf(
  variants: readonly CatalogVariant[],
  skus: readonly string[],
  own: number | null,
  line: number,
): { line: number; variant: string | null; quantity: number }[] {
  if (variants.length === 0) return own === null ? [] : [{ line, variant: null, quantity: own }];
  return variants.flatMap((variant, index) =>
    variant.quantity === null || !variant.active
      ? []
      : [{ line: variant.line, variant: skus[index] ?? null, quantity: variant.quantity }],
  );
}

/**
 * SKUs of the variants: the shop's own, or one derived from the options when it is missing or not unique. A hash tells
 * apart options whose difference a slug loses, such as letter case.
 */
function skusOf({ variants }: CatalogProduct, slug: string): string[] {
  const counts = new Map<string, number>();
  for (const { sku } of variants) counts.set(sku, (counts.get(sku) ?? 0) + 1);
  const made = variants.map(({ sku, attributes }) =>
    sku !== '' && counts.get(sku) === 1 ? sku : `${sku || slug}-${slugOf(Object.values(attributes).join(' '))}`,
  );
  const used = new Set<string>();
  return variants.map(({ line, sku, attributes }, index) => {
    const plain = made[index] ?? '';
    // Each of them gets a hash, including the first: the order of the rows must not decide which one has the plain SKU.
    const alike = plain !== sku && made.indexOf(plain) !== made.lastIndexOf(plain);
    const own = alike ? `${plain}-${hashOf(Object.values(attributes).join(' / '))}` : plain;
    if (used.has(own)) throw new BundleLineError(line, new Fault('SKU', `${quoted(own)} is there twice`).message);
    used.add(own);
    return own;
  });
}
