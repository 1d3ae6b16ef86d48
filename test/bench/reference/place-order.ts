import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import * as sql from './statements.js';

export interface OrderBody {
  readonly items: readonly { readonly product_id: number; readonly variant_id?: number; readonly quantity: number }[];
  readonly customer: {
    readonly name: string;
    readonly email: string;
    readonly phone: string;
    readonly address: string;
    readonly city: string;
    readonly zip: string;
  };
}

interface Priced {
  readonly product_id: number;
  readonly variant_id: number | null;
  readonly name: string;
  readonly sku: string;
  readonly price: string;
  readonly attributes: object;
}

interface Bin {
  readonly product_id: number;
  readonly variant_key: number;
  readonly bin_id: number;
  quantity: number;
}

/** Seven statements: begin, price, lock, take, insert the order, insert its lines, commit. No ledger, no queue. */
export async function placeOrder(pool: pg.Pool, store: { id: number; currency: string }, body: OrderBody) {
  const client = await pool.connect();
  const run = async <Row>(name: string, text: string, values: unknown[]) =>
    (await client.query({ name, text, values })).rows as Row[];
  try {
    // What the service found out, the reference knows: of arrays the server makes a new plan each time, unless told not to.
    await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan');
    const answer = await write(run, store, body);
    await client.query('COMMIT');
    return answer;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

type Run = <Row>(name: string, text: string, values: unknown[]) => Promise<Row[]>;

async function write(run: Run, store: { id: number; currency: string }, { items, customer }: OrderBody) {
  const products = items.map(({ product_id }) => product_id);
  const variants = items.map(({ variant_id }) => variant_id ?? null);
  const priced = await run<Priced>('price', sql.PRICE, [store.id, products, variants]);
  const lines = items.map((item) => {
    const found = priced.find(
      (row) => row.product_id === item.product_id && row.variant_id === (item.variant_id ?? null),
    );
    if (!found) throw new Error('Not in the catalog');
    return { ...found, price: Number(found.price), quantity: item.quantity };
  });

  const bins = await run<Bin>('lock', sql.LOCK, [store.id, products, variants.map((variant) => variant ?? 0)]);
  const taken = lines.map((line) => {
    const bin = bins
      .filter((row) => row.product_id === line.product_id && row.variant_key === (line.variant_id ?? 0))
      .sort((a, b) => b.quantity - a.quantity)[0];
    if (!bin || bin.quantity < line.quantity) throw new Error('Out of stock');
    bin.quantity -= line.quantity;
    return { ...bin, quantity: line.quantity };
  });
  await run('take', sql.TAKE, [
    store.id,
    taken.map(({ product_id }) => product_id),
    taken.map(({ variant_key }) => variant_key),
    taken.map(({ bin_id }) => bin_id),
    taken.map(({ quantity }) => quantity),
  ]);

  const [id, receipt] = [uuidv7(), `WEB-${randomBytes(6).toString('hex')}`];
  const total = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  const { name, email, phone, address, city, zip } = customer;
  const where = JSON.stringify({ address, city, zip });
  await run('insert order', sql.INSERT_ORDER, [
    store.id,
    id,
    receipt,
    store.currency,
    total,
    name,
    email,
    phone,
    where,
  ]);
  await run('insert lines', sql.INSERT_LINES, [
    store.id,
    id,
    lines.map(({ product_id }) => product_id),
    lines.map(({ variant_id }) => variant_id),
    lines.map(({ sku }) => sku),
    lines.map((line) => line.name),
    lines.map(({ attributes }) => JSON.stringify(attributes)),
    lines.map(({ price }) => price),
    lines.map(({ quantity }) => quantity),
  ]);
  return {
    order_id: id,
    receipt_number: receipt,
    subtotal: total / 100,
    total: total / 100,
    payment_method: 'COD',
    items: lines.map((line) => ({
      productId: String(line.product_id),
      name: line.name,
      quantity: line.quantity,
      price: line.price / 100,
    })),
  };
}
