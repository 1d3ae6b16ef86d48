import type { EntityManager } from 'typeorm';
import { BundleLineError, quoted } from '../faults.js';
import type { CatalogProduct } from './catalog-format.js';
import { slugOf } from './slugs.js';

interface KnownProduct {
  readonly slug: string;
  readonly sku: string;
}

const FIND = `
  SELECT slug, sku FROM products
  WHERE store_id = $1 AND (slug = ANY($2) OR (sku <> '' AND sku = ANY($3))) ORDER BY id DESC`;

/**
 * Gives each product of a file its slug, the same on every import. Where the format has none it is that of the stored
 * product with the same SKU, or else made of the name; two products of one name are told apart by SKU, or by the id in
 * the shop.
 */
export class ProductSlugs {
  /** Lines of the file by what they have taken. */
  private readonly taken = { slug: new Map<string, number>(), SKU: new Map<string, number>() };
  private skuBySlug = new Map<string, string>();
  private slugBySku = new Map<string, string>();

  constructor(
    private readonly manager: EntityManager,
    private readonly storeId: number,
  ) {}

  /** Looks up what the store has for products whose slugs are asked for next. */
  async load(products: readonly CatalogProduct[]): Promise<void> {
    const unnamed = products.filter(({ slug }) => slug === null);
    if (unnamed.length === 0) return;
    const [slugs, skus] = [unnamed.map(({ name }) => slugOf(name)), unnamed.map(({ sku = '' }) => sku)];
    const known = await this.manager.query<KnownProduct[]>(FIND, [this.storeId, slugs, skus]);
    this.skuBySlug = new Map(known.map(({ slug, sku }) => [slug, sku]));
    this.slugBySku = new Map(known.map(({ slug, sku }) => [sku, slug]));
  }

  /** @throws BundleLineError when an earlier product of the file is the same. */
  slugFor(product: CatalogProduct): string {
    // The SKUs of a format with slugs are its variants', and need not be unique.
    if (product.slug === null && product.sku) this.take('SKU', product.sku, product.line);
    const slug = product.slug ?? this.slugOfUnnamed(product);
    this.take('slug', slug, product.line);
    return slug;
  }

  private slugOfUnnamed({ name, sku = '', foreignId }: CatalogProduct): string {
    const known = sku === '' ? undefined : this.slugBySku.get(sku);
    if (known !== undefined) return known;
    const plain = slugOf(name);
    const stored = this.skuBySlug.get(plain) ?? '';
    const isFree = !this.taken.slug.has(plain) && (stored === '' || stored === sku);
    const own = sku || foreignId;
    return isFree || !own ? plain : `${plain}-${slugOf(own)}`;
  }

  private take(what: 'slug' | 'SKU', value: string, line: number): void {
    const earlier = this.taken[what].get(value);
    if (earlier !== undefined) {
      throw new BundleLineError(line, `the product with the ${what} ${quoted(value)} is on line ${earlier} already`);
    }
    this.taken[what].set(value, line);
  }
}
