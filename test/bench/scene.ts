import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Rig } from '../proof/support/rig.js';
import type { Service } from '../proof/support/service.js';
import type { TestDatabase } from '../support/test-database.js';
import { CpuTime } from './cpu-time.js';
import { seededRandom } from '../support/seeded-random.js';
import { messageOf, startProgram, type Item, type Job, type Load, type Place } from './driver/driver.js';
import { PRODUCTION } from './report.js';
import { RARE_TEXT } from './stores/seed-orders.js';
import { seedStore, settle, type SeededStore } from './stores/seed-store.js';

export const SIDES = ['service', 'bare'] as const;

export interface Side {
  readonly url: string;
  readonly pid: number;
}

export interface Scene {
  readonly database: TestDatabase;
  readonly sides: Readonly<Record<(typeof SIDES)[number], Side>>;
  readonly cpuTime: CpuTime;
  readonly shop: Shop;
  start(): Promise<Service>;
  drive(job: Omit<Job, 'key'>): Promise<Load>;
}

export interface Shop extends SeededStore {
  readonly productIds: readonly number[];
  readonly orderIds: readonly string[];
  readonly emails: readonly string[];
  readonly receiptNumbers: readonly string[];
  /** Every item that can be ordered, including variants, except the hot product. */
  readonly items: readonly Item[];
  readonly places: readonly Place[];
}

const BYSTANDERS = 9;
const ORDERS = 5_000;
const SEARCHES = 1_000;

/** @param orders of the measured store; nine others have a tenth of its size each. */
export async function openScene(rig: Rig, orders: number, seed: number, say: (text: string) => void): Promise<Scene> {
  const { database } = rig;
  say('Loading the stores');
  const store = await seedStore(database, orders, seed);
  for (let n = 0; n < BYSTANDERS; n++) await seedStore(database, orders / 10, seed);
  await database.query(readFileSync(path.join(import.meta.dirname, 'reference/bare.sql'), 'utf8'));
  await settle(database);

  const shop = await getToKnow(database, store, seed);
  const driver = startProgram('driver/main.ts');
  const reference = startProgram('reference/main.ts', { DATABASE_URL: database.url });
  const bare = { url: await messageOf<string>(reference), pid: reference.pid ?? -1 };
  const logFile = rig.server && path.join(rig.server.dataDir, 'service.log');
  const start = (): Promise<Service> => rig.startService({ env: PRODUCTION, ...(logFile !== null && { logFile }) });
  const service = await start();
  return {
    database,
    shop,
    sides: { service, bare },
    cpuTime: new CpuTime(rig),
    start,
    drive: (job) => {
      const load = messageOf<Load>(driver);
      driver.send({ ...job, key: shop.key } satisfies Job);
      return load;
    },
  };
}

async function getToKnow(database: TestDatabase, store: SeededStore, seed: number): Promise<Shop> {
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
  const places = await database.query<Place & { variant_id: number | null }>(
    `SELECT stock.product_id, stock.variant_id, warehouses.code AS warehouse, bins.code AS bin
     FROM stock JOIN bins ON bins.store_id = $1 AND bins.id = bin_id
       JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = warehouse_id
     WHERE stock.store_id = $1 ORDER BY product_id, variant_key, bin_id`,
    [store.id],
  );
  return {
    ...store,
    productIds: products.map(({ id }) => id),
    orderIds: some.map(({ id }) => id),
    emails: emails.slice(0, SEARCHES),
    receiptNumbers: some.slice(0, SEARCHES).map((order) => order.receipt_number),
    items: items.map(withoutNull),
    places: places.map(withoutNull),
  };
}

function withoutNull<T extends { readonly variant_id: number | null }>({ variant_id, ...item }: T) {
  return variant_id === null ? item : { ...item, variant_id };
}
