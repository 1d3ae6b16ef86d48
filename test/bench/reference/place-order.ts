import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { pool, type Store } from './query.js';

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

const INSERT_ORDER = `
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
    total_amount, customer_name, customer_email, customer_phone, shipping_address, billing_address, notes, created_at,
    updated_at)
  VALUES ($1, $2, $3, 'WEBSITE', 'PENDING', 'PENDING', $4, $5, $6, $6, $7, $8, $9, $10, $10, $11, $12, $12)`;

const INSERT_LINES = `
  INSERT INTO order_lines (store_id, order_id, position, product_id, variant_id, sku, name, attributes, unit_price,
    quantity, line_total)
  SELECT $1, $2, line.position - 1, line.product_id, line.variant_id, line.sku, line.name, line.attributes,
    line.unit_price, line.quantity, line.unit_price * line.quantity
  FROM unnest($3::int[], $4::int[], $5::text[], $6::text[], $7::jsonb[], $8::bigint[], $9::int[]) WITH ORDINALITY
    AS line (product_id, variant_id, sku, name, attributes, unit_price, quantity, position)`;

export interface OrderRequest {
  readonly items: readonly { readonly product_id: number; readonly variant_id?: number; readonly quantity: number }[];
  readonly customer: Readonly<Record<'name' | 'email' | 'phone' | 'address' | 'city' | 'zip', string>>;
  readonly payment_method: string;
  readonly notes?: string;
}

interface PricedLine {
  readonly product_id: number;
  readonly variant_id: number | null;
  readonly name: string;
  readonly sku: string;
  readonly price: number;
  readonly attributes: unknown;
  readonly quantity: number;
}

interface StockRow {
  readonly product_id: number;
  readonly variant_key: number;
  readonly bin_id: number;
  quantity: number;
}

/** Runs seven statements: begin, price, lock, take, order, lines, commit. */
export async function placeOrder(store: Store, request: OrderRequest) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const lines = await priceLines(client, store.id, request.items);
    await takeStock(client, store.id, lines);
    const placed = await insertOrder(client, store, request, lines);
    await client.query('COMMIT');
    client.release();
    return placed;
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
}

async function priceLines(client: pg.ClientBase, storeId: number, items: OrderRequest['items']): Promise<PricedLine[]> {
  const values = [
    storeId,
    items.map(({ product_id }) => product_id),
    items.map(({ variant_id }) => variant_id ?? null),
    items.map(({ quantity }) => quantity),
  ];
  const { rows } = await client.query<PricedLine>({ name: 'price', text: PRICE, values });
  if (rows.length !== items.length) throw Object.assign(new Error('Not available'), { statusCode: 422 });
  return rows;
}

async function takeStock(client: pg.ClientBase, storeId: number, lines: readonly PricedLine[]): Promise<void> {
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

async function insertOrder(client: pg.ClientBase, store: Store, request: OrderRequest, lines: readonly PricedLine[]) {
  const { name, email, phone, address, city, zip } = request.customer;
  const [id, receipt, at] = [uuidv7(), receiptNumber(), new Date()];
  const total = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const place = JSON.stringify({ address, city, zip });
  const { payment_method, notes = '' } = request;
  const who = [name, email, phone, place, notes, at];
  const values = [store.id, id, receipt, payment_method, store.currency, total, ...who];
  await client.query({ name: 'insert-order', text: INSERT_ORDER, values });
  const column = <K extends keyof PricedLine>(key: K) => lines.map((line) => line[key]);
  const columns = [column('product_id'), column('variant_id'), column('sku'), column('name')];
  const attributes = lines.map((line) => JSON.stringify(line.attributes));
  const linesOf = [store.id, id, ...columns, attributes, column('price'), column('quantity')];
  await client.query({ name: 'insert-lines', text: INSERT_LINES, values: linesOf });
  const items = lines.map((line) => ({
    productId: String(line.product_id),
    name: line.name,
    quantity: line.quantity,
    price: line.price / 100,
  }));
  const data = {
    order_id: id,
    receipt_number: receipt,
    subtotal: total / 100,
    total: total / 100,
    payment_method,
    items,
  };
  return { success: true, data };
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns a number as long as the service's, but entirely random: the reference does not retry a number that is taken.
 */
function receiptNumber(): string {
  const part = () => Array.from(randomBytes(6), (byte) => CROCKFORD[byte % 32]).join('');
  return `WEB-${part()}-${part()}`;
}
