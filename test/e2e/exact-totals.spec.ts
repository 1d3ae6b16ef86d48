import { foldTallies } from '@app/infrastructure';
import pg from 'pg';
import { seededRandom } from '../support/seeded-random.js';
import { startApi, type RunningApi } from '../support/start-api.js';

// Both sides of a comparison come from one statement, so they are of the same moment.
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

const PRODUCTS = `
  WITH listed AS (
    SELECT 'products' AS list, id FROM products WHERE store_id = $1 AND status = 'ACTIVE'
    UNION ALL
    SELECT 'category ' || link.category_id, id FROM products
    JOIN product_categories link ON link.store_id = products.store_id AND link.product_id = id
    WHERE products.store_id = $1 AND status = 'ACTIVE'
  ), counted AS (
    SELECT list, ARRAY[featured::text, in_stock::text] AS labels, count(*) AS rows
    FROM listed JOIN products USING (id) WHERE store_id = $1 GROUP BY 1, 2
  ), kept AS (
    SELECT list, labels, sum(rows) AS rows FROM list_counts
    WHERE store_id = $1 AND grain = 'all' AND list NOT IN ('orders', 'customers')
    GROUP BY list, labels HAVING sum(rows) <> 0
  )
  SELECT list, labels, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (list, labels)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

const IN_STOCK = `
  SELECT id FROM products WHERE store_id = $1 AND in_stock <> (
    SELECT coalesce(sum(quantity), 0) > 0 FROM stock
    JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
    JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = warehouse_id
    WHERE stock.store_id = $1 AND product_id = products.id AND active)`;

describe('totals', () => {
  let api: RunningApi;
  let pool: pg.Pool;
  beforeAll(async () => {
    api = await startApi();
    pool = new pg.Pool({ connectionString: api.database.url, max: 9 });
  });
  afterAll(async () => {
    await pool.end();
    await api.stop();
  });

  const differences = (sql: string, ...more: unknown[]): Promise<unknown[]> =>
    api.database.query(sql, [api.store.id, ...more]);
  const deadlocks = async () =>
    (
      await pool.query<{ deadlocks: string }>(
        `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`,
      )
    ).rows;

  /** Runs the acts of some writers at the same time, and `look` and the worker's folding again and again meanwhile. */
  async function storm(
    writers: number,
    acts: number,
    act: (draw: (below: number) => number) => Promise<unknown>,
    look: () => Promise<void>,
  ) {
    let stormy = true;
    const watching = (async () => {
      while (stormy) await look();
    })();
    const folding = (async () => {
      while (stormy) await foldTallies(pool, 1);
    })();
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const draw = seededRandom(writer + 1);
        for (let n = 0; n < acts; n++) await act(draw);
      }),
    ).finally(() => (stormy = false));
    await watching;
    await folding;
    await look();
  }

  it('of orders are exact at every moment of a storm of orders, changes and deletions', async () => {
    const { id } = api.store;
    const pick = `(SELECT id FROM orders WHERE store_id = $1 ORDER BY md5(id::text || $2) LIMIT 1)`;
    const insert = `
      INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
        amount, total_amount, customer_name, created_at, updated_at)
      SELECT $1, gen_random_uuid(), 'R-' || gen_random_uuid(), (ARRAY['POS', 'WEBSITE'])[1 + n % 2],
        (ARRAY['PENDING', 'SUCCEEDED', 'FAILED'])[1 + n % 3], 'PENDING', 'COD', 'USD', 1, 1, 'Ada',
        now() - n % 400 * interval '1 day', now()
      FROM generate_series($2::int, $2::int + $3::int) AS n`;
    const before = await deadlocks();

    await storm(
      8,
      60,
      async (draw) => {
        const what = draw(10);
        if (what < 5) await pool.query(insert, [id, draw(1000), draw(20)]);
        else if (what < 8)
          await pool.query(`UPDATE orders SET status = 'REFUNDED' WHERE store_id = $1 AND id = ${pick}`, [
            id,
            draw(1e6),
          ]);
        else if (what < 9)
          await pool.query(
            `UPDATE orders SET created_at = created_at - interval '40 days' WHERE store_id = $1 AND id = ${pick}`,
            [id, draw(1e6)],
          );
        else await pool.query(`DELETE FROM orders WHERE store_id = $1 AND id = ${pick}`, [id, draw(1e6)]);
      },
      async () => {
        expect(await differences(ORDERS)).toEqual([]);
        expect(await differences(ORDERS_BY_PERIOD, 'month')).toEqual([]);
        expect(await differences(ORDERS_BY_PERIOD, 'day')).toEqual([]);
      },
    );

    expect(await deadlocks()).toEqual(before);
    const [row] = await api.database.query<{ changes: number; orders: number }>(
      `SELECT (SELECT count(*)::int FROM list_tally_changes) AS changes, (SELECT count(*)::int FROM orders) AS orders`,
    );
    expect(row?.orders).toBeGreaterThan(1500);
    expect(row?.changes).toBeLessThan(1000);
    const { pagination } = (await api.get('/v1/orders?status=refunded')).json<{ pagination: { total: number } }>();
    const [refunded] = await api.database.query<{ count: number }>(
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

  it('count the change of a transaction that is under way while newer ones are folded', async () => {
    const slow = await pool.connect();
    await slow.query('BEGIN');
    await slow.query(ADD_CUSTOMER, [api.store.id]);
    await pool.query(ADD_CUSTOMER, [api.store.id]);

    const folding = foldTallies(pool, 1);
    await Promise.race([folding, new Promise((resolve) => setTimeout(resolve, 300))]);
    await slow.query('COMMIT');
    slow.release();
    await folding;

    const [totals] = await api.database.query<{ counted: string; kept: string }>(CUSTOMERS, [api.store.id]);
    expect(totals?.kept).toBe(totals?.counted);
    expect(await api.database.query('SELECT FROM list_tally_changes')).toEqual([]);
  });

  it('meet few of the folded changes that an open snapshot keeps', async () => {
    const backup = await pool.connect();
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await backup.query('SELECT count(*) FROM list_tally_changes');
    for (let n = 0; n < 3_000; n += 10) {
      await Promise.all(Array.from({ length: 10 }, () => pool.query(ADD_CUSTOMER, [api.store.id])));
    }

    await foldTallies(pool);

    // A new connection: what it has read is only this.
    const reader = new pg.Client({ connectionString: api.database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query(CUSTOMERS, [api.store.id]);
    const { rows } = await reader.query<{ met: number }>(
      `SELECT pg_stat_get_xact_tuples_returned('list_tally_changes_pkey'::regclass)::int AS met`,
    );
    await reader.end();
    await backup.query('COMMIT');
    backup.release();
    expect(rows[0]?.met).toBeLessThan(100);
  });

  it('of deep pages lead to the same rows as skipping does', async () => {
    const expected = await api.database.query<{ id: string }>(
      `SELECT id FROM orders WHERE store_id = $1 ORDER BY created_at DESC, id DESC`,
      [api.store.id],
    );
    const pages = Math.ceil(expected.length / 7);
    for (const page of [143, 144, 145, 150, Math.floor(pages * 0.8), pages - 1, pages, pages + 1, 20_000]) {
      const { data, pagination } = (await api.get(`/v1/orders?limit=7&page=${page}`)).json<{
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

  it('of products, and whether they are in stock, survive a storm of stock, categories and warehouses', async () => {
    const { store } = api;
    const categories = await Promise.all([store.category(), store.category()]);
    const warehouse = await store.warehouse();
    const products: number[] = [];
    for (let n = 0; n < 12; n++) {
      const product = await store.product({ stock: [1, 1], categoryIds: n % 2 ? categories : [] });
      await store.stock(product, null, [1], warehouse);
      products.push(product);
    }
    const before = await deadlocks();

    await storm(
      8,
      60,
      async (draw) => {
        const product = products[draw(products.length)];
        const values = [store.id, product, draw(3)];
        const what = draw(10);
        if (what < 5)
          await pool.query(
            `UPDATE stock SET quantity = $3::int % 2 WHERE store_id = $1 AND product_id = $2 AND bin_id = (
            SELECT bin_id FROM stock WHERE store_id = $1 AND product_id = $2 ORDER BY bin_id OFFSET $3 LIMIT 1)`,
            values,
          );
        else if (what < 6)
          await pool.query(`UPDATE warehouses SET active = NOT active WHERE store_id = $1 AND id = $2`, [
            store.id,
            warehouse,
          ]);
        else if (what < 7)
          await pool.query(
            `UPDATE products SET featured = NOT featured WHERE store_id = $1 AND id = $2 AND $3 >= 0`,
            values,
          );
        else if (what < 8)
          await pool.query(
            `UPDATE products SET status = (ARRAY['ACTIVE', 'DRAFT', 'ACTIVE'])[1 + $3] WHERE store_id = $1 AND id = $2`,
            values,
          );
        else if (what < 9)
          await pool.query(
            `INSERT INTO product_categories (store_id, product_id, category_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
            [store.id, product, categories[draw(2)]],
          );
        else
          await pool.query(
            `DELETE FROM product_categories WHERE store_id = $1 AND product_id = $2 AND category_id = $3`,
            [store.id, product, categories[draw(2)]],
          );
      },
      async () => {
        expect(await differences(PRODUCTS)).toEqual([]);
        expect(await differences(IN_STOCK)).toEqual([]);
      },
    );

    expect(await deadlocks()).toEqual(before);
  });

  it('know a product as sold out when two transactions empty its last two bins at the same time', async () => {
    const product = await api.store.product({ stock: [1, 1] });
    const [one, two] = [await pool.connect(), await pool.connect()];
    const empty = (client: pg.PoolClient, place: string) =>
      client.query(
        `UPDATE stock SET quantity = 0 WHERE store_id = $1 AND product_id = $2 AND bin_id = (
        SELECT ${place}(bin_id) FROM stock WHERE store_id = $1 AND product_id = $2)`,
        [api.store.id, product],
      );
    await one.query('BEGIN');
    await two.query('BEGIN');

    await empty(one, 'min');
    const second = empty(two, 'max');
    await one.query('COMMIT');
    await second;
    await two.query('COMMIT');
    one.release();
    two.release();

    const [row] = await api.database.query('SELECT in_stock FROM products WHERE id = $1', [product]);
    expect(row).toEqual({ in_stock: false });
    expect(await differences(PRODUCTS)).toEqual([]);
  });

  it.each([
    ['put into', 'INSERT INTO product_categories (store_id, product_id, category_id) VALUES ($1, $2, $3)', false],
    [
      'taken out of',
      'DELETE FROM product_categories WHERE store_id = $1 AND product_id = $2 AND category_id = $3',
      true,
    ],
  ])('count a product once that is %s a category while it changes', async (_, sql, thereBefore) => {
    const category = await api.store.category();
    const product = await api.store.product({ categoryIds: thereBefore ? [category] : [] });
    const [one, two] = [await pool.connect(), await pool.connect()];
    await one.query('BEGIN');
    await one.query(`UPDATE products SET featured = NOT featured WHERE id = $1`, [product]);

    const link = two.query(sql, [api.store.id, product, category]);
    // It waits for the product; without waiting it would be done by then.
    await Promise.race([link, new Promise((resolve) => setTimeout(resolve, 100))]);
    await one.query('COMMIT');
    await link;
    one.release();
    two.release();

    expect(await differences(PRODUCTS)).toEqual([]);
  });

  it('know a product as sold out when its first stock comes into a warehouse that is closed meanwhile', async () => {
    const [product, warehouse] = [await api.store.product(), await api.store.warehouse()];
    const [one, two] = [await pool.connect(), await pool.connect()];
    await one.query('BEGIN');
    await one.query('UPDATE warehouses SET active = false WHERE store_id = $1 AND id = $2', [api.store.id, warehouse]);

    const stocking = two.query(
      `WITH bin AS (INSERT INTO bins (store_id, warehouse_id, code) VALUES ($1, $2, 'NEW') RETURNING id)
       INSERT INTO stock (store_id, product_id, bin_id, quantity) SELECT $1, $3, id, 5 FROM bin`,
      [api.store.id, warehouse, product],
    );
    await Promise.race([stocking, new Promise((resolve) => setTimeout(resolve, 100))]);
    await one.query('COMMIT');
    await stocking;
    one.release();
    two.release();

    expect(await differences(IN_STOCK)).toEqual([]);
  });

  it('forget a product that is deleted, in its categories too', async () => {
    const product = await api.store.product({ categoryIds: [await api.store.category()] });

    await api.database.query('DELETE FROM stock WHERE product_id = $1', [product]);
    await api.database.query('DELETE FROM products WHERE id = $1', [product]);

    expect(await differences(PRODUCTS)).toEqual([]);
  });
});
