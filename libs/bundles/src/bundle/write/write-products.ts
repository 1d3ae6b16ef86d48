import { parseId } from '@app/application';
import { MAX_UNIT_PRICE, minorUnitExponent, Money, type Currency } from '@app/domain';
import type { Batch, FindId, Numbered, Owner, WriteLines } from './batch.js';
import type { BundleVariant, ProductLine } from '../schema/bundle.js';
import { BundleLineError, ofEach, quoted } from '../check/faults.js';
import { BRANDS, CATEGORIES, PRODUCTS, VARIANTS } from './tables.js';
import type { Row, Written } from './table-writer.js';

type WrittenProduct = Numbered<ProductLine> & Written<number>;

// Orders and stock refer to variants, so a variant that is no longer sold becomes inactive instead of being deleted.
const RETIRE_VARIANTS = `/* import.variants.retire */
  WITH retired AS (
    UPDATE product_variants AS v SET status = 'INACTIVE'
    WHERE v.store_id = $1 AND v.product_id = ANY($2) AND v.status <> 'INACTIVE' AND v.id <> ALL($3)
    RETURNING v.product_id)
  SELECT DISTINCT product_id AS id FROM retired`;

const PRICES = `/* import.products.prices */
  SELECT id, price FROM products WHERE store_id = $1 AND id = ANY($2)`;

const STORED_ORDER = `/* import.variants.order */
  SELECT product_id AS id, array_agg(sku ORDER BY position, id) AS skus
  FROM product_variants WHERE store_id = $1 AND product_id = ANY($2) GROUP BY product_id`;

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
  JOIN products AS named ON named.store_id = $1 AND named.slug = number.id::text AND named.id <> number.id`;

/** A list in the line replaces the stored list. */
export const writeProducts: WriteLines<'product'> = async (batch, store, lines) => {
  const brands = lines.flatMap(({ line }) => (line.brand ? [{ slug: line.brand }] : []));
  const brandId = await batch.finder(BRANDS, store.id, brands);
  const rows = ofEach(lines, (each) => ({ ...each, row: productRow(store, each, brandId) }));
  const products = await batch.write(PRODUCTS, store.id, rows);
  const changed = new Set([
    ...(await writeVariants(batch, store, products)),
    ...(await replaceCategories(batch, store, products)),
  ]);
  batch.note(products, changed);
  await warnOfSlugs(batch, store, products);
};

/** A new product may have a slug that is the id of another, or get an id that is the slug of another. */
async function warnOfSlugs(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<void> {
  const created = products.filter(({ outcome }) => outcome === 'created');
  if (created.length === 0) return;
  const numbers = new Set(created.flatMap(({ id, line }) => [id, parseId(line.slug) ?? id]));
  const found = await batch.manager.query<{ id: number; slug: string; idOfOther: number }[]>(SLUGS_THAT_ARE_IDS, [
    store.id,
    [...numbers],
  ]);
  for (const { id, slug, idOfOther } of found) {
    const named = created.find((product) => product.id === id);
    const other = created.find((product) => product.id === idOfOther);
    const shown = `GET /v1/products/${slug} returns`;
    if (named) batch.warn(named.number, `product.slug ${quoted(slug)} is the id of another product, which ${shown}`);
    else if (other) batch.warn(other.number, `product.id ${slug} is the slug of another product; ${shown} this one`);
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

/** @returns ids of products. */
async function writeVariants(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<number[]> {
  const given = products.filter(({ line }) => line.variants);
  if (given.length === 0) return [];
  const isOrdered = await orderedProducts(batch, store, given);
  const priceOf = await pricesOf(batch, store, given);
  const variants = ofEach(given, ({ number, line, id }) =>
    (line.variants ?? []).map((variant, place) => {
      const row = variantRow(store, number, id, variant, place, priceOf.get(id));
      return { number, productId: id, row: isOrdered.has(id) ? row : { ...row, position: place } };
    }),
  );
  const written = await batch.write(VARIANTS, store.id, variants.flat());
  const values = [store.id, given.map(({ id }) => id), written.map(({ id }) => id)];
  const retired = await batch.manager.query<{ id: number }[]>(RETIRE_VARIANTS, values);
  const changed = written.filter(({ outcome }) => outcome !== 'unchanged');
  return [...changed.map(({ productId }) => productId), ...retired.map(({ id }) => id)];
}

/** In minor units, of the products whose variants have none. */
async function pricesOf(
  { manager }: Batch,
  store: Owner,
  given: readonly WrittenProduct[],
): Promise<ReadonlyMap<number, number>> {
  const isNeeded = ({ line }: WrittenProduct) => line.variants?.some(({ price }) => price === undefined);
  const ids = given.filter(isNeeded).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await manager.query<{ id: number; price: number }[]>(PRICES, [store.id, ids]);
  return new Map(rows.map(({ id, price }) => [id, price]));
}

/**
 * Products whose variants stay in order keep their positions, also those of retired variants: an export and its import
 * move none.
 */
async function orderedProducts(
  batch: Batch,
  store: Owner,
  given: readonly WrittenProduct[],
): Promise<ReadonlySet<number>> {
  const values = [store.id, given.map(({ id }) => id)];
  const stored = await batch.manager.query<{ id: number; skus: readonly string[] }[]>(STORED_ORDER, values);
  const skusOf = new Map(stored.map(({ id, skus }) => [id, skus]));
  const ordered = given.filter(({ id, line: { variants = [] } }) => {
    const skus = new Set(variants.map(({ sku }) => sku));
    const known = (skusOf.get(id) ?? []).filter((sku) => skus.has(sku));
    return known.length === variants.length && variants.every(({ sku }, place) => sku === known[place]);
  });
  return new Set(ordered.map(({ id }) => id));
}

function variantRow(
  store: Owner,
  line: number,
  productId: number,
  variant: BundleVariant,
  place: number,
  productPrice: number | undefined,
): Row {
  const { id, sku, name, price, attributes = {}, status = 'ACTIVE', metadata } = variant;
  const path = `product.variants[${place}].price`;
  const minor = price === undefined ? productPrice : unitPrice(price, store.currency, line, path);
  // A variant is either for sale or not; only the product knows the reason.
  const sold = status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE';
  const attribute_names = Object.keys(attributes);
  const fields = { sku, name, price: minor, attributes, attribute_names, status: sold };
  return { ...(id !== undefined && { id }), product_id: productId, ...fields, ...(metadata && { metadata }) };
}

function unitPrice(price: string, currency: Currency, line: number, path: string): number {
  const minor = minorUnits(price, currency);
  if (minor === null) {
    throw new BundleLineError(line, `${path} must have at most ${minorUnitExponent(currency)} decimals in ${currency}`);
  }
  if (minor <= MAX_UNIT_PRICE) return minor;
  throw new BundleLineError(line, `${path} must not be higher than ${MAX_UNIT_PRICE} minor units of ${currency}`);
}

/** Null for a price that is finer than the currency; Infinity when they are no exact integer. */
function minorUnits(price: string, currency: Currency): number | null {
  try {
    return Money.exact(price, currency)?.minor ?? null;
  } catch {
    return Infinity;
  }
}

async function replaceCategories(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<number[]> {
  const given = products.filter(({ line }) => line.categories);
  if (given.length === 0) return [];
  const named = given.flatMap(({ number, line, id }) => (line.categories ?? []).map((slug) => ({ number, id, slug })));
  const keys = named.map(({ slug }) => ({ slug }));
  const categoryId = await batch.finder(CATEGORIES, store.id, keys);
  const pairs = ofEach(named, ({ number, id, slug }) => {
    return { product_id: id, category_id: categoryId(number, { slug }, 'category') };
  });
  const values = [store.id, given.map(({ id }) => id), JSON.stringify(pairs)];
  const changed = await batch.manager.query<{ id: number }[]>(REPLACE_CATEGORIES, values);
  return changed.map(({ id }) => id);
}
