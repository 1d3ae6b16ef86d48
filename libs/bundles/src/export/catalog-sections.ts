import { Money, toDecimalText, type Currency } from '@app/domain';
import { sortAttributes, toSafeInteger } from '@app/infrastructure';
import type {
  BinLine,
  BrandLine,
  BundleImage,
  BundleSpecification,
  BundleVariant,
  CategoryLine,
  ProductLine,
  StockLine,
  WarehouseLine,
} from '../bundle/schema/bundle.js';
import type { Section } from './section.js';

/** The fields of a line that its row has unchanged. */
type Fields<Line> = Omit<Required<Line>, 'kind' | 'store'>;

export const WAREHOUSES: Section<Fields<WarehouseLine>> = {
  kind: 'warehouse',
  columns: 'item.code, item.name, item.active',
  rows: 'warehouses AS item WHERE item.store_id = $1',
  changed: null,
  key: ['item.id'],
  toLine: ({ code, name, active }, { subdomain }) => ({ kind: 'warehouse', store: subdomain, code, name, active }),
};

export const BINS: Section<Fields<BinLine>> = {
  kind: 'bin',
  columns: 'warehouse.code AS warehouse, item.code',
  rows: `bins AS item
    JOIN warehouses AS warehouse ON warehouse.store_id = item.store_id AND warehouse.id = item.warehouse_id
    WHERE item.store_id = $1`,
  changed: null,
  key: ['item.id'],
  toLine: ({ warehouse, code }, { subdomain }) => ({ kind: 'bin', store: subdomain, warehouse, code }),
};

export const BRANDS: Section<Fields<BrandLine>> = {
  kind: 'brand',
  columns: 'item.id, item.slug, item.name, item.logo, item.description, item.active',
  rows: 'brands AS item WHERE item.store_id = $1',
  changed: null,
  key: ['item.id'],
  toLine: ({ id, slug, name, logo, description, active }, { subdomain }) => ({
    kind: 'brand',
    store: subdomain,
    id,
    slug,
    name,
    logo,
    description,
    active,
  }),
};

/** By depth: a parent precedes its children. */
export const CATEGORIES: Section<Fields<CategoryLine>> = {
  kind: 'category',
  columns: `item.id, item.slug, item.name, item.image, item.description, item.display_order AS order,
    parent.slug AS parent, item.active`,
  rows: `(
      WITH RECURSIVE placed AS (
        SELECT store_id, id, 0 AS depth FROM categories WHERE store_id = $1 AND parent_id IS NULL
        UNION ALL
        SELECT child.store_id, child.id, placed.depth + 1
        FROM placed
        JOIN categories AS child ON child.store_id = placed.store_id AND child.parent_id = placed.id
        WHERE child.store_id = $1
      )
      SELECT store_id, id, depth FROM placed
    ) AS place
    JOIN categories AS item ON item.store_id = $1 AND item.id = place.id
    LEFT JOIN categories AS parent ON parent.store_id = item.store_id AND parent.id = item.parent_id
    WHERE place.store_id = $1`,
  changed: null,
  key: ['place.depth', 'item.id'],
  toLine: ({ id, slug, name, image, description, order, parent, active }, { subdomain }) => ({
    kind: 'category',
    store: subdomain,
    id,
    slug,
    name,
    image,
    description,
    order,
    parent,
    active,
  }),
};

interface VariantJson extends Omit<Required<BundleVariant>, 'attributes'> {
  readonly attributes: Readonly<Record<string, string>>;
  readonly attribute_names: readonly string[];
}

interface ProductRow extends Omit<
  Fields<ProductLine>,
  'images' | 'specifications' | 'variants' | 'created_at' | 'updated_at'
> {
  readonly images: readonly BundleImage[];
  readonly specifications: readonly BundleSpecification[];
  readonly variants: readonly VariantJson[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const PRODUCTS: Section<ProductRow> = {
  kind: 'product',
  columns: `item.id, item.slug, item.sku, item.name, item.price, item.status, item.featured, item.description,
    (SELECT slug FROM brands WHERE brands.store_id = item.store_id AND brands.id = item.brand_id) AS brand,
    ARRAY(SELECT category.slug FROM product_categories AS link
      JOIN categories AS category ON category.store_id = link.store_id AND category.id = link.category_id
      WHERE link.store_id = item.store_id AND link.product_id = item.id ORDER BY category.id) AS categories,
    item.images, item.specifications,
    (SELECT coalesce(json_agg(json_build_object('id', variant.id, 'sku', variant.sku, 'name', variant.name,
        'price', variant.price::text, 'attributes', variant.attributes, 'attribute_names', variant.attribute_names,
        'status', variant.status) ORDER BY variant.position, variant.id), '[]')
      FROM product_variants AS variant
      WHERE variant.store_id = item.store_id AND variant.product_id = item.id) AS variants,
    item.created_at, item.updated_at`,
  rows: 'products AS item WHERE item.store_id = $1',
  changed: 'item.updated_at >= $2',
  key: ['item.id'],
  toLine: (row, { subdomain, currency }) => ({
    kind: 'product',
    store: subdomain,
    id: row.id,
    slug: row.slug,
    sku: row.sku,
    name: row.name,
    price: priceOf(row.price, currency),
    status: row.status,
    featured: row.featured,
    description: row.description,
    brand: row.brand,
    categories: row.categories,
    images: row.images.map(({ url, alt }) => ({ url, ...(alt !== undefined && { alt }) })),
    specifications: row.specifications.map(({ name, value }) => ({ name, value })),
    variants: row.variants.map(({ id, sku, name, price, attributes, attribute_names, status }) => ({
      id,
      sku,
      name,
      price: priceOf(price, currency),
      attributes: sortAttributes(attributes, attribute_names),
      status,
    })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }),
};

export const STOCK: Section<Fields<StockLine>> = {
  kind: 'stock',
  columns: `warehouse.code || '/' || bin.code AS bin, product.slug AS product, variant.sku AS variant, item.quantity`,
  rows: `stock AS item
    JOIN bins AS bin ON bin.store_id = item.store_id AND bin.id = item.bin_id
    JOIN warehouses AS warehouse ON warehouse.store_id = bin.store_id AND warehouse.id = bin.warehouse_id
    JOIN products AS product ON product.store_id = item.store_id AND product.id = item.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = item.store_id AND variant.id = item.variant_id
    WHERE item.store_id = $1`,
  changed: `EXISTS (SELECT FROM stock_movements AS moved
    WHERE moved.store_id = item.store_id AND moved.product_id = item.product_id
      AND moved.variant_key = item.variant_key AND moved.bin_id = item.bin_id AND moved.created_at >= $2)`,
  key: ['item.product_id', 'item.variant_key', 'item.bin_id'],
  toLine: ({ bin, product, variant, quantity }, { subdomain }) => ({
    kind: 'stock',
    store: subdomain,
    bin,
    product,
    variant,
    quantity,
  }),
};

/** @param minor minor units as text, because pg returns bigint as text. */
function priceOf(minor: string, currency: Currency): string {
  return toDecimalText(Money.ofMinor(toSafeInteger(minor), currency));
}
