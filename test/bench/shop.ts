import type { TestDatabase } from '../support/test-database.js';
import { seededRandom } from '../support/seeded-random.js';
import type { Item } from './driver/driver.js';
import { RARE_TEXT } from './stores/seed-orders.js';
import type { SeededStore } from './stores/seed-store.js';

/** A store, and the facts that its clients know. */
export interface Shop extends SeededStore {
  readonly productIds: readonly number[];
  readonly orderIds: readonly string[];
  /** Of orders: whole, and none of them a part of another. */
  readonly emails: readonly string[];
  readonly receiptNumbers: readonly string[];
  /** Every item that can be ordered, including variants, except the hot product. */
  readonly items: readonly Item[];
}

const ORDERS = 5_000;
const SEARCHES = 1_000;

export async function getToKnow(database: TestDatabase, store: SeededStore, seed: number): Promise<Shop> {
  const random = seededRandom(seed);
  const products = await database.query<{ id: number }>(
    `SELECT id FROM products WHERE store_id = $1 AND status = 'ACTIVE' ORDER BY id`,
    [store.id],
  );
  const orders = await database.query<{ id: string; receipt_number: string; customer_email: string }>(
    `SELECT id, receipt_number, customer_email FROM orders WHERE store_id = $1 ORDER BY created_at, id`,
    [store.id],
  );
  const some = Array.from({ length: ORDERS }, () => orders[random(orders.length)]).flatMap((order) => order ?? []);
  const emails = some
    .map((order) => order.customer_email)
    .filter((email) => email !== '' && !email.includes(RARE_TEXT));
  const items = await database.query<{ product_id: number; variant_id: number | null }>(
    `SELECT DISTINCT stock.product_id, stock.variant_id
     FROM stock JOIN products product ON product.store_id = stock.store_id AND product.id = stock.product_id
       JOIN bins bin ON bin.store_id = stock.store_id AND bin.id = stock.bin_id
       JOIN warehouses warehouse ON warehouse.store_id = bin.store_id AND warehouse.id = bin.warehouse_id
     WHERE stock.store_id = $1 AND product.status = 'ACTIVE' AND product.id <> $2 AND warehouse.active
     ORDER BY product_id, variant_id`,
    [store.id, store.hotProductId],
  );
  return {
    ...store,
    productIds: products.map(({ id }) => id),
    orderIds: some.map(({ id }) => id),
    emails: emails.slice(0, SEARCHES),
    receiptNumbers: some.slice(0, SEARCHES).map((order) => order.receipt_number),
    items: items.map(({ variant_id, ...item }) => (variant_id === null ? item : { ...item, variant_id })),
  };
}
