import type { EntityManager } from 'typeorm';
import { unitPrice, type Batch, type Numbered, type Owner, type WriteLines } from './batch.js';
import type { BundleVariant, ProductLine } from '../schema/bundle.js';
import { BRANDS, CATEGORIES, PRODUCTS, VARIANTS } from './tables.js';
import type { Row, Written } from './table-writer.js';

interface WrittenProduct extends Written<number> {
  readonly number: number;
  readonly line: ProductLine;
}

// Orders and stock refer to variants, so a variant that is no longer sold becomes inactive instead of being deleted.
const RETIRE_VARIANTS = `/* import.variants.retire */
  WITH retired AS (
    UPDATE product_variants AS v SET status = 'INACTIVE'
    WHERE v.store_id = $1 AND v.product_id = ANY($2) AND v.status <> 'INACTIVE' AND v.id <> ALL($3)
    RETURNING v.product_id)
  SELECT DISTINCT product_id AS id FROM retired`;

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

// Variants and categories are part of a product's answer.
const TOUCH = '/* import.products.touch */ UPDATE products SET updated_at = now() WHERE store_id = $1 AND id = ANY($2)';

/** Writes products with their variants and categories: a list in the line replaces the stored list. */
export const writeProducts: WriteLines<ProductLine> = async (batch, store, lines) => {
  const { manager, known, tally } = batch;
  await known.load(
    BRANDS,
    store.id,
    lines.flatMap(({ line }) => (line.brand ? [{ slug: line.brand }] : [])),
  );
  await known.load(
    CATEGORIES,
    store.id,
    lines.flatMap(({ line }) => (line.categories ?? []).map((slug) => ({ slug }))),
  );

  const written = await PRODUCTS.write(
    manager,
    store.id,
    lines.map((line) => productRow(batch, store, line)),
  );
  const products = lines.flatMap((source, index): WrittenProduct[] => {
    const product = written[index];
    return product ? [{ ...source, ...product }] : [];
  });
  const changed = new Set([
    ...(await writeVariants(batch, store, products)),
    ...(await replaceCategories(batch, store, products)),
  ]);
  const touched = products.filter(({ id, outcome }) => outcome === 'unchanged' && changed.has(id));
  if (touched.length > 0) await manager.query(TOUCH, [store.id, touched.map(({ id }) => id)]);
  for (const { number, line, id, outcome } of products) {
    if (outcome === 'created') known.created(PRODUCTS, store.id, { slug: line.slug }, { id, line: number });
    tally.add('product', outcome === 'unchanged' && changed.has(id) ? 'updated' : outcome);
  }
};

function productRow({ known }: Batch, store: Owner, { number, line }: Numbered<ProductLine>): Row {
  const { kind: _, store: __, brand, categories: ___, variants: ____, price, ...fields } = line;
  const from = { line: number, what: 'brand', name: brand ?? '' };
  return {
    ...fields,
    price: unitPrice(price, store.currency, number, 'product.price'),
    ...(brand === null && { brand_id: null }),
    ...(brand && { brand_id: known.get(BRANDS, store.id, { slug: brand }, from) }),
  };
}

/** @returns ids of the products with a changed variant. */
async function writeVariants(batch: Batch, store: Owner, products: readonly WrittenProduct[]): Promise<number[]> {
  const given = products.filter(({ line }) => line.variants);
  if (given.length === 0) return [];
  const variants = given.flatMap(({ number, line, id }) =>
    (line.variants ?? []).map((variant, position) => ({
      number,
      row: variantRow(store, number, id, { price: line.price, ...variant }, position),
    })),
  );
  const written = await VARIANTS.write(
    batch.manager,
    store.id,
    variants.map(({ row }) => row),
  );
  const changed = written.flatMap(({ id, outcome }, index) => {
    const variant = variants[index];
    if (!variant || outcome === 'unchanged') return [];
    if (outcome === 'created') batch.known.created(VARIANTS, store.id, variant.row, { id, line: variant.number });
    return [variant.row.product_id];
  });
  const retired = await batch.manager.query<{ id: number }[]>(RETIRE_VARIANTS, [
    store.id,
    given.map(({ id }) => id),
    written.map(({ id }) => id),
  ]);
  return [...changed, ...retired.map(({ id }) => id)];
}

function variantRow(
  store: Owner,
  line: number,
  productId: number,
  variant: BundleVariant & { price: string },
  position: number,
) {
  const { id, sku, name, price, attributes = {}, status = 'ACTIVE' } = variant;
  const minor = unitPrice(price, store.currency, line, `product.variants[${position}].price`);
  // A variant is either for sale or not; only the product knows the reason.
  const sold = status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE';
  const attribute_names = Object.keys(attributes);
  const fields = { sku, name, price: minor, attributes, attribute_names, status: sold, position };
  return { ...(id !== undefined && { id }), product_id: productId, ...fields };
}

/** @returns ids of the products with changed categories. */
async function replaceCategories(
  { manager, known }: { manager: EntityManager; known: Batch['known'] },
  store: Owner,
  products: readonly WrittenProduct[],
): Promise<number[]> {
  const given = products.filter(({ line }) => line.categories);
  if (given.length === 0) return [];
  const pairs = given.flatMap(({ number, line, id }) =>
    (line.categories ?? []).map((slug) => {
      const from = { line: number, what: 'category', name: slug };
      return { product_id: id, category_id: known.get(CATEGORIES, store.id, { slug }, from) };
    }),
  );
  const values = [store.id, given.map(({ id }) => id), JSON.stringify(pairs)];
  const changed = await manager.query<{ id: number }[]>(REPLACE_CATEGORIES, values);
  return changed.map(({ id }) => id);
}
