import { CHANGE_KINDS, type ChangeKind } from '@app/application';
import pg from 'pg';
import { PostgresChangeFeed } from '../../libs/infrastructure/src/feed/postgres-change-feed.js';
import { PostgresCustomerRepository } from '../../libs/infrastructure/src/customers/postgres-customer.repository.js';
import { PostgresSkuRepository } from '../../libs/infrastructure/src/catalog/postgres-sku.repository.js';
import { PostgresProductRepository } from '../../libs/infrastructure/src/catalog/postgres-product.repository.js';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { Database } from '../../libs/infrastructure/src/postgres/database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** PostgreSQL makes as many plans with values before it decides for one plan. */
const TRIED = 5;
const CHANGES = 50_000;
const STORE = 1;
const SOME_UUID = '01938c00-0000-7000-8000-000000000000';

describe('the plans of the feed', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(
      `INSERT INTO stores (id, subdomain, name, currency) OVERRIDING SYSTEM VALUE VALUES (${STORE}, 'large', 'Large', 'USD')`,
    );
    // A large store, and ten small ones.
    await database.query(
      `INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
       SELECT store_id, 'categories', n, n, false, now() FROM (
         SELECT $1::int AS store_id, generate_series(1, ${CHANGES}) AS n
         UNION ALL
         SELECT $1::int + 1 + n % 10, n FROM generate_series(1, 500) AS n
       ) AS spread`,
      [STORE],
    );
    await database.query(
      `WITH bought AS (
         INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
           amount, total_amount, customer_name, created_at, updated_at)
         SELECT $1, gen_random_uuid(), n::text, 'POS', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, '', now(), now() FROM generate_series(1, 500) n
       ), known AS (
         INSERT INTO customers (store_id, id, name) SELECT $1, gen_random_uuid(), '' FROM generate_series(1, 500)
       )
       INSERT INTO products (store_id, slug, name, price) SELECT $1, 'p-' || n, '', 1 FROM generate_series(1, 500) n`,
      [STORE],
    );
    await database.query(
      `WITH lines AS (
         INSERT INTO order_lines (store_id, order_id, position, name, unit_price, quantity, line_total)
         SELECT store_id, id, 1, '', 1, 1, 1 FROM orders
       ), stages AS (
         INSERT INTO order_stages (store_id, order_id, stage, state, position) SELECT store_id, id, 'a', 'done', 1 FROM orders
       )
       INSERT INTO product_variants (store_id, product_id, sku, name, price) SELECT store_id, id, 'v', '', 1 FROM products`,
    );
    await database.query('ANALYZE');
  });
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    // The end of the pool does not wait for the goodbye, which the end of the database may overtake.
    pool.on('connect', (client) => client.on('error', () => undefined));
  });
  afterEach(() => pool.end());
  afterAll(() => database.drop());

  it.each<[string, readonly ChangeKind[], number]>([
    ['the first page of one kind', ['categories'], 0],
    ['the last page of one kind', ['categories'], CHANGES - 10],
    ['a page of all kinds', CHANGE_KINDS, CHANGES / 2],
    ['a page without changes', CHANGE_KINDS, CHANGES],
  ])('use one generic plan for pages, even when a connection first reads %s', async (_, kinds, position) => {
    const feed = new PostgresChangeFeed(new Database(pool));
    const query = { kinds, limit: 100 };
    const { next } = await feed.read(STORE, { ...query, after: null });

    for (let n = 1; n < TRIED + 3; n++) await feed.read(STORE, { ...query, after: { ...next, position } });

    expect(await plansOf('changes.page')).toEqual([{ custom: TRIED, generic: 3 }]);
  });

  it.each<[string, (database: Database) => { findByIds(storeId: number, ids: never[]): Promise<unknown> }, unknown]>([
    ['orders', (database) => new PostgresOrderRepository(database), SOME_UUID],
    ['customers', (database) => new PostgresCustomerRepository(database), SOME_UUID],
    ['products', (database) => new PostgresProductRepository(database), 1],
    ['skus', (database) => new PostgresSkuRepository(database), { productId: 1, variantId: null }],
  ])(
    'have one for the records of %s, even when a connection first reads a single one',
    async (kind, repositoryOn, id) => {
      const repository = repositoryOn(new Database(pool));

      for (let n = 0; n < TRIED + 3; n++) await repository.findByIds(STORE, [id as never]);

      expect(await plansOf(`${kind}.find`)).toEqual([{ custom: TRIED, generic: 3 }]);
    },
  );

  async function plansOf(statement: string) {
    const { rows } = await pool.query<{ custom: number; generic: number }>(
      `SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements WHERE statement LIKE $1`,
      [`/* ${statement}%`],
    );
    return rows;
  }
});
