import pg from 'pg';
import { findFacts, type RunSql } from '../../libs/infrastructure/src/fraud/find-facts.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const CONTACT = { email: 'ada@example.com', phone: '+1 555 0100', address: { address: '1 Main', city: '', zip: 'N1' } };
const ORDERS = 5_000;

describe('the plans of the fraud facts', () => {
  let api: RunningApi;
  let client: pg.Client;
  beforeAll(async () => {
    api = await startApi();
    client = new pg.Client({ connectionString: api.database.url });
    await client.connect();
    // Ten orders of each buyer in two years: the planner expects fewer orders in the last hour than of one buyer.
    await client.query(
      `INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
         amount, total_amount, customer_name, customer_email, customer_phone, shipping_address, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'OLD-' || n, 'WEBSITE', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, 'Ada',
         'buyer.' || k || '@example.com', '+1 ' || k, jsonb_build_object('address', k || ' Main Street', 'zip', 'N1'), at, at
       FROM generate_series(1, ${ORDERS}) AS n,
         LATERAL (SELECT n % ${ORDERS / 10}, now() - n * interval '3 hours') AS placed (k, at)`,
      [api.store.id],
    );
    await client.query('ANALYZE');
  });
  afterAll(async () => {
    await client.end();
    await api.stop();
  });

  it.each([
    ['fresh', null],
    ['existing', { orderId: '01938c00-0000-7000-8000-000000000000', at: new Date() }],
  ])('for an order that is %s, are made once and read the orders of its contact only', async (name, placed) => {
    const run: RunSql = async <Row>(text: string, values: readonly unknown[]) => {
      const query = () => client.query({ name, text, values: [...values] });
      for (let n = 0; n < 6; n++) await query();
      return (await query()).rows as Row[];
    };
    await findFacts(run, api.store.id, CONTACT, placed);

    const { rows } = await client.query<{ generic: number; types: string[] }>(
      `SELECT generic_plans::int AS generic, parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1`,
      [name],
    );
    expect(rows[0]?.generic).toBeGreaterThan(0);
    await client.query('SET plan_cache_mode = force_generic_plan');
    const nulls = rows[0]?.types.map(() => 'NULL').join();
    const plan = await client.query<Record<string, string>>(`EXPLAIN EXECUTE ${name} (${nulls})`);
    await client.query('RESET plan_cache_mode');
    const indexes = plan.rows.flatMap((row) => /using (orders_\w+)/.exec(row['QUERY PLAN'] ?? '')?.[1] ?? []);
    expect(indexes).toEqual(['orders_by_email', 'orders_by_phone', 'orders_by_address']);
  });

  it('do not look for orders by their source, which a planner without statistics takes for rare', async () => {
    const texts: string[] = [];
    const run: RunSql = async <Row>(text: string, values: readonly unknown[]) => {
      texts.push(text);
      return (await client.query({ text, values: [...values] })).rows as Row[];
    };
    await findFacts(run, api.store.id, CONTACT, null);
    await client.query(
      `BEGIN; DROP INDEX orders_by_email; DELETE FROM pg_statistic WHERE starelid = 'orders'::regclass`,
    );
    await client.query(`SET LOCAL plan_cache_mode = force_generic_plan; PREPARE facts AS ${texts[0] ?? ''}`);

    const { rows } = await client.query<Record<string, string>>('EXPLAIN EXECUTE facts (NULL, NULL, NULL, NULL)');

    await client.query('ROLLBACK; DEALLOCATE facts');
    expect(rows.filter((row) => /Index Cond: .*source/.test(row['QUERY PLAN'] ?? ''))).toEqual([]);
  });
});
