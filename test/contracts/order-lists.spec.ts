import type { OrderFilter } from '@app/application';
import { FULFILLMENT_STATUSES, ORDER_SOURCES, PAYMENT_STATUSES } from '@app/domain';
import { Database } from '@app/infrastructure';
import pg from 'pg';
// Imports the adapter directly, because the test of lists needs no application around it.
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const PAGE = { page: 1, limit: 100 };

const ORDERS_OF_LARGE_STORE = 14_000;
const ORDERS_OF_SMALL_STORE = 70;
const SMALL_STORES = 30;

// Every combination of labels equally often, in turn and three at a moment.
const ORDERS = `
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
    amount, total_amount, customer_name, created_at, updated_at)
  SELECT $1::int, md5($1::int || '/' || n)::uuid, 'R-' || $1::int || '-' || substr(md5(n::text), 1, 6) || n, ($2::text[])[1 + n % 2], ($3::text[])[1 + n / 2 % 5],
    ($4::text[])[1 + n / 10 % 7], 'COD', 'USD', 1, 1, 'Ada', now() - n / 3 * interval '1 minute', now()
  FROM generate_series(1, $5) AS n`;

const LABELS = {
  source: { column: 'source', values: ORDER_SOURCES },
  status: { column: 'status', values: PAYMENT_STATUSES },
  fulfillmentStatus: { column: 'fulfillment_status', values: FULFILLMENT_STATUSES },
} as const;

type Label = keyof typeof LABELS;

const COMBINATIONS: readonly (readonly Label[])[] = [
  [],
  ['source'],
  ['status'],
  ['fulfillmentStatus'],
  ['source', 'status'],
  ['source', 'fulfillmentStatus'],
  ['status', 'fulfillmentStatus'],
  ['source', 'status', 'fulfillmentStatus'],
];

describe('the list of orders', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let storeId: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    const labels = [ORDER_SOURCES, PAYMENT_STATUSES, FULFILLMENT_STATUSES];
    for (let n = 0; n <= SMALL_STORES; n++) {
      const { id } = await StoreFixture.create(database);
      if (n === 0) storeId = id;
      await database.query(ORDERS, [id, ...labels, n === 0 ? ORDERS_OF_LARGE_STORE : ORDERS_OF_SMALL_STORE]);
    }
    await database.query('VACUUM ANALYZE');
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
    // The end of the pool does not wait for the goodbye, which the end of the database may overtake.
    pool.on('connect', (client) => client.on('error', () => undefined));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it.each(COMBINATIONS.map((labels) => [labels]))('is read in its order by the given %j', async (labels) => {
    const [filter = {}] = filtersBy(labels);

    for (const page of [1, 2]) {
      const nodes = await planOf((orders) => orders.list(storeId, filter, { ...PAGE, page }));

      expect(nodes.filter((node) => /-> {2}(Incremental )?Sort|(Seq|Heap) Scan on orders/.test(node))).toEqual([]);
      expect(nodes.filter((node) => /Index.* on orders/.test(node)).length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['a whole receipt number', '-1679094'],
    ['a part of one', ''],
  ])('finds %s by the index of searches, whose plan serves large and small stores', async (_, more) => {
    const nodes = await planOf((orders) => orders.list(storeId, { search: `R-1-1679091${more}` }, PAGE));

    expect(
      nodes.filter((node) => /Bitmap Index Scan on/.test(node)).every((node) => node.includes('orders_search')),
    ).toBe(true);
    expect(nodes.filter((node) => /Index Scan using|Seq Scan on orders/.test(node))).toEqual([
      expect.stringContaining('orders_pkey'),
    ]);
  });

  it.each([
    ['receipt numbers', (n: number) => `R-${storeId}-${n}679091`],
    ['e-mails', (n: number) => `ada.${n}@example.com`],
  ])('plans searches for %s once', async (_, term) => {
    const orders = new PostgresOrderRepository(new Database(pool));
    await pool.query('DEALLOCATE ALL');

    for (let n = 0; n < 8; n++) await orders.list(storeId, { search: term(n) }, PAGE);

    const plans = await pool.query(
      `SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements WHERE name LIKE 'orders.search%'`,
    );
    expect(plans.rows).toEqual([{ custom: 5, generic: 3 }]);
  });

  /** The nodes of the plan for all values. */
  async function planOf(ask: (orders: PostgresOrderRepository) => Promise<unknown>): Promise<string[]> {
    const asked: { text: string; values: readonly unknown[] }[] = [];
    const queryPrepared = (text: string, values: readonly unknown[]) => {
      asked.push({ text, values });
      return Promise.resolve([]);
    };
    const recorder = { queryPrepared, search: queryPrepared } as unknown as Database;
    await ask(new PostgresOrderRepository(recorder));
    const [{ text = '', values = [] } = {}] = asked;
    const client = await pool.connect();
    try {
      await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE listed AS ${text}`);
      const literals = values.map((value) => (typeof value === 'number' ? value : pg.escapeLiteral(String(value))));
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN EXECUTE listed (${literals.join()})`);
      return rows.map((row) => row['QUERY PLAN'] ?? '');
    } finally {
      await client.query('DEALLOCATE listed; RESET plan_cache_mode');
      client.release();
    }
  }
});

/** A filter for each combination of the labels' values. */
function filtersBy(labels: readonly Label[]): OrderFilter[] {
  return labels.reduce<OrderFilter[]>(
    (filters, label) =>
      filters.flatMap((filter) => LABELS[label].values.map((value) => ({ ...filter, [label]: value }))),
    [{}],
  );
}
