import type pg from 'pg';
import type { OrderRequest } from './create-order.js';

const PRICE = `
  SELECT product.id AS product_id, variant.id AS variant_id, product.name, coalesce(variant.sku, product.sku) AS sku,
    coalesce(variant.price, product.price) AS price, coalesce(variant.attributes, '{}') AS attributes, asked.quantity
  FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS asked (product_id, variant_id, quantity, position)
  JOIN products product ON product.store_id = $1 AND product.id = asked.product_id AND product.status = 'ACTIVE'
  LEFT JOIN product_variants variant ON variant.store_id = $1 AND variant.product_id = asked.product_id
    AND variant.id = asked.variant_id AND variant.status = 'ACTIVE'
  ORDER BY asked.position`;

const LOCK = `
  SELECT stock.product_id, stock.variant_key, stock.bin_id, stock.quantity
  FROM stock
  WHERE stock.store_id = $1 AND (stock.product_id, stock.variant_key) IN (SELECT * FROM unnest($2::int[], $3::int[]))
    AND stock.bin_id NOT IN (
      SELECT bins.id FROM warehouses
      JOIN bins ON bins.store_id = warehouses.store_id AND bins.warehouse_id = warehouses.id
      WHERE warehouses.store_id = $1 AND NOT warehouses.active)
  ORDER BY stock.product_id, stock.variant_key, stock.bin_id
  FOR NO KEY UPDATE OF stock`;

const TAKE = `
  UPDATE stock SET quantity = stock.quantity - taken.quantity
  FROM unnest($2::int[], $3::int[], $4::int[], $5::int[]) AS taken (product_id, variant_key, bin_id, quantity)
  WHERE stock.store_id = $1 AND stock.product_id = taken.product_id AND stock.variant_key = taken.variant_key
    AND stock.bin_id = taken.bin_id`;

export interface PricedLine {
  readonly product_id: number;
  readonly variant_id: number | null;
  readonly name: string;
  readonly sku: string;
  /** A bigint, as pg returns it. */
  readonly price: string;
  readonly attributes: unknown;
  readonly quantity: number;
}

interface StockRow {
  readonly product_id: number;
  readonly variant_key: number;
  readonly bin_id: number;
  quantity: number;
}

export async function priceLines(
  client: pg.ClientBase,
  storeId: number,
  items: OrderRequest['items'],
): Promise<PricedLine[]> {
  const asked = [
    items.map(({ product_id }) => product_id),
    items.map(({ variant_id }) => variant_id ?? null),
    items.map(({ quantity }) => quantity),
  ];
  const { rows } = await client.query<PricedLine>({ name: 'price', text: PRICE, values: [storeId, ...asked] });
  if (rows.length !== items.length) throw Object.assign(new Error('Not available'), { statusCode: 422 });
  return rows;
}

/** Takes from the fullest bins first. */
export async function takeStock(client: pg.ClientBase, storeId: number, lines: readonly PricedLine[]): Promise<void> {
  const wanted = [lines.map(({ product_id }) => product_id), lines.map(({ variant_id }) => variant_id ?? 0)];
  const { rows } = await client.query<StockRow>({ name: 'lock', text: LOCK, values: [storeId, ...wanted] });
  const fullestFirst = rows.sort((a, b) => b.quantity - a.quantity || a.bin_id - b.bin_id);
  const taken = new Map<StockRow, number>();
  for (const { product_id, variant_id, quantity } of lines) {
    let outstanding = quantity;
    for (const bin of fullestFirst) {
      if (outstanding === 0) break;
      if (bin.product_id !== product_id || bin.variant_key !== (variant_id ?? 0) || bin.quantity === 0) continue;
      const units = Math.min(bin.quantity, outstanding);
      bin.quantity -= units;
      outstanding -= units;
      taken.set(bin, (taken.get(bin) ?? 0) + units);
    }
    if (outstanding > 0) throw Object.assign(new Error('Out of stock'), { statusCode: 422 });
  }
  const bins = [...taken.keys()];
  const values = [
    storeId,
    bins.map((bin) => bin.product_id),
    bins.map((bin) => bin.variant_key),
    bins.map((bin) => bin.bin_id),
    [...taken.values()],
  ];
  await client.query({ name: 'take', text: TAKE, values });
}
