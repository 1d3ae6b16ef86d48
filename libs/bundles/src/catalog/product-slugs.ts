import type { EntityManager } from 'typeorm';
import { BundleLineError, quoted } from '../bundle/check/faults.js';
import type { CatalogProduct } from './catalog-format.js';
import { slugOf } from './slugs.js';

interface KnownProduct {
  readonly slug: string;
  readonly sku: string;
  readonly name: string;
}

const FIND = `/* catalog.products.known */
  SELECT slug, sku, name FROM products
  WHERE store_id = $1 AND (slug = ANY($2) OR (sku <> '' AND sku = ANY($3))) ORDER BY id DESC`;

/**
 * Gives each product of a file its slug: the same on every import, independent of the rest of the file. When the format
 * has no slugs, the SKU identifies a product, which keeps its stored slug or gets a new one from its name. Without a
 * SKU the product's id in the shop identifies it and becomes part of its slug.
 */
export class ProductSlugs {
  /** Line numbers of the imported products by the slug, SKU or id that they use. */
  private readonly taken = {
    slug: new Map<string, number>(),
    SKU: new Map<string, number>(),
    ID: new Map<string, number>(),
  };
  private storedBySlug = new Map<string, KnownProduct>();
  private slugBySku = new Map<string, string>();

  constructor(
    private readonly manager: EntityManager,
    private readonly storeId: number,
  ) {}

  /** Looks up the store's rows for the products whose slugs are requested next. */
  async load(products: readonly CatalogProduct[]): Promise<void> {
    const unnamed = products.filter(({ slug }) => slug === null);
    if (unnamed.length === 0) return;
    const slugs = unnamed.flatMap((product) => Object.values(slugsOf(product)).filter((slug) => slug !== null));
    const skus = unnamed.map(({ sku = '' }) => sku);
    const known = await this.manager.query<KnownProduct[]>(FIND, [this.storeId, slugs, skus]);
    this.storedBySlug = new Map(known.map((product) => [product.slug, product]));
    this.slugBySku = new Map(known.map(({ slug, sku }) => [sku, slug]));
    this.slugBySku.delete('');
  }

  /** @throws BundleLineError when the matching product of the store is ambiguous, or the file has the product twice. */
  slugFor(product: CatalogProduct): string {
    for (const [what, value] of namesOf(product)) this.assertFree(what, value, product.line);
    const slug = product.slug ?? this.slugOfUnnamed(product);
    this.assertFree('slug', slug, product.line);
    return slug;
  }

  /** Keeps the slug, SKU and id from further products of the file. */
  take(product: CatalogProduct, slug: string): void {
    this.taken.slug.set(slug, product.line);
    for (const [what, value] of namesOf(product)) this.taken[what].set(value, product.line);
  }

  private slugOfUnnamed(product: CatalogProduct): string {
    const { sku = '', line } = product;
    const { plain, withId, withSku } = slugsOf(product);
    const known = this.slugBySku.get(sku);
    if (known !== undefined) return known;
    // Also when the product has gained a SKU since the last import.
    if (withId !== null && this.isMadeOf(withId, plain)) return withId;
    if (this.strangerAt(plain)?.sku === '') {
      const problem = `the store has a product ${quoted(plain)} without SKU, which may or may not be this one`;
      throw new BundleLineError(
        line,
        `${problem}: give it a SKU, and this one the same SKU if they are the same product`,
      );
    }
    const slug = withSku === null ? withId : this.isFree(plain) ? plain : withSku;
    if (slug === null)
      throw new BundleLineError(line, 'SKU and ID are missing: nothing tells it from others of its name');
    if (this.strangerAt(slug)) throw new BundleLineError(line, `the store has another product ${quoted(slug)}`);
    return slug;
  }

  /** Whether this importer made the stored product's slug, for a product of that name and id. */
  private isMadeOf(withId: string, plain: string): boolean {
    const stored = this.storedBySlug.get(withId);
    return stored?.sku === '' && slugOf(stored.name) === plain;
  }

  private isFree(slug: string): boolean {
    return !this.taken.slug.has(slug) && !this.storedBySlug.has(slug);
  }

  /** A product of the store that is not in this file; products of the file may already be stored. */
  private strangerAt(slug: string): KnownProduct | undefined {
    return this.taken.slug.has(slug) ? undefined : this.storedBySlug.get(slug);
  }

  private assertFree(what: keyof typeof this.taken, value: string, line: number): void {
    const earlier = this.taken[what].get(value);
    if (earlier === undefined) return;
    throw new BundleLineError(
      line,
      `the ${what} ${quoted(value)} is that of line ${earlier}, which is imported instead`,
    );
  }
}

/** What identifies a product besides its slug. In a format with slugs the SKUs belong to variants and need not be unique. */
function namesOf({ slug, sku, foreignId }: CatalogProduct): (readonly ['SKU' | 'ID', string])[] {
  if (slug !== null) return [];
  return [...(sku ? [['SKU', sku] as const] : []), ...(foreignId ? [['ID', foreignId] as const] : [])];
}

/** The candidate slugs of a product without one. */
function slugsOf({ name, sku, foreignId }: CatalogProduct) {
  const plain = slugOf(name);
  return {
    plain,
    withId: foreignId ? `${plain}-${slugOf(foreignId)}` : null,
    withSku: sku ? `${plain}-${slugOf(sku)}` : null,
  };
}
