import type pg from 'pg';
import { decimal, list, notFound, single, type Page } from './answers.js';
import type { Store } from './keys.js';
import { PRODUCT_TOTAL, type KnownTotals } from './totals.js';

const FOR_SALE = `stock.bin_id NOT IN (
  SELECT bins.id FROM warehouses
  JOIN bins ON bins.store_id = warehouses.store_id AND bins.warehouse_id = warehouses.id
  WHERE warehouses.store_id = $1 AND NOT warehouses.active)`;

// Selects the page first, in the index: otherwise PostgreSQL computes the columns of skipped rows, too.
const listWith = (total: string) => `
  SELECT id, name, slug, price, status, ${total} AS total, (
    SELECT coalesce(sum(stock.quantity), 0) FROM stock
    WHERE stock.store_id = $1 AND stock.product_id = page.id AND ${FOR_SALE}) AS quantity
  FROM (
    SELECT id, name, slug, price, status, created_at FROM products
    WHERE store_id = $1 AND status = 'ACTIVE' AND (created_at, id) <= (
      SELECT created_at, id FROM products WHERE store_id = $1 AND status = 'ACTIVE'
      ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $3)
    ORDER BY created_at DESC, id DESC LIMIT $2
  ) AS page
  ORDER BY created_at DESC, id DESC`;

const LIST = listWith('NULL');
const LIST_AND_TOTAL = listWith(PRODUCT_TOTAL);

// Collects the stock once for the product and its variants: 0.19 ms against 0.32 ms with one look-up each.
const FIND = `
  WITH units AS MATERIALIZED (
    SELECT stock.variant_key, sum(stock.quantity) AS quantity FROM stock
    WHERE stock.store_id = $1 AND stock.product_id = $2 AND ${FOR_SALE} GROUP BY stock.variant_key
  )
  SELECT product.id, product.name, product.slug, product.price, product.status, product.sku, product.description,
    product.featured, product.images, product.specifications, product.created_at, product.updated_at,
    (SELECT coalesce(sum(quantity), 0) FROM units) AS quantity,
    (SELECT coalesce(json_agg(json_build_object('id', variant.id::text, 'sku', variant.sku, 'name', variant.name,
        'price', variant.price / 100.0, 'attributes', variant.attributes, 'quantity',
        coalesce((SELECT quantity FROM units WHERE variant_key = variant.id), 0),
        'status', variant.status) ORDER BY variant.position, variant.id), '[]')
      FROM product_variants variant WHERE variant.store_id = $1 AND variant.product_id = product.id) AS variants,
    (SELECT coalesce(json_agg(json_build_object('id', category.id, 'name', category.name, 'slug', category.slug)
        ORDER BY category.display_order, category.name, category.id), '[]')
      FROM product_categories link JOIN categories category ON category.store_id = $1 AND category.id = link.category_id
      WHERE link.store_id = $1 AND link.product_id = product.id) AS categories,
    (SELECT json_build_object('id', brand.id, 'name', brand.name, 'slug', brand.slug)
      FROM brands brand WHERE brand.store_id = $1 AND brand.id = product.brand_id) AS brand
  FROM products product
  WHERE product.store_id = $1 AND product.id = $2 AND product.status = 'ACTIVE'`;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly price: string;
  readonly quantity: string;
  readonly status: string;
}

interface FullRow extends Row {
  readonly sku: string;
  readonly description: string;
  readonly featured: boolean;
  readonly images: unknown;
  readonly variants: unknown;
  readonly specifications: unknown;
  readonly categories: unknown;
  readonly brand: unknown;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const summary = ({ id, name, slug, price, quantity, status }: Row) => ({
  id: String(id),
  name,
  slug,
  price: decimal(price),
  quantity: Number(quantity),
  status,
});

export async function listProducts(pool: pg.Pool, totals: KnownTotals | null, store: Store, page: Page) {
  const values = [store.id, page.limit, (page.page - 1) * page.limit];
  const text = totals ? LIST : LIST_AND_TOTAL;
  const { rows } = await pool.query<Row & { total: string | null }>({ name: 'products', text, values });
  return list(rows.map(summary), totals?.products.get(store.id) ?? Number(rows[0]?.total), page);
}

export async function findProduct(pool: pg.Pool, store: Store, id: number) {
  const { rows } = await pool.query<FullRow>({ name: 'product', text: FIND, values: [store.id, id] });
  const [row] = rows;
  if (!row) throw notFound('Product');
  return single({
    ...summary(row),
    sku: row.sku,
    description: row.description,
    featured: row.featured,
    images: row.images,
    variants: row.variants,
    specifications: row.specifications,
    categories: row.categories,
    brand: row.brand,
    created_at: row.created_at,
    updated_at: row.updated_at,
  });
}
