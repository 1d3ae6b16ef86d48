import pg from 'pg';
import { requestPool } from '../../libs/infrastructure/src/postgres/data-source.js';
import { analyzeGrown } from '../../libs/infrastructure/src/worker/analyze-grown.js';
import { sendAllRequests } from '../support/all-requests.js';
import { eventually } from '../support/eventually.js';
import { planFaults, type NamedStatement } from '../support/plan-faults.js';
import { rowsReadBy, type RunPlan } from '../support/rows-read.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** The last statement of the worker for an order. */
const LAST = 'stages.done';
const MAX_ORDERS = 5_000;

// Hundreds of requests are slow on a busy machine.

describe('the named statements of the service', () => {
  let api: RunningApi;
  let statements: readonly NamedStatement[];
  beforeAll(async () => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const named = () => {
      const calls = sent.mock.calls as unknown as readonly [string | Partial<NamedStatement>][];
      return calls.flatMap(([call]) => (typeof call === 'string' || call.name === undefined ? [] : [call]));
    };
    api = await startApi({ PIPELINE: 'inline', DATABASE_POOL_SIZE: '3' });
    await sendAllRequests(api);
    await eventually(() => expect(named().some(({ name }) => name?.startsWith(LAST))).toBe(true));
    // A savepoint has no plan.
    const planned = named().filter(({ text }) => !text?.includes('SAVEPOINT'));
    statements = [...new Map(planned.map((statement) => [statement.text, statement as NamedStatement])).values()];
    sent.mockRestore();
  });
  afterAll(() => api.stop());

  it('have one plan for all values, on every connection', async () => {
    const pool = api.app.get(pg.Pool);
    const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
    const prepared = await Promise.all(
      clients.map((client) =>
        client.query<{ name: string; custom: number }>(
          '/* test.plans */ SELECT name, custom_plans::int AS custom FROM pg_prepared_statements',
        ),
      ),
    );
    for (const client of clients) client.release();

    const rows = prepared.flatMap((answer) => answer.rows);
    expect(new Set(rows.map(({ name }) => name)).size).toBeGreaterThan(70);
    expect(rows.filter(({ custom }) => custom > 0)).toEqual([]);
  });

  describe('in a catalog that grows', () => {
    let database: TestDatabase;
    let pool: pg.Pool;
    beforeAll(async () => {
      database = await createTestDatabase();
      pool = requestPool(database.url, 1);
      // Triggers are omitted, because they would take most of the time.
      await database.query(
        `INSERT INTO stores (id, subdomain, name, currency) VALUES (1, 'one', '', 'USD'), (2, 'two', '', 'USD');
         INSERT INTO warehouses (store_id, id, code, name) SELECT id, 1, 'MAIN', '' FROM stores;
         INSERT INTO bins (store_id, id, warehouse_id, code) SELECT id, 1, 1, 'A-1' FROM stores`,
      );
    });
    afterAll(async () => {
      await pool.end();
      await database.drop();
    });

    /** Opens a connection that uses generic plans. The check of the service's own statements ignores it. */
    const connect = async () => {
      const client = await pool.connect();
      await client.query(`SET application_name = 'test'; SET plan_cache_mode = force_generic_plan`);
      return client;
    };

    const fill = async (storeId: number, from: number, to: number) => {
      const numbers = `generate_series(${from}, ${to}) AS n`;
      await database.query(
        `BEGIN; SET LOCAL session_replication_role = replica;
         INSERT INTO products (store_id, id, slug, name, price) SELECT ${storeId}, n, n, '', 1 FROM ${numbers};
         INSERT INTO product_variants (store_id, id, product_id, sku, name, price)
           SELECT ${storeId}, n, n, n, '', 1 FROM ${numbers};
         INSERT INTO sellable_units (store_id, product_id, variant_key, sku, in_stock)
           SELECT ${storeId}, n, n, n, true FROM ${numbers};
         INSERT INTO stock (store_id, bin_id, product_id, variant_id, variant_key, quantity) SELECT ${storeId}, 1, n, n, n, 1 FROM ${numbers};
         INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
             amount, total_amount, customer_name, email_key, search_text, created_at)
           SELECT ${storeId}, gen_random_uuid(), n, 'WEBSITE', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, '', '', '', now()
           FROM ${numbers} WHERE n <= ${MAX_ORDERS};
         INSERT INTO order_lines (store_id, order_id, position, name, unit_price, quantity, line_total)
           SELECT store_id, id, 0, '', 1, 1, 1 FROM orders ON CONFLICT DO NOTHING;
         INSERT INTO fraud_assessments (store_id, order_id, verdict, score)
           SELECT store_id, id, 'REVIEW', 0 FROM orders ON CONFLICT DO NOTHING;
         COMMIT; ANALYZE`,
      );
    };

    it('find the time of a change by its key, also while the feed is empty', async () => {
      const timed = statements.filter(({ text }) => text.includes('SELECT changed_at FROM changes AS newest'));
      const client = await connect();
      const plans: [string, string][] = [];
      for (const { name, text } of timed) {
        await client.query(`PREPARE timed AS ${text}`);
        const { rows } = await client.query<{ values: string }>(
          `SELECT array_to_string(array_fill('NULL'::text, ARRAY[cardinality(parameter_types)]), ',') AS values
           FROM pg_prepared_statements WHERE name = 'timed'`,
        );
        const plan = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE timed (${rows[0]?.values})`);
        await client.query('DEALLOCATE timed');
        plans.push([name, JSON.stringify(plan.rows)]);
      }
      client.release();

      expect(plans.length).toBeGreaterThan(4);
      for (const [name, plan] of plans) expect([name, plan]).toEqual([name, expect.stringContaining('changes_pkey')]);
    });

    it.each([
      [20, 'one store', () => fill(1, 1, 20)],
      [20, 'two stores', () => fill(2, 1, 20)],
      [2_000, 'two stores', () => fill(1, 21, 2_000).then(() => fill(2, 21, 2_000))],
      [200_000, 'two stores', () => fill(1, 2_001, 200_000)],
    ])('read few of its rows: %s products in %s', async (_products, _stores, grow) => {
      await grow();
      const client = await connect();
      const faults: string[] = [];
      for (const statement of statements) faults.push(...(await planFaults(client, statement)));
      client.release();

      expect(faults).toEqual([]);
    });

    it('end a stage by its key, also when none was due at the last ANALYZE', async () => {
      await database.query(
        `BEGIN; SET LOCAL session_replication_role = replica;
         INSERT INTO order_stages (store_id, order_id, stage, state)
           SELECT store_id, id, 'notify-merchant', 'done' FROM orders;
         COMMIT; ANALYZE order_stages`,
      );
      const text = statements.find(({ name }) => name.startsWith(LAST))?.text;

      const client = await connect();
      await client.query(`PREPARE ended AS ${text}`);
      const { rows } = await client.query('EXPLAIN (FORMAT JSON) EXECUTE ended (NULL, NULL, NULL, NULL, NULL, NULL)');
      client.release();

      expect(JSON.stringify(rows)).toContain('order_stages_pkey');
    });
  });

  it('read few rows in a store that fills at once, also when they were planned while it was empty', async () => {
    const database = await createTestDatabase();
    const pool = requestPool(database.url, 2);
    const client = await pool.connect();
    await client.query(`SET application_name = 'test'`);
    const orderId = '00000001-0000-7000-8000-000000000000';
    const hot: Readonly<Record<string, string>> = {
      'orders.find': `1, '{${orderId}}'`,
      'orders.history': `1, '${orderId}', 20, 0`,
      'fraud.facts': `1, 'ada-1@example.com', '', '{}', NULL`,
    };
    const explained = async (name: string) => {
      const execute = `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${name}" (${hot[name]})`;
      return rowsReadBy((await client.query<RunPlan>(execute)).rows[0] as RunPlan);
    };
    await database.query(`INSERT INTO stores (id, subdomain, name, currency) VALUES (1, 'one', '', 'USD')`);
    for (const name of Object.keys(hot)) {
      const text = statements.find((statement) => statement.name.startsWith(`${name}#`))?.text;
      await client.query(`PREPARE "${name}" AS ${text}`);
      await explained(name);
    }
    await database.query(
      `WITH numbers AS (
         SELECT n, (lpad(n::text, 8, '0') || '-0000-7000-8000-000000000000')::uuid AS id FROM generate_series(1, 2000) AS n
       ), placed AS (
         INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
           amount, total_amount, customer_name, customer_email, created_at)
         SELECT 1, id, n, 'WEBSITE', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, '', 'ada-' || n || '@example.com', now() FROM numbers
       ), place AS (
         INSERT INTO warehouses (store_id, id, code, name) VALUES (1, 1, 'MAIN', '')
       ), bin AS (
         INSERT INTO bins (store_id, id, warehouse_id, code) VALUES (1, 1, 1, 'A-1')
       ), product AS (
         INSERT INTO products (store_id, id, slug, name, price) VALUES (1, 1, 'mug', '', 1)
       ), stocked AS (
         INSERT INTO stock (store_id, bin_id, product_id, variant_key, quantity) VALUES (1, 1, 1, 0, 1)
       ), moved AS (
         INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
         SELECT 1, 1, 1, 0, id, 'ORDER', -1, 0 FROM numbers
       )
       INSERT INTO order_events (store_id, order_id, actor_type, event) SELECT 1, id, 'system', 'note_added' FROM numbers`,
    );

    await analyzeGrown(pool);

    for (const name of Object.keys(hot)) {
      for (const [table, read] of await explained(name))
        expect([name, table, read <= 20, read]).toEqual([name, table, true, read]);
    }
    client.release();
    await pool.end();
    await database.drop();
  });
});
