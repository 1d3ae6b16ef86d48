import { foldTallies } from '@app/infrastructure';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { TallyScene } from '../support/tally-scene.js';

// One statement reads both sides of a comparison, so that they belong to one snapshot.
const ORDERS = `
  WITH counted AS (
    SELECT ARRAY[source, status, fulfillment_status] AS labels, count(*) AS rows FROM orders WHERE store_id = $1 GROUP BY 1
  ), kept AS (
    SELECT labels, sum(rows) AS rows FROM list_counts
    WHERE store_id = $1 AND list = 'orders' AND grain = 'all' GROUP BY labels HAVING sum(rows) <> 0
  )
  SELECT labels, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (labels)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

const ORDERS_BY_PERIOD = `
  WITH counted AS (
    SELECT date_trunc($2, created_at AT TIME ZONE 'UTC')::date AS period, count(*) AS rows
    FROM orders WHERE store_id = $1 GROUP BY 1
  ), kept AS (
    SELECT period, sum(rows) AS rows FROM list_counts
    WHERE store_id = $1 AND list = 'orders' AND grain = $2 GROUP BY period HAVING sum(rows) <> 0
  )
  SELECT period, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (period)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

describe('totals of orders and customers', () => {
  let scene: TallyScene;
  beforeAll(async () => (scene = await TallyScene.create()));
  afterAll(() => scene.stop());

  it('counts orders exactly while writers insert, change and delete them', async () => {
    const { id } = scene.api.store;
    const pick = `(SELECT id FROM orders WHERE store_id = $1 ORDER BY md5(id::text || $2) LIMIT 1)`;
    const insert = `
      INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
        amount, total_amount, customer_name, created_at, updated_at)
      SELECT $1, gen_random_uuid(), 'R-' || gen_random_uuid(), (ARRAY['POS', 'WEBSITE'])[1 + n % 2],
        (ARRAY['PENDING', 'SUCCEEDED', 'FAILED'])[1 + n % 3], 'PENDING', 'COD', 'USD', 1, 1, 'Ada',
        now() - n % 400 * interval '1 day', now()
      FROM generate_series($2::int, $2::int + $3::int) AS n`;
    const before = await scene.deadlocks();

    await scene.storm({
      act: async (draw) => {
        const what = draw(10);
        if (what < 5) await scene.pool.query(insert, [id, draw(1000), draw(20)]);
        else if (what < 8)
          await scene.pool.query(`UPDATE orders SET status = 'REFUNDED' WHERE store_id = $1 AND id = ${pick}`, [
            id,
            draw(1e6),
          ]);
        else if (what < 9)
          await scene.pool.query(
            `UPDATE orders SET created_at = created_at - interval '40 days' WHERE store_id = $1 AND id = ${pick}`,
            [id, draw(1e6)],
          );
        else await scene.pool.query(`DELETE FROM orders WHERE store_id = $1 AND id = ${pick}`, [id, draw(1e6)]);
      },
      check: async () => {
        expect(await scene.differences(ORDERS)).toEqual([]);
        expect(await scene.differences(ORDERS_BY_PERIOD, 'month')).toEqual([]);
        expect(await scene.differences(ORDERS_BY_PERIOD, 'day')).toEqual([]);
      },
    });

    expect(await scene.deadlocks()).toBe(before);
    const [row] = await scene.api.database.query<{ changes: number; orders: number }>(
      `SELECT (SELECT count(*)::int FROM list_tally_changes) AS changes, (SELECT count(*)::int FROM orders) AS orders`,
    );
    expect(row?.orders).toBeGreaterThan(1500);
    expect(row?.changes).toBeLessThan(1000);
    const { pagination } = (await scene.api.get('/v1/orders?status=refunded')).json<{
      pagination: { total: number };
    }>();
    const [refunded] = await scene.api.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM orders WHERE store_id = $1 AND status = 'REFUNDED'`,
      [id],
    );
    expect(pagination.total).toBe(refunded?.count);
  });

  const ADD_CUSTOMER = `
    INSERT INTO customers (store_id, id, status, created_at) VALUES ($1, gen_random_uuid(), 'Active', now())`;
  const CUSTOMERS = `
    SELECT (SELECT count(*) FROM customers WHERE store_id = $1) AS counted,
      (SELECT sum(rows) FROM list_counts WHERE store_id = $1 AND list = 'customers' AND grain = 'all') AS kept`;

  it('counts the change of an open transaction when newer changes are folded before it commits', async () => {
    const slow = await scene.pool.connect();
    await slow.query('BEGIN');
    await slow.query(ADD_CUSTOMER, [scene.api.store.id]);
    await scene.pool.query(ADD_CUSTOMER, [scene.api.store.id]);

    const statements = jest.spyOn(scene.pool, 'query');
    let hasEnded = false;
    const folding = foldTallies(scene.pool, 1).finally(() => (hasEnded = true));
    await eventually(() => {
      // Folding looks for open transactions a second time only when it waits for one.
      const looks = statements.mock.calls.filter(([sql]) => String(sql).includes('tallies.writers'));
      expect(hasEnded || looks.length > 1).toBe(true);
    });
    statements.mockRestore();
    await slow.query('COMMIT');
    slow.release();
    await folding;

    const [totals] = await scene.api.database.query<{ counted: string; kept: string }>(CUSTOMERS, [scene.api.store.id]);
    expect(totals?.kept).toBe(totals?.counted);
    expect(await scene.api.database.query('SELECT FROM list_tally_changes')).toEqual([]);
  });

  it('reads few of the folded changes that an open snapshot keeps', async () => {
    const backup = await scene.pool.connect();
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await backup.query('SELECT count(*) FROM list_tally_changes');
    for (let n = 0; n < 3_000; n += 10) {
      await Promise.all(Array.from({ length: 10 }, () => scene.pool.query(ADD_CUSTOMER, [scene.api.store.id])));
    }

    await foldTallies(scene.pool);

    // A new connection, so that its statistics are of this statement only.
    const reader = new pg.Client({ connectionString: scene.api.database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query(CUSTOMERS, [scene.api.store.id]);
    const { rows } = await reader.query<{ met: number }>(
      `SELECT pg_stat_get_xact_tuples_returned('list_tally_changes_pkey'::regclass)::int AS met`,
    );
    await reader.end();
    await backup.query('COMMIT');
    backup.release();
    expect(rows[0]?.met).toBeLessThan(100);
  });

  it('returns on deep pages the rows that OFFSET selects, with the same total', async () => {
    const expected = await scene.api.database.query<{ id: string }>(
      `SELECT id FROM orders WHERE store_id = $1 ORDER BY created_at DESC, id DESC`,
      [scene.api.store.id],
    );
    const pages = Math.ceil(expected.length / 7);
    for (const page of [143, 144, 145, 150, Math.floor(pages * 0.8), pages - 1, pages, pages + 1, 20_000]) {
      const { data, pagination } = (await scene.api.get(`/v1/orders?limit=7&page=${page}`)).json<{
        data: { id: string }[];
        pagination: { total: number };
      }>();
      expect([page, ...data.map(({ id }) => id)]).toEqual([
        page,
        ...expected.slice((page - 1) * 7, page * 7).map(({ id }) => id),
      ]);
      expect(pagination.total).toBe(expected.length);
    }
  });
});
