import { setTimeout as delay } from 'node:timers/promises';
import { withBundleImporter, type BundleLine } from '@app/bundles';
import pg from 'pg';
import { cipher } from '../../support/bundle-imports.js';
import type { CreatedOrder } from '../../support/start-api.js';
import { Loops } from '../support/loops.js';
import { anyItem, type Shop } from '../support/shop.js';
import { oneOf, orderBody } from '../support/store-setup.js';

const DAY_MS = 86_400_000;

/** A statement whose `$1` is the store and whose `$2` is a number that no other action has. */
type Action = string;

const any = (table: string, where = 'true') =>
  `(SELECT id FROM ${table} WHERE store_id = $1 AND ${where} ORDER BY random() LIMIT 1)`;
const change = (table: string, to: string, where?: string): Action =>
  `UPDATE ${table} SET ${to} WHERE store_id = $1 AND id = ${any(table, where)} AND $2::text <> ''`;
const remove = (table: string, where: string): Action =>
  `DELETE FROM ${table} WHERE store_id = $1 AND id = ${any(table, where)} AND $2::text <> ''`;

export function moved(write: string): Action {
  return `WITH moved AS (${write} RETURNING bin_id, product_id, variant_key)
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
    SELECT $1, bin_id, product_id, variant_key, 'ADJUSTMENT', 1 FROM moved`;
}

const SPARE = `(SELECT id FROM warehouses WHERE store_id = $1 AND code <> 'MAIN')`;

/** What operators, imports and workers do, in small. Rows that the orders of the clients need are not deleted. */
const ACTIONS: readonly Action[] = [
  `INSERT INTO customers (store_id, id, name) VALUES ($1, gen_random_uuid(), 'made ' || $2)`,
  change('customers', `name = 'changed ' || $2`),
  remove('customers', 'true'),
  `INSERT INTO brands (store_id, slug, name) VALUES ($1, 'brand-' || $2, 'made ' || $2)`,
  change('brands', `name = 'changed ' || $2`),
  change('categories', `name = 'changed ' || $2`),
  `INSERT INTO products (store_id, slug, name, price, brand_id)
   VALUES ($1, 'feed-' || $2, 'made ' || $2, 100, ${any('brands')})`,
  `INSERT INTO product_categories (store_id, product_id, category_id)
   SELECT $1, product.id, category.id FROM products AS product, categories AS category
   WHERE product.store_id = $1 AND category.store_id = $1 AND $2::text <> '' ORDER BY random() LIMIT 1
   ON CONFLICT DO NOTHING`,
  change('products', `name = 'changed ' || $2, brand_id = ${any('brands')}`),
  change('products', `status = CASE status WHEN 'ACTIVE' THEN 'DRAFT' ELSE 'ACTIVE' END`, `slug LIKE 'feed-%'`),
  remove(
    'products',
    `slug LIKE 'feed-%' AND NOT EXISTS (SELECT FROM stock WHERE store_id = $1 AND product_id = products.id)`,
  ),
  `INSERT INTO product_variants (store_id, product_id, sku, name, price)
   SELECT $1, id, 'unit-' || $2, 'made', 100 FROM products
   WHERE store_id = $1 AND slug LIKE 'feed-%' ORDER BY random() LIMIT 1`,
  change('product_variants', `price = price + 1`),
  change('product_variants', `status = CASE status WHEN 'ACTIVE' THEN 'INACTIVE' ELSE 'ACTIVE' END`),
  remove('product_variants', `NOT EXISTS (SELECT FROM stock WHERE store_id = $1 AND variant_id = product_variants.id)`),
  moved(
    `INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
     SELECT $1, bin.id, variant.product_id, variant.id, 1 FROM bins AS bin, product_variants AS variant
     WHERE bin.store_id = $1 AND bin.warehouse_id IN ${SPARE} AND variant.store_id = $1 AND $2::text <> ''
     ORDER BY random() LIMIT 1 ON CONFLICT DO NOTHING`,
  ),
  moved(
    `UPDATE stock SET quantity = quantity + 1 WHERE store_id = $1 AND $2::text <> '' AND (bin_id, product_id, variant_key) = (
       SELECT bin_id, product_id, variant_key FROM stock WHERE store_id = $1 AND variant_key > 0 ORDER BY random() LIMIT 1)`,
  ),
  change('warehouses', 'active = NOT active', `id IN ${SPARE}`),
  `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency, amount,
     total_amount, customer_name, created_at)
   VALUES ($1, gen_random_uuid(), 'P-' || $2, 'POS', 'PENDING', 'PENDING', 'CASH', 'USD', 1, 1, 'made', now())`,
  change('orders', `notes = 'changed ' || $2`),
  remove('orders', `source = 'POS'`),
];

/** Writers that work until they are stopped. Deadlocks and lost connections are part of their life. */
export class Writers {
  committed = 0;
  private serial = 0;
  private readonly pool: pg.Pool;
  private readonly loops: Loops;

  /** @param count the total number; a quarter of them places orders, and one imports them. */
  constructor(
    private readonly shop: Shop,
    count: number,
    private readonly databaseUrl = shop.context.rig.database.url,
  ) {
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: count, connectionTimeoutMillis: 5_000 });
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    const act = (n: number) =>
      (n % 4 === 0 ? this.order(n) : n === 1 ? this.import() : this.transact()).then(
        () => this.committed++,
        () => undefined,
      );
    this.loops = new Loops(shop.context.random, count, 60, act);
  }

  async stop(): Promise<void> {
    await this.loops.stop();
    await this.pool.end();
  }

  /** Places an order. Half of them are then cancelled, or paid and refunded. */
  private async order(writer: number): Promise<void> {
    const { random } = this.shop.context;
    const { order_id: id, total } = await this.post<CreatedOrder>(writer, '', orderBody([anyItem(this.shop, 3)]));
    const amount = Math.round(100 * total);
    const fate = random(4);
    if (fate === 0) await this.post(writer, `/${id}/cancel`, { notify: false });
    if (fate !== 1) return;
    await this.post(writer, `/${id}/payments`, { reference: 'P', amount, currency: 'USD' });
    const at = new Date(Date.now() - random(40 * DAY_MS)).toISOString();
    await this.post(writer, `/${id}/refunds`, { reference: 'R', amount: 1 + random(amount), at, notify: false });
  }

  private async post<Data>(writer: number, path: string, body: object): Promise<Data> {
    const { services, store } = this.shop;
    const service = services[writer % services.length];
    const response = await fetch(`${service?.url}/v1/orders${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data: Data };
    if (!response.ok) throw new Error(`orders${path}: ${response.status}`);
    return data;
  }

  /** Imports an order of a point of sale, with a refund, as history. */
  private async import(): Promise<void> {
    const { random } = this.shop.context;
    const [serial, amount] = [++this.serial, random(1_000)];
    const created_at = new Date(Date.now() - random(400 * DAY_MS)).toISOString();
    const line = {
      ...{ kind: 'order', store: this.shop.store.subdomain, receipt_number: `I-${serial}`, source: 'POS' },
      ...{ status: 'SUCCEEDED', fulfillment_status: oneOf(['DELIVERED', 'CANCELLED'], random), payment_method: 'CASH' },
      ...{ currency: 'USD', amount, total_amount: amount, is_test: random(4) === 0, created_at },
      line_items: [{ name: 'sold', unit_price: 1, quantity: 1 + random(5) }],
      refunds: [{ reference: 'R', amount: random(100), at: new Date().toISOString() }],
    } as BundleLine;
    await withBundleImporter(this.databaseUrl, cipher, (importer) => importer.importObjects([line]));
  }

  private async transact(): Promise<void> {
    const { context, store } = this.shop;
    const { random } = context;
    const client = await this.pool.connect();
    const act = () => client.query(oneOf(ACTIONS, random), [store.id, String(++this.serial)]);
    let broken = true;
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = '500ms'`);
      for (let n = random(3); n >= 0; n--) {
        await act();
        await client.query('SAVEPOINT before');
        await act();
        if (random(3) === 0) await client.query('ROLLBACK TO before');
        // Most commits are prompt, some come much later than those of others.
        await delay(random(20) === 0 ? 300 + random(1_200) : random(30));
      }
      if (random(6) === 0) throw new Error('rolled back');
      await client.query('COMMIT');
      broken = false;
    } catch (error) {
      broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
