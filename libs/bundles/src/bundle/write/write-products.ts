import { parseId } from '@app/application';
import { folded } from '@app/infrastructure';
import type { Batch, FindId, Numbered, Owner, WriteLines } from './batch.js';
import type { BundleVariant, ProductLine } from '../schema/bundle.js';
import { quoted } from '../check/faults.js';
import {
  assertFew,
  assertSmall,
  keepsOrder,
  readStored,
  renamedBy,
  withSkus,
  type RenamedVariant,
  type StoredProduct,
} from './stored-products.js';
import { BRANDS, CATEGORIES, PRODUCTS, VARIANTS } from './tables.js';
import type { Row, Written } from './table-writer.js';
import { unitPrice } from './unit-price.js';
import { warnOfUnits } from './unsellable-units.js';

/** A line whose references and prices were checked. */
interface CheckedProduct extends Numbered<ProductLine> {
  readonly row: Row;
  /** What is stored, with the SKUs that its variants get. */
  readonly stored: StoredProduct | undefined;
  readonly renamed: readonly RenamedVariant[];
  readonly variants: readonly VariantRow[] | undefined;
  readonly categories: readonly number[] | undefined;
}

type VariantRow = Row & Pick<BundleVariant, 'sku'>;
type WrittenProduct = CheckedProduct & Written<number>;

// Orders and stock refer to variants, so a variant that is no longer sold becomes inactive instead of being deleted.
const RETIRE_VARIANTS = `/* import.variants.retire */
  WITH retired AS (
    UPDATE product_variants AS v SET status = 'INACTIVE'
    WHERE v.store_id = $1 AND v.product_id = ANY($2) AND v.status <> 'INACTIVE'
      -- A comparison with the whole array would cost the square of the number of variants.
      AND NOT EXISTS (SELECT FROM unnest($3::int[]) AS kept (id) WHERE kept.id = v.id)
    RETURNING v.product_id)
  SELECT product_id AS "productId" FROM retired`;

const RENAME_VARIANTS = `/* import.variants.rename */
  UPDATE product_variants AS variant SET sku = renamed.sku
  FROM unnest($2::int[], $3::text[]) AS renamed (id, sku)
  WHERE variant.store_id = $1 AND variant.id = renamed.id`;

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
  const storedOf = await readStored(batch, store, lines);
  const checked = batch.good(lines, (each): CheckedProduct => {
    const { number, line } = each;
    const { variants = [] } = line;
    const before = storedOf.get(folded(line.slug));
    const renamed = renamedBy(number, variants, before);
    const stored = withSkus(before, renamed);
    assertFew(number, variants, stored);
    assertSmall(number, variants, stored);
    return {
      ...{ ...each, stored, renamed },
      row: productRow(store, each, brandId),
      variants: variantRows(store, each, stored),
      categories: line.categories?.map((slug) => categoryId(number, { slug }, 'category')),
    };
  });
  const products = await batch.write(PRODUCTS, store.id, checked);
  const changed = new Set([
    ...(await writeVariants(batch, store, products)),
    ...(await replaceCategories(batch, store, products)),
  ]);
  batch.note(products, changed);
  await warnOfUnits(batch, store, products);
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
async function writeVariants(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<number[]> {
  const given = products.filter(({ variants }) => variants);
  if (given.length === 0) return [];
  await renameVariants(batch, store, given);
  const rows = given.flatMap(({ number, id: productId, variants = [], stored }) => {
    const isOrdered = keepsOrder(variants, stored);
    return variants.map((variant, position) => {
      return { number, productId, row: { ...variant, product_id: productId, ...(!isOrdered && { position }) } };
    });
  });
  const written = await batch.write(VARIANTS, store.id, rows);
  const values = [store.id, given.map(({ id }) => id), written.map(({ id }) => id)];
  const retired = await batch.sql.query<{ productId: number }>(RETIRE_VARIANTS, values);
  const renamed = given.filter((product) => product.renamed.length > 0).map(({ id }) => ({ productId: id }));
  const changed = written.filter(({ outcome }) => outcome !== 'unchanged');
  return [...renamed, ...changed, ...retired].map(({ productId }) => productId);
}

async function renameVariants(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<void> {
  const all = products.flatMap(({ renamed }) => renamed);
  if (all.length === 0) return;
  const rename = (variants: readonly Pick<RenamedVariant, 'id' | 'sku'>[]) =>
    batch.sql.query(RENAME_VARIANTS, [store.id, variants.map(({ id }) => id), variants.map(({ sku }) => sku)]);
  // No other SKU begins with a blank. Rows that exchange their SKUs in one statement would break the constraint, also in
  // the replica to which a store moves, which gets them one by one.
  const passedOn = products.flatMap(({ renamed }) => {
    const taken = new Set(renamed.map(({ sku }) => sku));
    return renamed.filter(({ before }) => taken.has(before)).map(({ id }) => ({ id, sku: ` ${id}` }));
  });
  if (passedOn.length > 0) await rename(passedOn);
  await rename(all);
  const before = products.flatMap(({ id, renamed }) => renamed.map((each) => ({ product_id: id, sku: each.before })));
  batch.forget(VARIANTS, store.id, before);
}

/** A variant without a price has the price of its product. */
function variantRows(store: Owner, { number, line }: Numbered<ProductLine>, stored?: StoredProduct) {
  const ids = new Set(stored?.variants.map(({ id }) => id));
  return line.variants?.map((variant, index) => {
    return variantRow(store, number, variant, { index, isStored: variant.id !== undefined && ids.has(variant.id) });
  });
}

/** @param isStored whether the line names a stored variant by its id, which keeps a price and attributes that are absent. */
function variantRow(
  store: Owner,
  line: number,
  variant: BundleVariant,
  { index, isStored }: { readonly index: number; readonly isStored: boolean },
): VariantRow {
  const { id, sku, name, status, metadata, low_stock } = variant;
  const { price = isStored ? undefined : null, attributes = isStored ? undefined : {} } = variant;
  const minor = price && unitPrice(price, store.currency, line, `product.variants[${index}].price`);
  return {
    ...(id !== undefined && { id }),
    ...{ sku, name },
    ...(minor !== undefined && { price: minor }),
    ...(attributes && { attributes, attribute_names: Object.keys(attributes) }),
    // A variant is either for sale or not; only the product knows why.
    ...(status !== undefined && { status: status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE' }),
    ...(metadata && { metadata }),
    ...(low_stock !== undefined && { low_stock }),
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
