import { assertValid, type BundleLine } from './bundle-line.js';
import type { CatalogProduct, CatalogVariant } from './catalog-format.js';
import { atLine, Invalid, quoted } from './invalid.js';
import { hashOf, slugOf } from './slugs.js';

/** The store and bin that the lines name. */
export interface Destination {
  /** Subdomain of the store. */
  readonly store: string;
  /** `WAREHOUSE/BIN`; null for no stock lines. */
  readonly bin: string | null;
}

/** An import refuses longer lines, at 20,000,000 bytes. */
const MAX_LINE = 8_000_000;

/**
 * Returns the slugs of a category path, starting at the top. Each includes the names above it, because WooCommerce
 * allows "Shoes" twice.
 */
const slugsOfPath = (path: readonly string[]): string[] =>
  path.map((_, depth) =>
    path
      .slice(0, depth + 1)
      .map(slugOf)
      .join('--'),
  );

/**
 * Converts a product to lines of a bundle: its brand and categories, the product, its stock.
 *
 * @throws Invalid for a product that an import would refuse.
 */
export function linesOfProduct(product: CatalogProduct, { store, bin }: Destination): BundleLine[] {
  const { brand, categories, slug, sku, name, price, status, featured, description, images, specifications } = product;
  const skus = skusOf(product);
  const variants = product.variants.map((variant, index) => ({
    sku: skus[index],
    name: Object.values(variant.attributes).join(' / ') || skus[index],
    price: variant.price,
    attributes: variant.attributes,
    status: variant.active ? 'ACTIVE' : 'INACTIVE',
  }));
  const fields = { slug, sku, name, price, status, featured, description, images, specifications, variants };
  const line: BundleLine = {
    kind: 'product',
    store,
    ...fields,
    ...(brand !== undefined && { brand: brand ? slugOf(brand) : null }),
    ...(categories && { categories: [...new Set(categories.map((path) => slugsOfPath(path).at(-1)))] }),
  };
  if (JSON.stringify(line).length > MAX_LINE) throw new Invalid(`the product has more than ${MAX_LINE} characters`);
  const lines: BundleLine[] = [
    ...(brand ? [{ kind: 'brand' as const, store, slug: slugOf(brand), name: brand }] : []),
    ...(categories ?? []).flatMap((path) => categoryLines(path, store)),
    line,
  ];
  lines.forEach(assertValid);
  if (bin === null) return lines;
  const stock = stockOf(product, skus).map(({ line: number, ...counted }) => {
    const count: BundleLine = { kind: 'stock', store, bin, product: slug, ...counted };
    atLine(number, () => assertValid(count));
    return count;
  });
  return [...lines, ...stock];
}

function categoryLines(path: readonly string[], store: string): BundleLine[] {
  const slugs = slugsOfPath(path);
  return path.map((name, depth) => {
    // A top-level category may have been moved below another one in the store; it stays there.
    const parent = slugs[depth - 1];
    return { kind: 'category', store, slug: slugs[depth], name, ...(parent && { parent }) };
  });
}

/**
 * Returns quantities by SKU. A variant that is not for sale is omitted, so that the product's quantity is what
 * customers can buy.
 */
function stockOf({ line, variants, quantity: own }: CatalogProduct, skus: readonly string[]) {
  if (variants.length === 0) return own === null ? [] : [{ line, quantity: own }];
  return variants.flatMap(({ line, active, quantity }: CatalogVariant, index) => {
    const count = active ? quantity : 0;
    return count === null ? [] : [{ line, variant: skus[index], quantity: count }];
  });
}

/**
 * Returns the SKUs of the variants: the shop's own, or one derived from the options when it is missing or not unique. A
 * hash distinguishes options whose difference is lost in a slug, such as letter case.
 */
function skusOf({ variants, slug }: CatalogProduct): string[] {
  const counts = new Map<string, number>();
  for (const { sku } of variants) counts.set(sku, (counts.get(sku) ?? 0) + 1);
  const made = variants.map(({ sku, attributes }) =>
    sku !== '' && counts.get(sku) === 1 ? sku : `${sku || slug}-${slugOf(Object.values(attributes).join(' '))}`,
  );
  const used = new Set<string>();
  return variants.map(({ line, sku, attributes }, index) => {
    const plain = made[index] ?? '';
    // Each of them gets a hash, including the first: the sequence of the rows must not decide which one has the plain
    // SKU.
    const alike = plain !== sku && made.indexOf(plain) !== made.lastIndexOf(plain);
    const own = alike ? `${plain}-${hashOf(Object.values(attributes).join(' / '))}` : plain;
    if (used.has(own)) throw new Invalid(`SKU ${quoted(own)} is listed twice`, line);
    used.add(own);
    return own;
  });
}
