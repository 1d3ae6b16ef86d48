import type { CustomerFilter, OrderFilter, Page, PageOf, ProductFilter } from '@app/application';
import { Database, requestPool } from '@app/infrastructure';
import type pg from 'pg';
// Imports the adapters directly, because the test of pages needs no application around them.
import { PostgresCustomerRepository } from '../../libs/infrastructure/src/customers/postgres-customer.repository.js';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { PostgresProductRepository } from '../../libs/infrastructure/src/catalog/postgres-product.repository.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Up to this row, an adapter skips rows one by one. Beyond it, it finds a page by its day. */
const BORDER = 1_000;
const BIG_CATEGORY = 901;
const SMALL_CATEGORY = 902;

// Three of eight rows are on one day, with six rows per moment. The others are at the last and first millisecond of
// months and days in UTC, at hours around a leap day, years earlier, and in fourteen months of growing density.
const moments = (rows: number) => `
  SELECT n, date_trunc('milliseconds', moment) AT TIME ZONE 'UTC' AS created_at
  FROM generate_series(0, ${rows - 1}) AS n
  CROSS JOIN LATERAL (SELECT CASE n % 8
    WHEN 3 THEN timestamp '2025-05-01' + n / 16 % 14 * interval '1 month' - n / 8 % 2 * interval '1 millisecond'
    WHEN 4 THEN timestamp '2026-03-01' + n / 16 % 40 * interval '1 day' - n / 8 % 2 * interval '1 millisecond'
    WHEN 5 THEN timestamp '2024-02-28 23:59:59.999' + n / 8 % 40 * interval '1 hour'
    WHEN 6 THEN timestamp '2015-06-15' + n / 8 % 100 * interval '17 days'
    WHEN 7 THEN timestamp '2026-06-30 23:59:59.999' - power(n / ${rows}.0, 2)::float8 * interval '420 days'
    ELSE timestamp '2026-03-15' + n / 16 * interval '345.6 seconds'
  END AS moment) AS moments`;

/** SQL for a number below 100. It is the same for the rows with the same number in both stores. */
const percentile = (salt: string) => `(hashtext('${salt}' || n) & 65535) % 100`;

const ORDERS = `
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
    amount, total_amount, customer_name, customer_email, created_at, updated_at)
  SELECT store_id, md5(store_id || '/' || n)::uuid, 'R-' || n,
    CASE WHEN ${percentile('source')} < 70 THEN 'WEBSITE' ELSE 'POS' END,
    CASE WHEN ${percentile('status')} < 70 THEN 'SUCCEEDED' WHEN n % 2 = 0 THEN 'FAILED' ELSE 'PENDING' END,
    CASE WHEN ${percentile('fulfillment')} < 75 THEN 'DELIVERED' ELSE 'RETURNED' END,
    'COD', 'USD', 1, 1, 'Ada', 'c' || n % 50 || '@example.test', created_at, created_at
  FROM unnest($1::int[]) AS store_id CROSS JOIN (${moments(4_000)}) AS made`;

const STAGES = `
  INSERT INTO order_stages (store_id, order_id, stage, state, position)
  SELECT store_id, id, 'notify-customer', CASE WHEN substr(receipt_number, 3)::int % 11 = 0 THEN 'held' ELSE 'done' END, 3
  FROM orders WHERE store_id = ANY ($1::int[])`;

const CUSTOMERS = `
  INSERT INTO customers (store_id, id, name, email, status, created_at)
  SELECT store_id, md5(store_id || '/' || n)::uuid, 'Customer ' || n, 'c' || n || '@example.test',
    CASE WHEN ${percentile('status')} < 50 THEN 'Active' WHEN n % 3 > 0 THEN 'ACTIVE' ELSE 'Blocked' END, created_at
  FROM unnest($1::int[]) AS store_id CROSS JOIN (${moments(2_500)}) AS made`;

const PRODUCTS = `
  INSERT INTO products (store_id, name, slug, price, status, featured, created_at)
  SELECT store_id, 'Product ' || n, 'p-' || n, 1, CASE WHEN n % 9 = 0 THEN 'DRAFT' ELSE 'ACTIVE' END,
    ${percentile('featured')} < 80, created_at
  FROM unnest($1::int[]) AS store_id CROSS JOIN (${moments(2_800)}) AS made`;

const CATEGORIES = `
  INSERT INTO categories (store_id, id, slug, name)
  SELECT store_id, id, id, id FROM unnest($1::int[]) AS store_id, (VALUES (${BIG_CATEGORY}), (${SMALL_CATEGORY})) AS made (id)`;

const PLACES_IN_CATEGORIES = `
  INSERT INTO product_categories (store_id, product_id, category_id)
  SELECT store_id, id, ${BIG_CATEGORY} FROM products WHERE slug ~ '[1234567]$'
  UNION ALL
  SELECT store_id, id, ${SMALL_CATEGORY} FROM products WHERE slug ~ '-7.$'`;

/** Three of four products have available stock. The others have an empty bin or stock in a closed warehouse. */
const STOCK = `
  INSERT INTO stock (store_id, product_id, bin_id, quantity)
  SELECT store_id, products.id, CASE WHEN place < 90 THEN $2::int ELSE $3::int END,
    CASE WHEN place BETWEEN 75 AND 89 THEN 0 ELSE 3 END
  FROM products CROSS JOIN LATERAL (SELECT (hashtext(slug) & 65535) % 100 AS place) AS places
  WHERE store_id = $1`;

// Empties a month, and moves the rows of a day to the day before.
const CHANGES = ['orders', 'customers', 'products'].flatMap((table) => [
  table === 'products'
    ? `UPDATE products SET status = 'ARCHIVED' WHERE created_at >= '2025-11-01Z' AND created_at < '2025-12-01Z'`
    : `DELETE FROM ${table} WHERE created_at >= '2025-11-01Z' AND created_at < '2025-12-01Z'`,
  `UPDATE ${table} SET created_at = created_at - interval '20 hours'
   WHERE created_at >= '2026-03-07Z' AND created_at < '2026-03-08Z'`,
]);

let pool: pg.Pool;
let database: TestDatabase;
let store: StoreFixture;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = requestPool(database.url, 2);
  store = await StoreFixture.create(database);
  const other = await StoreFixture.create(database);
  const statements = [ORDERS, STAGES, CUSTOMERS, PRODUCTS, CATEGORIES];
  for (const statement of statements) await database.query(statement, [[store.id, other.id]]);
  await database.query(PLACES_IN_CATEGORIES);
  const closed = await store.bin(await store.warehouse({ active: false }));
  await database.query(STOCK, [store.id, await store.bin(), closed]);
  for (const statement of CHANGES) await database.query(statement);
  // Autovacuum does the same a minute after the inserts. Without it, a join planned for no rows takes 0.5 s per page.
  await database.query('ANALYZE');
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A list of the store, and the same rows in plain SQL. */
interface List {
  read(page: Page): Promise<PageOf<{ readonly id: string | number }>>;
  readonly from: string;
}

const orders = (filter: OrderFilter, where = 'true'): [string, List] => [
  `orders ${JSON.stringify(filter)}`,
  {
    read: (page) => new PostgresOrderRepository(new Database(pool)).list(store.id, filter, page),
    from: `orders WHERE store_id = $1 AND ${where}`,
  },
];

const customers = (filter: CustomerFilter, where = 'true'): [string, List] => [
  `customers ${JSON.stringify(filter)}`,
  {
    read: (page) => new PostgresCustomerRepository(new Database(pool)).list(store.id, filter, page),
    from: `customers WHERE store_id = $1 AND ${where}`,
  },
];

const products = (filter: ProductFilter, where = 'true'): [string, List] => [
  `products ${JSON.stringify(filter)}`,
  {
    read: (page) => new PostgresProductRepository(new Database(pool)).list(store.id, filter, page),
    from: `products WHERE store_id = $1 AND status = 'ACTIVE' AND ${where}`,
  },
];

const IN_STOCK = `(
  SELECT sum(quantity) FROM stock
  JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
  JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = warehouse_id
  WHERE stock.store_id = $1 AND product_id = products.id AND active) > 0`;
const inCategory = (id: number) => `id IN (SELECT product_id FROM product_categories WHERE category_id = ${id})`;

const UNDER_REVIEW = `id IN (SELECT order_id FROM order_stages WHERE state = 'held')`;

/** Lists with more than `BORDER` rows. */
const LONG_LISTS = [
  orders({}),
  orders({ source: 'website' }, `source = 'WEBSITE'`),
  orders({ status: 'SUCCEEDED' }, `status = 'SUCCEEDED'`),
  orders({ fulfillmentStatus: 'Delivered' }, `fulfillment_status = 'DELIVERED'`),
  orders(
    { source: 'WEBSITE', status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED' },
    `source = 'WEBSITE' AND status = 'SUCCEEDED' AND fulfillment_status = 'DELIVERED'`,
  ),
  orders({ search: 'R-1' }, `receipt_number LIKE 'R-1%'`),
  orders({ held: false }, `NOT ${UNDER_REVIEW}`),
  orders({ held: false, source: 'website' }, `source = 'WEBSITE' AND NOT ${UNDER_REVIEW}`),
  customers({}),
  customers({ status: 'active' }, `status IN ('Active', 'ACTIVE')`),
  customers({ search: 'EXAMPLE' }),
  products({}),
  products({ featured: true }, 'featured'),
  products({ inStock: true }, IN_STOCK),
  products({ featured: true, inStock: true }, `featured AND ${IN_STOCK}`),
  products({ categoryId: BIG_CATEGORY }, inCategory(BIG_CATEGORY)),
  products({ search: 'product' }),
];

const SHORT_LISTS = [
  orders({ source: 'POS', status: 'failed' }, `source = 'POS' AND status = 'FAILED'`),
  orders({ status: 'REFUNDED' }, 'false'),
  orders({ status: 'SUCCEEDED', search: 'c7@' }, `status = 'SUCCEEDED' AND customer_email LIKE '%c7@%'`),
  orders({ held: true }, UNDER_REVIEW),
  orders({ held: true, status: 'failed' }, `status = 'FAILED' AND ${UNDER_REVIEW}`),
  orders({ held: false, search: 'c7@' }, `customer_email LIKE '%c7@%' AND NOT ${UNDER_REVIEW}`),
  customers({ status: 'BLOCKED' }, `status = 'Blocked'`),
  customers({ status: 'BLOCKED', search: 'c1' }, `status = 'Blocked' AND email LIKE '%c1%'`),
  products({ categoryId: SMALL_CATEGORY }, inCategory(SMALL_CATEGORY)),
  products(
    { categoryId: BIG_CATEGORY, featured: true, inStock: true },
    `featured AND ${inCategory(BIG_CATEGORY)} AND ${IN_STOCK}`,
  ),
  products({ categoryId: BIG_CATEGORY, search: '77' }, `name LIKE '%77%' AND ${inCategory(BIG_CATEGORY)}`),
];

async function idsOf({ from }: List): Promise<unknown[]> {
  const rows = await database.query(`SELECT id FROM ${from} ORDER BY created_at DESC, id DESC`, [store.id]);
  return rows.map(({ id }) => id);
}

/** Compares pages with the same part of the whole list. */
async function expectPages(list: List, ids: readonly unknown[], pages: readonly Page[]): Promise<void> {
  const read = await Promise.all(pages.map((page) => list.read(page)));
  const found = read.map(({ rows, total }, index) => ({ ...pages[index], total, ids: rows.map(({ id }) => id) }));

  const slice = ({ page, limit }: Page) => ids.slice((page - 1) * limit, page * limit);
  expect(found).toEqual(pages.map((page) => ({ ...page, total: ids.length, ids: slice(page) })));
}

describe.each(LONG_LISTS)('the pages of %s', (_name, list) => {
  let ids: unknown[];
  beforeAll(async () => (ids = await idsOf(list)));

  it('have no gap or overlap at the row where the adapter changes its method', async () => {
    const around = [1, 7, 50, 100].flatMap((limit) => {
      const last = Math.floor(BORDER / limit);
      return [last - 1, last, last + 1, last + 2].map((page) => ({ page, limit }));
    });

    await expectPages(list, ids, around);
    expect(ids.length).toBeGreaterThan(BORDER + 100);
  });

  it('have the right rows in the middle of the list', async () => {
    const places = [0.5, 0.6, 0.7, 0.8, 0.9].flatMap((part) =>
      [1, 13, 100].map((limit) => ({ page: Math.ceil((part * ids.length) / limit), limit })),
    );

    await expectPages(list, ids, places);
  });
});

describe.each([...LONG_LISTS, ...SHORT_LISTS])('the pages of %s', (_name, list) => {
  let ids: unknown[];
  beforeAll(async () => (ids = await idsOf(list)));

  it('end with the last row, and have the total beyond it as well', async () => {
    const ends = [1, 37, 100].flatMap((limit) => {
      const last = Math.max(1, Math.ceil(ids.length / limit));
      return [last, last + 1, 21_474_836].map((page) => ({ page, limit }));
    });

    await expectPages(list, ids, ends);
  });

  it('contain every row once', async () => {
    const all = Array.from({ length: Math.ceil(ids.length / 100) + 1 }, (_, index) => ({
      page: index + 1,
      limit: 100,
    }));

    await expectPages(list, ids, all);
  });
});
