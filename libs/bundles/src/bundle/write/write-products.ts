import { parseId } from '@app/application';
import { folded } from '@app/infrastructure';
import type { Batch, FindId, Numbered, Owner, WriteLines } from './batch.js';
import type { BundleVariant, ProductLine } from '../schema/bundle.js';
import { MAX_VARIANTS } from '../schema/catalog-lines.js';
import { BundleLineError, quoted } from '../check/faults.js';
import { BRANDS, CATEGORIES, PRODUCTS, VARIANTS } from './tables.js';
import type { Row, Written } from './table-writer.js';
import { unitPrice } from './unit-price.js';

/** A line whose references and prices were checked. */
interface CheckedProduct extends Numbered<ProductLine> {
  readonly row: Row;
  readonly variants: readonly Row[] | undefined;
  readonly categories: readonly number[] | undefined;
}

type WrittenProduct = CheckedProduct & Written<number>;

// Orders and stock refer to variants, so a variant that is no longer sold becomes inactive instead of being deleted.
const RETIRE_VARIANTS = `/* import.variants.retire */
  WITH retired AS (
    UPDATE product_variants AS v SET status = 'INACTIVE'
    WHERE v.store_id = $1 AND v.product_id = ANY($2) AND v.status <> 'INACTIVE'
      -- A comparison with the whole array would cost the square of the number of variants.
      AND NOT EXISTS (SELECT FROM unnest($3::int[]) AS kept (id) WHERE kept.id = v.id)
    RETURNING v.product_id, v.id)
  SELECT product_id AS "productId", id FROM retired`;

const STORED_VARIANTS = `/* import.variants.stored */
  SELECT products.id, lower(products.slug COLLATE "C") AS slug, array_agg(variant.sku ORDER BY variant.position, variant.id) AS skus,
    coalesce(array_agg(variant.sku) FILTER (WHERE variant.status = 'INACTIVE'), '{}') AS inactive,
    array_agg(octet_length(variant.sku || variant.name || variant.attributes::text) ORDER BY variant.position, variant.id) AS bytes,
    array_agg(octet_length(variant.metadata::text) ORDER BY variant.position, variant.id) AS "metadataBytes"
  FROM products JOIN product_variants AS variant ON variant.store_id = $1 AND variant.product_id = products.id
  WHERE products.store_id = $1 AND lower(products.slug COLLATE "C") = ANY ($2) GROUP BY products.id, 2`;

// The statement counts the units of products for sale, in bins of open warehouses.
const UNITS = `/* import.products.units */
  SELECT stock.product_id AS "productId", stock.variant_key AS "variantKey",
    coalesce(variant.sku, nullif(products.sku, ''), products.slug) AS sku, sum(stock.quantity)::float8 AS units
  FROM unnest($2::int[], $3::int[]) AS given (product_id, variant_key)
  JOIN stock ON stock.store_id = $1 AND stock.product_id = given.product_id AND stock.variant_key = given.variant_key
  JOIN products ON products.store_id = $1 AND products.id = stock.product_id AND products.status = 'ACTIVE'
  LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = stock.variant_key
  WHERE NOT EXISTS (SELECT FROM closed_bins WHERE store_id = $1 AND id = stock.bin_id)
    AND (variant.id IS NOT NULL OR EXISTS (
      SELECT FROM product_variants AS sold
      WHERE sold.store_id = $1 AND sold.product_id = stock.product_id AND sold.status = 'ACTIVE'))
  GROUP BY stock.product_id, stock.variant_key, variant.sku, products.sku, products.slug HAVING sum(stock.quantity) > 0
  ORDER BY stock.product_id, stock.variant_key`;

const REPLACE_CATEGORIES = `/* import.products.replace_categories */
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($3::jsonb) AS given (product_id int, category_id int)
  ), taken_out AS (
    DELETE FROM product_categories AS old
    WHERE old.store_id = $1 AND old.product_id = ANY($2)
      AND (old.product_id, old.category_id) NOT IN (SELECT product_id, category_id FROM given)
    RETURNING old.product_id
  ), put_in AS (
    INSERT INTO product_categories (store_id, product_id, category_id)
    SELECT DISTINCT $1::int, product_id, category_id FROM given
    ON CONFLICT DO NOTHING
    RETURNING product_id
  )
  SELECT product_id AS id FROM taken_out UNION SELECT product_id FROM put_in`;

// A route that takes the id or the slug of a product reads digits as an id first.
const SLUGS_THAT_ARE_IDS = `/* import.products.slugs_that_are_ids */
  SELECT named.id, named.slug, other.id AS "idOfOther"
  FROM unnest($2::int[]) AS number (id)
  JOIN products AS other ON other.store_id = $1 AND other.id = number.id
  JOIN products AS named ON named.store_id = $1 AND lower(named.slug COLLATE "C") = number.id::text AND named.id <> number.id`;

/** Writes products. A list in the line replaces the stored list. */
export const writeProducts: WriteLines<'product'> = async (batch, store, lines) => {
  const brands = lines.flatMap(({ line }) => (line.brand ? [{ slug: line.brand }] : []));
  const brandId = await batch.finder(BRANDS, store.id, brands);
  const categories = lines.flatMap(({ line }) => (line.categories ?? []).map((slug) => ({ slug })));
  const categoryId = await batch.finder(CATEGORIES, store.id, categories);
  const stored = await storedVariants(batch, store, lines);
  const storedOf = new Map(stored.map((each) => [each.slug, each]));
  const checked = batch.good(lines, (each): CheckedProduct => {
    const { number, line } = each;
    assertFew(number, line.variants ?? [], storedOf.get(folded(line.slug)));
    assertSmall(number, line.variants ?? [], storedOf.get(folded(line.slug)));
    return {
      ...each,
      row: productRow(store, each, brandId),
      variants: line.variants?.map((variant, place) => variantRow(store, number, variant, place)),
      categories: line.categories?.map((slug) => categoryId(number, { slug }, 'category')),
    };
  });
  const products = await batch.write(PRODUCTS, store.id, checked);
  const changed = new Set([
    ...(await writeVariants(batch, store, products, stored)),
    ...(await replaceCategories(batch, store, products)),
  ]);
  batch.note(products, changed);
  await warnOfSlugs(batch, store, products);
};

/** Warns when the slug of a new product is the id of another one, or its id the slug of another. */
async function warnOfSlugs(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<void> {
  const created = products.filter(({ outcome }) => outcome === 'created');
  if (created.length === 0) return;
  const numbers = new Set(created.flatMap(({ id, line }) => [id, parseId(line.slug) ?? id]));
  const found = await batch.sql.query<{ id: number; slug: string; idOfOther: number }>(SLUGS_THAT_ARE_IDS, [
    store.id,
    [...numbers],
  ]);
  for (const { id, slug, idOfOther } of found) {
    const named = created.find((product) => product.id === id);
    const other = created.find((product) => product.id === idOfOther);
    const shown = `GET /v1/products/${slug} returns`;
    if (named)
      batch.warn(named.number, `product.slug ${quoted(slug)} is the id of another product: ${shown} that product`);
    else if (other)
      batch.warn(other.number, `product.id ${slug} is the slug of another product: ${shown} this product`);
  }
}

function productRow(store: Owner, { number, line }: Numbered<ProductLine>, brandId: FindId): Row {
  const { kind: _, store: __, brand, categories: ___, variants: ____, price, ...fields } = line;
  return {
    ...fields,
    ...(price !== undefined && { price: unitPrice(price, store.currency, number, 'product.price') }),
    ...(brand !== undefined && { brand_id: brand && brandId(number, { slug: brand }, 'brand') }),
  };
}

/** @returns the ids of products with changed variants. */
async function writeVariants(
  batch: Batch,
  store: Owner,
  products: readonly WrittenProduct[],
  stored: readonly StoredVariants[],
): Promise<number[]> {
  const given = products.filter(({ variants }) => variants);
  if (given.length === 0) return [];
  const ids = given.map(({ id }) => id);
  const storedOf = new Map(stored.map((each) => [each.id, each]));
  const rows = given.flatMap(({ number, id: productId, variants = [] }) => {
    const isOrdered = keepsOrder(variants, storedOf.get(productId));
    return variants.map((variant, position) => {
      return { number, productId, row: { ...variant, product_id: productId, ...(!isOrdered && { position }) } };
    });
  });
  const written = await batch.write(VARIANTS, store.id, rows);
  const values = [store.id, ids, written.map(({ id }) => id)];
  const retired = await batch.sql.query<RetiredVariant>(RETIRE_VARIANTS, values);
  await warnOfUnits(batch, store, given, retired, ({ id }) => !areSold(storedOf.get(id)));
  warnOfInactive(batch, given, storedOf);
  const changed = written.filter(({ outcome }) => outcome !== 'unchanged');
  return [...changed, ...retired].map(({ productId }) => productId);
}

/** Reads the stored variants before anything is written. */
async function storedVariants(
  batch: Batch,
  store: Owner,
  lines: readonly Numbered<ProductLine>[],
): Promise<readonly StoredVariants[]> {
  const slugs = lines.flatMap(({ line }) => (line.variants ? [folded(line.slug)] : []));
  return slugs.length === 0 ? [] : batch.sql.query<StoredVariants>(STORED_VARIANTS, [store.id, slugs]);
}

/**
 * Limits the variants, including those that a list has omitted, because each read of the product contains all of them.
 * @throws BundleLineError
 */
function assertFew(number: number, variants: readonly BundleVariant[], stored?: StoredVariants): void {
  const known = new Set(stored?.skus);
  const added = variants.filter(({ sku }) => !known.has(sku)).length;
  if (added > 0 && known.size + added > MAX_VARIANTS) {
    const problem = `must have at most ${MAX_VARIANTS} variants, including stored ones`;
    throw new BundleLineError(number, `product.variants ${problem}`);
  }
}

/** Limits the texts of the variants, but accepts a line that makes them smaller. @throws BundleLineError */
function assertSmall(number: number, variants: readonly BundleVariant[], stored?: StoredVariants): void {
  const known = new Map(
    stored?.skus.map((sku, place) => {
      return [sku, { own: stored.bytes[place] ?? 0, metadata: stored.metadataBytes[place] ?? 0 }];
    }),
  );
  const growths = variants.map(({ sku, name, attributes = {}, metadata }) => {
    const { own = 0, metadata: kept = 0 } = known.get(sku) ?? {};
    const given = Buffer.byteLength(sku + name + JSON.stringify(attributes)) - own;
    return metadata ? given + Buffer.byteLength(JSON.stringify(metadata)) - kept : given;
  });
  const growth = growths.reduce((sum, bytes) => sum + bytes, 0);
  const before = [...known.values()].reduce((sum, { own, metadata }) => sum + own + metadata, 0);
  if (growth > 0 && before + growth > MAX_VARIANTS_BYTES) {
    const problem = 'must have at most 1 MB of variants, including stored ones';
    throw new BundleLineError(number, `product.variants ${problem}`);
  }
}

interface StoredVariants {
  /** The id of the product. */
  readonly id: number;
  readonly slug: string;
  readonly skus: readonly string[];
  readonly inactive: readonly string[];
  /** The size of the SKU, the name and the attributes of each variant, in bytes. */
  readonly bytes: readonly number[];
  readonly metadataBytes: readonly number[];
}

/** The maximum size, in bytes, of the SKUs, names, attributes and metadata of a product's variants. */
const MAX_VARIANTS_BYTES = 1024 * 1024;

const areSold = (stored?: StoredVariants) => stored !== undefined && stored.inactive.length < stored.skus.length;

interface RetiredVariant {
  readonly productId: number;
  readonly id: number;
}

const MAX_NAMED = 20;

interface UnitsInBins {
  readonly productId: number;
  /** 0 stands for the product itself. */
  readonly variantKey: number;
  readonly sku: string;
  readonly units: number;
}

/** Warns of units that the store no longer offers although the line does not say so. */
async function warnOfUnits(
  batch: Batch,
  store: Owner,
  products: readonly WrittenProduct[],
  retired: readonly RetiredVariant[],
  isFirst: (product: WrittenProduct) => boolean,
): Promise<void> {
  const asked = [...retired, ...products.filter(isFirst).map(({ id }) => ({ productId: id, id: 0 }))];
  if (asked.length === 0) return;
  const values = [store.id, asked.map(({ productId }) => productId), asked.map(({ id }) => id)];
  const found = await batch.sql.query<UnitsInBins>(UNITS, values);
  const lineOf = new Map(products.map(({ id, number }) => [id, number]));
  const left = new Map<number, string[]>();
  for (const { productId, variantKey, sku, units } of found) {
    const line = lineOf.get(productId) ?? 0;
    const name = `${quoted(sku)} (units: ${units})`;
    if (variantKey === 0) {
      batch.warn(line, `product now has variants: only orders that name no variant can use the stock of ${name}`);
      continue;
    }
    const names = left.get(line) ?? [];
    names.push(name);
    left.set(line, names);
  }
  for (const [line, names] of left) {
    batch.warn(line, `product.variants omits variants with stock, which become INACTIVE: ${listed(names)}`);
  }
}

/** Warns of listed variants that the store does not sell, including those that it no longer sold before. */
function warnOfInactive(
  batch: Batch,
  products: readonly WrittenProduct[],
  storedOf: ReadonlyMap<number, StoredVariants>,
): void {
  for (const { number, id, line } of products) {
    const inactive = new Set(storedOf.get(id)?.inactive);
    const names = (line.variants ?? [])
      .filter(({ sku, status }) => status === undefined && inactive.has(sku))
      .map(({ sku }) => quoted(sku));
    if (names.length > 0) {
      batch.warn(number, `product.variants without a status stay INACTIVE and are not for sale: ${listed(names)}`);
    }
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return names.slice(0, MAX_NAMED).join(', ') + more;
}

/**
 * Whether the variants keep their sequence. Their positions, and those of retired variants, then stay: importing an
 * export moves none.
 */
function keepsOrder(variants: readonly Row[], stored: StoredVariants | undefined): boolean {
  const skus = new Set(variants.map(({ sku }) => sku));
  const known = (stored?.skus ?? []).filter((sku) => skus.has(sku));
  return known.length === variants.length && variants.every(({ sku }, place) => sku === known[place]);
}

/** A variant without a price has the price of its product. */
function variantRow(store: Owner, line: number, variant: BundleVariant, place: number): Row {
  const { id, sku, name, price, attributes = {}, status, metadata } = variant;
  const path = `product.variants[${place}].price`;
  const minor = price === undefined ? null : unitPrice(price, store.currency, line, path);
  return {
    ...(id !== undefined && { id }),
    ...{ sku, name, price: minor, attributes, attribute_names: Object.keys(attributes) },
    // A variant is either for sale or not; only the product knows why.
    ...(status !== undefined && { status: status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE' }),
    ...(metadata && { metadata }),
  };
}

async function replaceCategories(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<number[]> {
  const given = products.filter(({ categories }) => categories);
  if (given.length === 0) return [];
  const pairs = given.flatMap(({ id, categories = [] }) =>
    categories.map((category) => ({ product_id: id, category_id: category })),
  );
  const values = [store.id, given.map(({ id }) => id), JSON.stringify(pairs)];
  const changed = await batch.sql.query<{ id: number }>(REPLACE_CATEGORIES, values);
  return changed.map(({ id }) => id);
}
