import { Money, toDecimalText, type Currency } from '@app/domain';
import {
  CUSTOMER_COLUMNS,
  ORDER_COLUMNS,
  orderRecord,
  ruleOf,
  sortAttributes,
  changedSince,
  type OrderColumns,
} from '@app/infrastructure';
import { shownSettings, type StoredSettings } from '../bundle/schema/shown-settings.js';
import type { AnySection, Section } from './snapshot.js';

const STORE: Section<StoredSettings> = {
  kind: 'store',
  columns: `item.id, item.subdomain, item.name, item.custom_domain, item.currency, item.time_zone, item.status,
    item.logo_url, item.primary_color, item.seo_title, item.contact, item.theme, item.payment_settings, item.ecommerce_settings,
    item.fraud_settings, item.charge_settings`,
  rows: 'stores AS item WHERE item.id = $1',
  toFields: (row) => ({ ...row, ...shownSettings(row) }),
};

const WAREHOUSES: Section = {
  kind: 'warehouse',
  columns: 'item.code, item.name, item.active',
  rows: 'warehouses AS item WHERE item.store_id = $1',
};

const BINS: Section = {
  kind: 'bin',
  columns: 'warehouse.code AS warehouse, item.code',
  rows: `bins AS item
    JOIN warehouses AS warehouse ON warehouse.store_id = item.store_id AND warehouse.id = item.warehouse_id
    WHERE item.store_id = $1`,
};

const BRANDS: Section = {
  kind: 'brand',
  columns: 'item.id, item.slug, item.name, item.logo, item.description, item.active',
  rows: 'brands AS item WHERE item.store_id = $1',
};

/** Sorts categories by depth, so that a parent precedes its children. */
const CATEGORIES: Section = {
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
  key: ['place.depth', 'item.id'],
};

interface VariantJson {
  /** Null when the variant has the price of the product. */
  readonly price: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly attribute_names: readonly string[];
}

interface ProductRow {
  /** Minor units as text, because pg returns bigint as text. */
  readonly price: string;
  readonly images: readonly { readonly url: string; readonly alt?: string }[];
  readonly specifications: readonly { readonly name: string; readonly value: string }[];
  readonly variants: readonly VariantJson[];
}

const PRODUCTS: Section<ProductRow> = {
  kind: 'product',
  columns: `item.id, item.slug, item.sku, item.name, item.price, item.status, item.featured, item.description,
    (SELECT slug FROM brands WHERE brands.store_id = item.store_id AND brands.id = item.brand_id) AS brand,
    ARRAY(SELECT category.slug FROM product_categories AS link
      JOIN categories AS category ON category.store_id = link.store_id AND category.id = link.category_id
      WHERE link.store_id = item.store_id AND link.product_id = item.id ORDER BY category.id) AS categories,
    item.images, item.specifications, item.low_stock, item.metadata,
    (SELECT coalesce(json_agg(json_build_object('id', variant.id, 'sku', variant.sku, 'name', variant.name,
        'price', variant.price::text, 'attributes', variant.attributes, 'attribute_names', variant.attribute_names,
        'status', variant.status, 'low_stock', variant.low_stock, 'metadata', variant.metadata) ORDER BY variant.position, variant.id), '[]')
      FROM product_variants AS variant
      WHERE variant.store_id = item.store_id AND variant.product_id = item.id) AS variants,
    item.created_at`,
  rows: 'products AS item WHERE item.store_id = $1',
  // The feed has no position for a product that it has never shown.
  changed: `item.status <> 'ACTIVE' OR ${changedSince('products')}`,
  toFields: (row, { currency }) => ({
    ...row,
    price: priceOf(row.price, currency),
    images: row.images.map(({ url, alt }) => ({ url, ...(alt !== undefined && { alt }) })),
    specifications: row.specifications.map(({ name, value }) => ({ name, value })),
    variants: row.variants.map(({ attribute_names, price, ...variant }) => ({
      ...variant,
      price: price && priceOf(price, currency),
      attributes: sortAttributes(variant.attributes, attribute_names),
    })),
  }),
};

const PRICE_LISTS: Section = {
  kind: 'price_list',
  columns: `item.code, item.name, item.priority, item.valid_from::text, item.valid_to::text, item.customer_groups`,
  rows: 'price_lists AS item WHERE item.store_id = $1',
  key: ['item.code'],
};

const UNIT_SOURCE = `
    JOIN products AS product ON product.store_id = item.store_id AND product.id = item.product_id
    LEFT JOIN product_variants AS variant ON variant.store_id = item.store_id AND variant.id = item.variant_id`;

interface ListPriceRow {
  readonly price_breaks: readonly { readonly from_quantity: number; readonly price: number }[];
  readonly min_quantity: number | null;
  readonly step: number | null;
}

/** A line has the prices of one unit: its row is that of the lowest quantity. */
const LIST_PRICES: Section<ListPriceRow> = {
  kind: 'list_price',
  columns: `item.list, product.slug AS product, variant.sku AS variant,
    (SELECT json_agg(json_build_object('from_quantity', each.from_quantity, 'price', each.price) ORDER BY each.from_quantity)
      FROM list_prices AS each WHERE each.store_id = item.store_id AND each.product_id = item.product_id
        AND each.variant_key = item.variant_key AND each.list = item.list) AS price_breaks,
    rule.min_quantity, rule.step`,
  rows: `list_prices AS item${UNIT_SOURCE}
    LEFT JOIN ${ruleOf('item', 'min_quantity, step')} ON true
    WHERE item.store_id = $1 AND NOT EXISTS (
      SELECT FROM list_prices AS below WHERE below.store_id = item.store_id AND below.product_id = item.product_id
        AND below.variant_key = item.variant_key AND below.list = item.list AND below.from_quantity < item.from_quantity)`,
  key: ['item.list', 'item.product_id', 'item.variant_key'],
  toFields: ({ price_breaks: breaks, min_quantity, step, ...row }, { currency }) => ({
    ...row,
    price_breaks: breaks.map(({ from_quantity, price }) => ({ from_quantity, price: priceOf(price, currency) })),
    ...(step !== null && { min_quantity, step }),
  }),
};

/** The quantity rules of the catalog. Those of price lists are in the lines of their prices. */
const QUANTITY_RULES: Section = {
  kind: 'quantity_rule',
  columns: 'product.slug AS product, variant.sku AS variant, item.min_quantity, item.step',
  rows: `quantity_rules AS item${UNIT_SOURCE}
    WHERE item.store_id = $1 AND item.list = ''`,
  key: ['item.product_id', 'item.variant_key'],
};

const CUSTOMERS: Section = {
  kind: 'customer',
  columns: CUSTOMER_COLUMNS,
  rows: 'customers AS item WHERE item.store_id = $1',
  changed: changedSince('customers'),
};

const ORDERS: Section<OrderColumns> = {
  kind: 'order',
  columns: ORDER_COLUMNS,
  rows: 'orders AS item WHERE item.store_id = $1',
  changed: changedSince('orders'),
  toFields: orderRecord,
};

const STOCK: Section = {
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
      AND moved.variant_key = item.variant_key AND moved.bin_id = item.bin_id AND coalesce(moved.booked_at, moved.created_at) >= $2)`,
  key: ['item.product_id', 'item.variant_key', 'item.bin_id'],
};

export const SECTIONS: readonly AnySection[] = [
  STORE,
  WAREHOUSES,
  BINS,
  BRANDS,
  CATEGORIES,
  PRODUCTS,
  PRICE_LISTS,
  LIST_PRICES,
  QUANTITY_RULES,
  CUSTOMERS,
  ORDERS,
  STOCK,
];

function priceOf(minor: string | number, currency: Currency): string {
  return toDecimalText(Money.ofMinor(Number(minor), currency));
}
