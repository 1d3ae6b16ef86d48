import { execFile } from 'node:child_process';
import { createWriteStream, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { seededRandom } from '../../support/seeded-random.js';
import type { Scene } from '../support/scene.js';

/** The rate at which `cli import` loads the orders of a store. */
export interface ImportRate {
  readonly orders: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly ordersPerSecond: number;
}

const CLI = path.resolve(import.meta.dirname, '../../../dist/apps/cli/src/main.js');
const STORE = 'imported';
const PRODUCTS = 1_000;
const STATUSES = ['SUCCEEDED', 'SUCCEEDED', 'PENDING', 'FAILED', 'REFUNDED'];
const FULFILLMENT = ['DELIVERED', 'DELIVERED', 'SHIPPED', 'PENDING', 'RETURNED'];
const LINES_A_PIECE = 1_000;

/** Imports a store with that many orders into the database, with the operators' command. */
export async function measureImport(scene: Scene, orders: number, seed: number): Promise<ImportRate> {
  const file = scene.file('bundle.ndjson');
  await pipeline(Readable.from(pieces(bundle(orders, seed))), createWriteStream(file));
  const start = performance.now();
  const env = { ...process.env, ...scene.production };
  await promisify(execFile)(process.execPath, [CLI, 'import', file], { env, maxBuffer: 2 ** 28 });
  const seconds = (performance.now() - start) / 1_000;
  const [row] = await scene.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM orders JOIN stores ON stores.id = store_id WHERE subdomain = $1`,
    [STORE],
  );
  if (row?.count !== orders) throw new Error(`The import wrote ${row?.count} of ${orders} orders`);
  return { orders, megabytes: statSync(file).size / 1e6, seconds, ordersPerSecond: orders / seconds };
}

/** Groups lines, because a stream of single lines would mostly measure the stream. */
function* pieces(lines: Iterable<object>): Iterable<string> {
  let piece: string[] = [];
  for (const line of lines) {
    piece.push(`${JSON.stringify(line)}\n`);
    if (piece.length < LINES_A_PIECE) continue;
    yield piece.join('');
    piece = [];
  }
  yield piece.join('');
}

function* bundle(orders: number, seed: number): Iterable<object> {
  const random = seededRandom(seed);
  const store = STORE;
  yield { kind: 'store', subdomain: store, name: 'Imported', currency: 'USD' };
  for (let n = 1; n <= PRODUCTS; n++) {
    yield { kind: 'product', store, slug: `product-${n}`, sku: `P-${n}`, name: `Product ${n}`, price: '12.50' };
  }
  const begin = Date.UTC(2025, 0, 1);
  for (let n = 1; n <= orders; n++) {
    const lines = Array.from({ length: 1 + random(5) }, () => {
      const product = 1 + random(PRODUCTS);
      const [unit_price, quantity] = [1_000 + random(9_000), 1 + random(3)];
      return { product: `product-${product}`, sku: `P-${product}`, name: `Product ${product}`, unit_price, quantity };
    });
    const amount = lines.reduce((sum, { unit_price, quantity }) => sum + unit_price * quantity, 0);
    yield {
      kind: 'order',
      store,
      receipt_number: `IMP-${String(n).padStart(8, '0')}`,
      source: n % 3 === 0 ? 'WEBSITE' : 'POS',
      status: STATUSES[random(STATUSES.length)],
      fulfillment_status: FULFILLMENT[random(FULFILLMENT.length)],
      payment_method: 'CASH',
      currency: 'USD',
      amount,
      total_amount: amount,
      customer_name: `Buyer ${n}`,
      customer_email: `import.${n}@example.com`,
      customer_phone: `+1 555 ${String(n).padStart(7, '0')}`,
      shipping_address: { address: `${n} Harbor Street`, city: 'Portland', zip: '04101' },
      created_at: new Date(begin + n * 30_000).toISOString(),
      line_items: lines,
    };
  }
}
