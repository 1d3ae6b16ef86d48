import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { decimal, single } from './answers.js';
import type { Store } from './keys.js';
import { priceLines, takeStock, type PricedLine } from './order-lines.js';

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

/** Seven statements: begin, price, lock, take, order, lines, commit. */
export async function createOrder(pool: pg.Pool, store: Store, request: OrderRequest) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const lines = await priceLines(client, store.id, request.items);
    await takeStock(client, store.id, lines);
    const created = await insertOrder(client, store, request, lines);
    await client.query('COMMIT');
    client.release();
    return created;
  } catch (error) {
    // Closing the connection rolls back.
    client.release(true);
    throw error;
  }
}

async function insertOrder(client: pg.ClientBase, store: Store, request: OrderRequest, lines: readonly PricedLine[]) {
  const { name, email, phone, address, city, zip } = request.customer;
  const [id, at] = [uuidv7(), new Date()];
  const receipt = receiptNumber();
  const total = lines.reduce((sum, { price, quantity }) => sum + Number(price) * quantity, 0);
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
  return single({
    order_id: id,
    receipt_number: receipt,
    subtotal: total / 100,
    total: total / 100,
    payment_method,
    items: lines.map((line) => ({
      productId: String(line.product_id),
      name: line.name,
      quantity: line.quantity,
      price: decimal(line.price),
    })),
  });
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** As long as the service's numbers, but entirely random: the reference does not retry a number that is taken. */
function receiptNumber(): string {
  const part = () => Array.from(randomBytes(6), (byte) => CROCKFORD[byte % 32]).join('');
  return `WEB-${part()}-${part()}`;
}
