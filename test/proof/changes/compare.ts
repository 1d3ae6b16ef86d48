import { byPipeline } from '../../../libs/infrastructure/src/orders/order-stages.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { FeedEntry } from '../../support/feed-reader.js';
import type { Follower } from './follower.js';

const forSale = (ofStock: string) => `(
  SELECT coalesce(sum(quantity), 0) FROM stock
  JOIN bins ON bins.store_id = stock.store_id AND bins.id = stock.bin_id
  JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
  WHERE stock.store_id = $1 AND warehouses.active AND ${ofStock})`;

const OF_ACTIVE_VARIANT = `NOT EXISTS (
  SELECT FROM product_variants WHERE store_id = $1 AND id = stock.variant_id AND status <> 'ACTIVE')`;

const TABLES = `
  SELECT 'orders ' || id AS key, concat_ws('|', status, fulfillment_status, notes, (
    SELECT nullif(concat_ws(',', CASE WHEN orders.placed THEN 'fraud-analysis done 1,inventory done 1' END,
      string_agg(stage || ' ' || state || ' ' || attempts, ',' ORDER BY ${byPipeline('order_stages')})), '') FROM order_stages
    WHERE order_stages.store_id = orders.store_id AND order_id = orders.id)) AS content
  FROM orders WHERE store_id = $1
  UNION ALL
  SELECT 'customers ' || id, name FROM customers WHERE store_id = $1
  UNION ALL
  SELECT 'brands ' || id, name FROM brands WHERE store_id = $1
  UNION ALL
  SELECT 'categories ' || id, name FROM categories WHERE store_id = $1
  UNION ALL
  SELECT 'products ' || id, concat_ws('|', name, ${forSale(`product_id = products.id AND ${OF_ACTIVE_VARIANT}`)},
    coalesce((SELECT name FROM brands WHERE brands.store_id = products.store_id AND brands.id = brand_id), ''), (
      SELECT string_agg(category.name, ',' ORDER BY category.name) FROM product_categories AS link
      JOIN categories AS category ON category.store_id = link.store_id AND category.id = link.category_id
      WHERE link.store_id = products.store_id AND link.product_id = products.id))
  FROM products WHERE store_id = $1 AND status = 'ACTIVE'
  UNION ALL
  SELECT 'skus ' || unit.product_id || coalesce('-' || variant.id, ''),
    concat_ws('|', product.name, unit.sku, coalesce(variant.price, product.price),
      ${forSale('product_id = unit.product_id AND variant_key = unit.variant_key')})
  FROM units_for_sale AS unit
  JOIN products AS product ON product.store_id = unit.store_id AND product.id = unit.product_id
  LEFT JOIN product_variants AS variant ON variant.store_id = unit.store_id AND variant.id = unit.variant_key
  WHERE unit.store_id = $1
  UNION ALL
  SELECT concat_ws('-', 'stock ' || stock.product_id, stock.variant_key, stock.bin_id),
    concat_ws('|', coalesce(variant.sku, product.sku), bins.code, stock.quantity)
  FROM stock
  JOIN bins ON bins.store_id = stock.store_id AND bins.id = stock.bin_id
  JOIN products AS product ON product.store_id = stock.store_id AND product.id = stock.product_id
  LEFT JOIN product_variants AS variant ON variant.store_id = stock.store_id AND variant.id = stock.variant_id
  WHERE stock.store_id = $1`;

interface AnyData {
  readonly name?: string;
  readonly status?: string;
  readonly fulfillment_status?: string;
  readonly notes?: string;
  readonly quantity?: number;
  readonly sku?: string;
  readonly bin?: string;
  /** The price in dollars. */
  readonly price?: number;
  readonly pipeline?: readonly { readonly stage: string; readonly state: string; readonly attempts: number }[];
  readonly brand?: { readonly name: string } | null;
  readonly categories?: readonly { readonly name: string }[];
}

export async function differencesOf(
  database: Pick<TestDatabase, 'query'>,
  storeId: number,
  followers: readonly Follower[],
): Promise<string[]> {
  const rows = await database.query<{ key: string; content: string }>(TABLES, [storeId]);
  const wanted = new Map(rows.map(({ key, content }) => [key, content]));
  return followers.flatMap(({ name, copy }) => [
    ...[...wanted].flatMap(([key, content]) => {
      const entry = copy.get(key);
      if (!entry) return [`the copy of ${name} lacks ${key}`];
      const found = contentOf(entry);
      return found === content ? [] : [`the copy of ${name} differs in ${key}: ${found} instead of ${content}`];
    }),
    ...[...copy.keys()].filter((key) => !wanted.has(key)).map((key) => `the copy of ${name} still has ${key}`),
  ]);
}

function contentOf({ kind, data }: FeedEntry): string {
  const row = (data ?? {}) as AnyData;
  if (kind === 'orders') {
    const stages = row.pipeline?.map(({ stage, state, attempts }) => `${stage} ${state} ${attempts}`).join(',');
    return [row.status, row.fulfillment_status, row.notes, ...(stages ? [stages] : [])].join('|');
  }
  if (kind === 'skus') return [row.name, row.sku, Math.round((row.price ?? 0) * 100), row.quantity].join('|');
  if (kind === 'stock') return [row.sku, row.bin, row.quantity].join('|');
  if (kind !== 'products') return String(row.name);
  // The database compares names the same way in the proof, because all of them are ASCII.
  const names = row.categories?.map(({ name }) => name).sort();
  return [row.name, row.quantity, row.brand?.name ?? '', ...(names?.length ? [names.join(',')] : [])].join('|');
}
