import { folded } from '@app/infrastructure';
import { BundleLineError, quoted } from '../check/faults.js';
import type { BundleVariant, ProductLine } from '../schema/bundle.js';
import { MAX_VARIANTS } from '../schema/catalog-lines.js';
import type { Batch, Numbered, Owner } from './batch.js';

export interface StoredVariant {
  readonly id: number;
  readonly sku: string;
  readonly status: 'ACTIVE' | 'INACTIVE';
  /** The size of the SKU, the name and the attributes, in bytes. */
  readonly bytes: number;
  readonly metadataBytes: number;
}

export interface StoredProduct {
  readonly id: number;
  readonly slug: string;
  readonly status: string;
  /** In their sequence, those of every status. */
  readonly variants: readonly StoredVariant[];
}

/** A stored variant that gets another SKU. */
export interface RenamedVariant {
  readonly id: number;
  readonly before: string;
  readonly sku: string;
}

const READ = `/* import.products.stored */
  SELECT products.id, lower(products.slug COLLATE "C") AS slug, products.status, coalesce((
    SELECT json_agg(json_build_object('id', variant.id, 'sku', variant.sku, 'status', variant.status,
      'bytes', octet_length(variant.sku || variant.name || variant.attributes::text),
      'metadataBytes', octet_length(variant.metadata::text)) ORDER BY variant.position, variant.id)
    FROM product_variants AS variant WHERE variant.store_id = $1 AND variant.product_id = products.id
  ), '[]') AS variants
  FROM products WHERE products.store_id = $1 AND lower(products.slug COLLATE "C") = ANY ($2)`;

/** Reads the products whose variants a line writes or takes off sale, by folded slug, before anything is written. */
export async function readStored(
  batch: Batch,
  store: Owner,
  lines: readonly Numbered<ProductLine>[],
): Promise<ReadonlyMap<string, StoredProduct>> {
  const slugs = lines.flatMap(({ line: { slug, variants, status = 'ACTIVE' } }) => {
    return variants || status !== 'ACTIVE' ? [folded(slug)] : [];
  });
  if (slugs.length === 0) return new Map();
  const rows = await batch.sql.query<StoredProduct>(READ, [store.id, slugs]);
  return new Map(rows.map((row) => [row.slug, row]));
}

/**
 * Finds the variants that a line names by their id, with another SKU.
 * @throws BundleLineError when another variant has that SKU and keeps it.
 */
export function renamedBy(
  number: number,
  variants: readonly BundleVariant[],
  stored: StoredProduct | undefined,
): RenamedVariant[] {
  const byId = new Map(stored?.variants.map((variant) => [variant.id, variant]));
  const renamed = variants.flatMap(({ id = 0, sku }, index) => {
    const before = byId.get(id)?.sku ?? sku;
    return before === sku ? [] : [{ id, before, sku, index }];
  });
  const freed = new Set(renamed.map(({ before }) => before));
  const bySku = new Map(stored?.variants.map((variant) => [variant.sku, variant]));
  for (const { sku, index } of renamed) {
    const holder = freed.has(sku) ? undefined : bySku.get(sku);
    if (!holder) continue;
    const problem = `${quoted(sku)} is that of variant ${holder.id}, which gets no other SKU in this line`;
    throw new BundleLineError(number, `product.variants[${index}].sku ${problem}`);
  }
  return renamed;
}

/** Returns the product with the SKUs that its variants get. */
export function withSkus(stored: StoredProduct | undefined, renamed: readonly RenamedVariant[]) {
  const skus = new Map(renamed.map(({ id, sku }) => [id, sku]));
  return (
    stored && { ...stored, variants: stored.variants.map((each) => ({ ...each, sku: skus.get(each.id) ?? each.sku })) }
  );
}

/**
 * Limits the variants, including those that a list has omitted, because each read of the product contains all of them.
 * @throws BundleLineError
 */
export function assertFew(number: number, variants: readonly BundleVariant[], stored?: StoredProduct): void {
  const known = new Set(stored?.variants.map(({ sku }) => sku));
  const added = variants.filter(({ sku }) => !known.has(sku)).length;
  if (added > 0 && known.size + added > MAX_VARIANTS) {
    const problem = `must have at most ${MAX_VARIANTS} variants, including stored ones`;
    throw new BundleLineError(number, `product.variants ${problem}`);
  }
}

/** The maximum size, in bytes, of the SKUs, names, attributes and metadata of a product's variants. */
const MAX_VARIANTS_BYTES = 1024 * 1024;

/** Limits the texts of the variants, but accepts a line that makes them smaller. @throws BundleLineError */
export function assertSmall(number: number, variants: readonly BundleVariant[], stored?: StoredProduct): void {
  const known = new Map(stored?.variants.map((variant) => [variant.sku, variant]));
  const growths = variants.map(({ id, sku, name, attributes, metadata }) => {
    const { id: storedId, bytes = 0, metadataBytes = 0 } = known.get(sku) ?? {};
    const keepsAttributes = !attributes && id !== undefined && id === storedId;
    const given = keepsAttributes ? 0 : Buffer.byteLength(sku + name + JSON.stringify(attributes ?? {})) - bytes;
    return metadata ? given + Buffer.byteLength(JSON.stringify(metadata)) - metadataBytes : given;
  });
  const growth = growths.reduce((sum, bytes) => sum + bytes, 0);
  const before = [...known.values()].reduce((sum, { bytes, metadataBytes }) => sum + bytes + metadataBytes, 0);
  if (growth > 0 && before + growth > MAX_VARIANTS_BYTES) {
    const problem = 'must have at most 1 MB of variants, including stored ones';
    throw new BundleLineError(number, `product.variants ${problem}`);
  }
}

/**
 * Whether the variants keep their sequence. Their positions, and those of retired variants, then stay: importing an
 * export moves none.
 */
export function keepsOrder(variants: readonly { readonly sku: string }[], stored: StoredProduct | undefined): boolean {
  const skus = new Set(variants.map(({ sku }) => sku));
  const known = (stored?.variants ?? []).filter(({ sku }) => skus.has(sku));
  return known.length === variants.length && variants.every(({ sku }, index) => sku === known[index]?.sku);
}
