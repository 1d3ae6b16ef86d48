import type pg from 'pg';
import { decimal, list, type Page } from './answers.js';
import type { Store } from './keys.js';
import { SKU_TOTAL, type KnownTotals } from './totals.js';

const listWith = (total: string) => `
  SELECT page.*, product.slug, product.name, product.status, coalesce(variant.price, product.price) AS price,
    coalesce(variant.attributes, '{}') AS attributes,
    ${total} AS total,
    (SELECT coalesce(sum(stock.quantity), 0) FROM stock
      WHERE stock.store_id = $1 AND stock.product_id = page.product_id AND stock.variant_key = page.variant_key
        AND stock.bin_id NOT IN (
          SELECT bins.id FROM warehouses
          JOIN bins ON bins.store_id = warehouses.store_id AND bins.warehouse_id = warehouses.id
          WHERE warehouses.store_id = $1 AND NOT warehouses.active)) AS quantity
  FROM (
    SELECT * FROM (
      SELECT sku, product_id, variant_key FROM sellable_units WHERE store_id = $1
      ORDER BY sku COLLATE "C", product_id, variant_key OFFSET $3
    ) AS rest LIMIT 100
  ) AS page
  JOIN products product ON product.store_id = $1 AND product.id = page.product_id
  LEFT JOIN product_variants variant ON variant.store_id = $1 AND variant.id = page.variant_key
  ORDER BY page.sku COLLATE "C", page.product_id, page.variant_key LIMIT $2`;

const LIST = listWith('NULL');
const LIST_AND_TOTAL = listWith(SKU_TOTAL);

interface Row {
  readonly sku: string;
  readonly product_id: number;
  readonly variant_key: number;
  readonly slug: string;
  readonly name: string;
  readonly status: string;
  readonly price: string;
  readonly attributes: unknown;
  readonly quantity: string;
  readonly total: string | null;
}

export async function listSkus(pool: pg.Pool, totals: KnownTotals | null, store: Store, page: Page) {
  const values = [store.id, page.limit, (page.page - 1) * page.limit];
  const { rows } = await pool.query<Row>({ name: 'skus', text: totals ? LIST : LIST_AND_TOTAL, values });
  const data = rows.map(({ sku, product_id, variant_key, slug, name, attributes, price, quantity, status }) => ({
    sku,
    product_id,
    variant_id: variant_key || null,
    product_slug: slug,
    name,
    attributes,
    price: decimal(price),
    quantity: Number(quantity),
    status,
  }));
  return list(data, totals?.skus.get(store.id) ?? Number(rows[0]?.total), page);
}
