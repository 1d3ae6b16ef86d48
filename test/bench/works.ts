import type { TestDatabase } from '../support/test-database.js';
import type { OrderJob } from './support/drive.js';
import { hotProduct, MEASURED, type Sizes } from './support/seed.js';

/** One kind of request that is measured. */
export interface Work {
  readonly name: string;
  readonly title: string;
  /** Requests per second, of the reference's. */
  readonly goal: number;
  readonly connections: number;
  readonly paths: readonly string[];
  readonly orders?: Omit<OrderJob, 'series'>;
  /** Of p50, that p99 may be. */
  readonly tailGoal?: number;
}

/** Different requests of each kind: nothing is asked for once and remembered. */
const VARIETY = 500;

export async function works(database: TestDatabase, sizes: Sizes, random: () => number): Promise<Work[]> {
  const ids = async (sql: string) =>
    (await database.query<{ id: string }>(`${sql} ORDER BY md5(id::text) LIMIT ${VARIETY}`, [MEASURED])).map(
      ({ id }) => id,
    );
  const orderIds = await ids('SELECT id FROM orders WHERE store_id = $1');
  const receipts = await ids(`SELECT receipt_number AS id FROM orders WHERE store_id = $1 AND source = 'WEBSITE'`);
  const emails = await ids('SELECT customer_email AS id FROM orders WHERE store_id = $1');
  const productIds = await ids(`SELECT id FROM products WHERE store_id = $1 AND status = 'ACTIVE'`);
  const pages = Array.from({ length: 20 }, () => 1 + Math.floor(random() * 20));
  const sellable = await database.query<{ id: number }>(
    `SELECT id FROM products WHERE store_id = $1 AND status = 'ACTIVE' AND in_stock AND id <= $2`,
    [MEASURED, sizes.products],
  );
  const read = (name: string, title: string, paths: readonly string[]): Work => ({
    name,
    title,
    goal: 1,
    connections: 32,
    paths,
  });
  return [
    read(
      'W1',
      'list 50 products',
      pages.map((page) => `/v1/products?limit=50&page=${page}`),
    ),
    read(
      'W2',
      'one product, full',
      productIds.map((id) => `/v1/products/${id}`),
    ),
    read(
      'W3',
      'list 50 orders, newest first, exact total',
      pages.map((page) => `/v1/orders?limit=50&page=${page}`),
    ),
    read(
      'W4',
      'one order, full',
      orderIds.map((id) => `/v1/orders/${id}`),
    ),
    read('W5', 'search orders by receipt number or e-mail', [...receipts, ...emails].sort().map(searchFor)),
    read('W8', 'the store', ['/v1/store']),
    {
      name: 'W6',
      title: 'POST an order of 3 lines, spread catalog',
      goal: 0.7,
      connections: 32,
      paths: [],
      orders: { products: sellable.map(({ id }) => [id, 2 * id]), lines: 3 },
    },
    {
      name: 'W7',
      title: 'POST on one hot product with 5 bins, 64 clients',
      goal: 0.7,
      connections: 64,
      paths: [],
      orders: { products: [[hotProduct(sizes), null]], lines: 1 },
      tailGoal: 10,
    },
  ];
}

const searchFor = (text: string) => `/v1/orders?limit=50&search=${encodeURIComponent(text)}`;
