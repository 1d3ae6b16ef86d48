import {
  NEWEST_FIRST,
  OrderRepository,
  SkuRepository,
  type CustomerFilter,
  type OrderFilter,
  type Page,
  type PageOf,
  type ProductFilter,
  type Sort,
} from '@app/application';
import { Database, foldTallies, numberChanges, requestPool } from '@app/infrastructure';
import pg from 'pg';
import { PostgresCustomerRepository } from '../../libs/infrastructure/src/customers/postgres-customer.repository.js';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { PostgresProductRepository } from '../../libs/infrastructure/src/catalog/postgres-product.repository.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { movedOrders } from '../support/moved-orders.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { pagesReadBy, type RunPlan } from '../support/rows-read.js';
import { WRONG_ORDER_SUMS } from '../support/order-sums.js';
import { TallyScene } from '../support/tally-scene.js';

let base: TallyScene;
beforeAll(async () => (base = await TallyScene.create()));
afterAll(() => base.stop());

// A single statement reads both sides of a comparison, so that they belong to one snapshot.
const ORDER_TOTALS = `
  WITH counted AS (
    SELECT ARRAY[source, status, fulfillment_status, CASE WHEN is_test THEN 'TEST' ELSE 'LIVE' END,
      CASE WHEN held_reasons IS NULL THEN 'OPEN' ELSE 'HELD' END] AS labels, count(*) AS rows FROM orders WHERE store_id = $1 GROUP BY 1
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
  beforeAll(async () => (scene = await base.withStore()));

  it('counts orders exactly while writers insert, change and delete them', async () => {
    const { id } = scene.api.store;
    const pick = `(SELECT id FROM orders WHERE store_id = $1 ORDER BY md5(id::text || $2) LIMIT 1)`;
    const insert = `
      WITH placed AS (
        INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
          amount, total_amount, units, customer_name, is_test, created_at)
        SELECT $1, gen_random_uuid(), 'R-' || gen_random_uuid(), (ARRAY['POS', 'WEBSITE'])[1 + n % 2],
          (ARRAY['PENDING', 'SUCCEEDED', 'FAILED'])[1 + n % 3], 'PENDING', 'COD', 'USD', n, n - 500, 1 + n % 3, 'Ada',
          n % 7 = 0, now() - n % 400 * interval '1 day'
        FROM generate_series($2::int, $2::int + $3::int) AS n RETURNING id, units
      )
      INSERT INTO order_lines (store_id, order_id, position, name, unit_price, quantity, line_total)
      SELECT $1, id, 0, '', 1, units, 1 FROM placed`;
    const refund = `
      WITH refunded AS (
        INSERT INTO refunds (store_id, order_id, reference, number, amount, at)
        SELECT $1, id, $2::text, 1, 7, now() - interval '20 days' FROM orders
        WHERE store_id = $1 AND id = ${pick} AND status IN ('REFUNDED', 'CANCELLED')
        ON CONFLICT DO NOTHING RETURNING order_id
      )
      INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
      SELECT $1, order_id, 'system', 'refunded', $2 FROM refunded`;
    const before = await scene.deadlocks();

    await scene.storm({
      act: (draw) => {
        const what = draw(12);
        if (what < 5) return scene.pool.query(insert, [id, draw(1000), draw(20)]);
        if (what === 5) return scene.pool.query(refund, [id, String(draw(1e6))]);
        const change =
          what < 10
            ? null
            : what < 11
              ? `UPDATE orders SET created_at = created_at - interval '40 days', total_amount = total_amount + 9`
              : 'DELETE FROM orders';
        const condition = `store_id = $1 AND id = ${pick}`;
        const status = what < 8 ? 'REFUNDED' : 'CANCELLED';
        const isFree = `status NOT IN ('REFUNDED', 'CANCELLED')`;
        const statement =
          change === null
            ? movedOrders({ status }, `${condition} AND ${isFree}`)
            : // An order with an event cannot be deleted. PostgreSQL checks the conditions again once it has waited for the row.
              `${change} WHERE ${condition} AND ${isFree}`;
        return scene.pool.query(statement, [id, draw(1e6)]);
      },
      check: async () => {
        expect(await scene.differences(ORDER_TOTALS)).toEqual([]);
        expect(await scene.differences(ORDERS_BY_PERIOD, 'month')).toEqual([]);
        expect(await scene.differences(ORDERS_BY_PERIOD, 'day')).toEqual([]);
        expect(await scene.differences(WRONG_ORDER_SUMS)).toEqual([]);
      },
    });

    expect(await scene.deadlocks()).toBe(before);
    const [row] = await scene.api.database.query<{ changes: number; orders: number }>(
      `SELECT (SELECT count(*)::int FROM list_tally_changes) AS changes, (SELECT count(*)::int FROM orders) AS orders`,
    );
    expect(row?.orders).toBeGreaterThan(1500);
    expect(row?.changes).toBeLessThan(1000);
    const orders = scene.api.app.get(OrderRepository, { strict: false });
    const { total } = await orders.list(id, { status: ['REFUNDED'] }, { page: 1, limit: 1 });
    const [refunded] = await scene.api.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM orders WHERE store_id = $1 AND status = 'REFUNDED'`,
      [id],
    );
    expect(total).toBe(refunded?.count);
  });

  const ADD_CUSTOMER = `
    INSERT INTO customers (store_id, id, status, created_at) VALUES ($1, gen_random_uuid(), 'Active', now())`;
  const CUSTOMER_TOTALS = `
    SELECT (SELECT count(*) FROM customers WHERE store_id = $1) AS counted,
      (SELECT sum(rows) FROM list_counts WHERE store_id = $1 AND list = 'customers' AND grain = 'all') AS kept`;

  it('counts the change of an open transaction when newer changes are folded before it commits', async () => {
    const slow = await scene.pool.connect();
    await slow.query('BEGIN');
    await slow.query(ADD_CUSTOMER, [scene.api.store.id]);
    await scene.pool.query(ADD_CUSTOMER, [scene.api.store.id]);

    const statements = vi.spyOn(scene.pool, 'query');
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

    const totals = () =>
      scene.api.database.query<{ counted: string; kept: string }>(CUSTOMER_TOTALS, [scene.api.store.id]);
    const [notFolded] = await totals();
    expect(notFolded?.kept).toBe(notFolded?.counted);
    await foldTallies(scene.pool, 1);
    expect(await totals()).toEqual([notFolded]);
    expect(await scene.api.database.query('SELECT FROM list_tally_changes')).toEqual([]);
  });

  // A writer of this isolation level folds nothing.
  const addCustomers = (count: number) => `
    BEGIN ISOLATION LEVEL REPEATABLE READ;
    INSERT INTO customers (store_id, id, status, created_at)
    SELECT %, gen_random_uuid(), 'Active', now() - n * interval '1 day' FROM generate_series(1, ${count}) AS n;
    COMMIT`;
  const changesOf = async (storeId: number) =>
    (await base.api.database.query('SELECT FROM list_tally_changes WHERE store_id = $1', [storeId])).length;

  it('are folded in batches, and those of another store between two of them', async () => {
    const { store: busy, database } = (await base.withStore()).api;
    const { store: next } = (await base.withStore()).api;
    await foldTallies(base.pool, 1);
    await database.query(addCustomers(2_100).replace('%', `${busy.id}`));
    await database.query(addCustomers(1).replace('%', `${next.id}`));
    const folded: [number, number][] = [];
    const pool = {
      query: async (text: string, values: [number]) => {
        const before = await changesOf(busy.id);
        const result = await base.pool.query(text, values);
        if (text.includes('tallies.fold ')) folded.push([values[0], before - (await changesOf(busy.id))]);
        return result;
      },
    };

    await foldTallies(pool as never, 1);

    expect(folded).toEqual([
      [busy.id, 1_000],
      [next.id, 0],
      [busy.id, 1_000],
      [busy.id, 100],
    ]);
  });

  it('are folded although another transaction folds those of one store, which stay after the mark', async () => {
    const { store: taken, database } = (await base.withStore()).api;
    const { store: next } = (await base.withStore()).api;
    await database.query(addCustomers(10).replace('%', `${taken.id}`));
    await database.query(addCustomers(10).replace('%', `${next.id}`));
    const other = await openTransaction(
      database,
      `SELECT pg_advisory_xact_lock(hashtext('list_tally_changes'), ${taken.id})`,
    );

    await foldTallies(base.pool, 1);

    expect([await changesOf(taken.id), await changesOf(next.id)]).toEqual([10, 0]);
    expect(await database.query(CUSTOMER_TOTALS, [taken.id])).toEqual([{ counted: '10', kept: '10' }]);
    await other.end();
    await foldTallies(base.pool, 1);
    expect(await changesOf(taken.id)).toBe(0);
    expect(await database.query(CUSTOMER_TOTALS, [taken.id])).toEqual([{ counted: '10', kept: '10' }]);
  });

  // Each change folds with a probability of 1/64: none of a thousand does so once in seven million runs.
  it.each([
    ['folds', 'READ COMMITTED', 0],
    ['leaves', 'REPEATABLE READ', 1_000],
  ])('%s the changes of a writer of the isolation level %s', async (_verb, level, left) => {
    const { store, database } = (await base.withStore()).api;
    const insert = `
      INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
        amount, total_amount, customer_name, created_at)
      SELECT ${store.id}, gen_random_uuid(), 'R-' || n, 'POS', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, 'Ada',
        now() - n * interval '1 day'
      FROM generate_series(1, 1000) AS n`;

    await database.query(`BEGIN ISOLATION LEVEL ${level}; ${insert}; COMMIT`);

    expect(await database.query('SELECT FROM list_tally_changes WHERE store_id = $1', [store.id])).toHaveLength(left);
  });

  it('reads few of the folded changes that an open snapshot keeps', async () => {
    const backup = await scene.pool.connect();
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await backup.query('SELECT count(*) FROM list_tally_changes');
    for (let n = 0; n < 1_000; n += 10) {
      await Promise.all(Array.from({ length: 10 }, () => scene.pool.query(ADD_CUSTOMER, [scene.api.store.id])));
    }

    await foldTallies(scene.pool);

    // A new connection, so that its statistics are of this statement only.
    const reader = new pg.Client({ connectionString: scene.api.database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query(CUSTOMER_TOTALS, [scene.api.store.id]);
    const { rows } = await reader.query<{ met: number }>(
      `SELECT pg_stat_get_xact_tuples_returned('list_tally_changes_pkey'::regclass)::int AS met`,
    );
    await reader.end();
    await backup.query('COMMIT');
    backup.release();
    expect(rows[0]?.met).toBeLessThan(100);
  });
});

const PRODUCT_TOTALS = `
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
    WHERE store_id = $1 AND grain = 'all' AND list NOT IN ('orders', 'customers', 'skus', 'stock') AND list NOT LIKE ALL ('{bin %,warehouse %}')
    GROUP BY list, labels HAVING sum(rows) <> 0
  )
  SELECT list, labels, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (list, labels)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

const STOCK_FLAGS = `
  SELECT id FROM products WHERE store_id = $1 AND in_stock <> (
    SELECT coalesce(sum(quantity), 0) > 0 FROM stock
    JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
    JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = warehouse_id
    LEFT JOIN product_variants AS variant ON variant.store_id = stock.store_id AND variant.id = variant_id
    WHERE stock.store_id = $1 AND stock.product_id = products.id AND active AND variant.status IS DISTINCT FROM 'INACTIVE')`;

type Statement = readonly [sql: string, values: unknown[]];

describe('totals of products', () => {
  let scene: TallyScene;
  beforeAll(async () => (scene = await base.withStore()));

  async function overlap(first: Statement, second: Statement): Promise<void> {
    const client = await scene.pool.connect();
    await client.query('BEGIN');
    await client.query(...first);

    let hasEnded = false;
    const running = scene.pool.query(...second).finally(() => (hasEnded = true));
    await eventually(async () => expect(hasEnded || (await lockWaits(scene.api.database)) === 1).toBe(true));
    await client.query('COMMIT');
    client.release();
    await running;
  }

  it('marks a product as sold out when two concurrent transactions empty its last two bins', async () => {
    const product = await scene.api.store.product({ stock: [1, 1] });
    const empty = (place: 'min' | 'max'): Statement => [
      `UPDATE stock SET quantity = 0 WHERE store_id = $1 AND product_id = $2 AND bin_id = (
        SELECT ${place}(bin_id) FROM stock WHERE store_id = $1 AND product_id = $2)`,
      [scene.api.store.id, product],
    ];

    await overlap(empty('min'), empty('max'));

    const [row] = await scene.api.database.query('SELECT in_stock FROM products WHERE id = $1', [product]);
    expect(row).toEqual({ in_stock: false });
    expect(await scene.differences(PRODUCT_TOTALS)).toEqual([]);
  });

  it.each([
    ['added to', 'INSERT INTO product_categories (store_id, product_id, category_id) VALUES ($1, $2, $3)', false],
    [
      'removed from',
      'DELETE FROM product_categories WHERE store_id = $1 AND product_id = $2 AND category_id = $3',
      true,
    ],
  ])('counts a product once when it is %s a category while another transaction changes it', async (_, sql, isIn) => {
    const category = await scene.api.store.category();
    const product = await scene.api.store.product({ categoryIds: isIn ? [category] : [] });

    await overlap(
      ['UPDATE products SET featured = NOT featured WHERE id = $1', [product]],
      [sql, [scene.api.store.id, product, category]],
    );

    expect(await scene.differences(PRODUCT_TOTALS)).toEqual([]);
  });

  it('marks a product as sold out when its last units enter the bin of a variant that is being deactivated', async () => {
    const { store } = scene.api;
    const product = await store.product();
    const variant = await store.variant(product, { stock: 0 });

    await overlap(
      [`UPDATE product_variants SET status = 'INACTIVE' WHERE store_id = $1 AND id = $2`, [store.id, variant]],
      ['UPDATE stock SET quantity = 5 WHERE store_id = $1 AND variant_id = $2', [store.id, variant]],
    );

    expect(await scene.differences(STOCK_FLAGS)).toEqual([]);
    expect(await scene.differences(PRODUCT_TOTALS)).toEqual([]);
  });

  it('marks a product as sold out when its first stock enters a warehouse that is being closed', async () => {
    const { store } = scene.api;
    const [product, warehouse] = [await store.product(), await store.warehouse()];

    await overlap(
      ['UPDATE warehouses SET active = false WHERE store_id = $1 AND id = $2', [store.id, warehouse]],
      [
        `WITH bin AS (INSERT INTO bins (store_id, warehouse_id, code) VALUES ($1, $2, 'NEW') RETURNING id)
         INSERT INTO stock (store_id, product_id, bin_id, quantity) SELECT $1, $3, id, 5 FROM bin`,
        [store.id, warehouse, product],
      ],
    );

    expect(await scene.differences(STOCK_FLAGS)).toEqual([]);
  });
});

const UNITS = `
  WITH kept AS (SELECT product_id, variant_key, sku, in_stock FROM sellable_units WHERE store_id = $1),
  actual AS (
    SELECT product_id, variant_key, sku, is_unit_in_stock($1, product_id, variant_key) AS in_stock
    FROM units_for_sale WHERE store_id = $1
  )
  (TABLE kept EXCEPT TABLE actual) UNION ALL (TABLE actual EXCEPT TABLE kept)`;

const SKU_TOTALS = `
  WITH counted AS (
    SELECT in_stock::text AS label, count(*) AS rows FROM sellable_units WHERE store_id = $1 GROUP BY 1
  ), kept AS (
    SELECT labels[1] AS label, sum(rows) AS rows FROM list_counts
    WHERE store_id = $1 AND list = 'skus' AND grain = 'all' GROUP BY 1 HAVING sum(rows) <> 0
  )
  SELECT label, counted.rows AS counted, kept.rows AS kept FROM counted FULL JOIN kept USING (label)
  WHERE counted.rows IS DISTINCT FROM kept.rows`;

describe('totals of products and SKUs', () => {
  let scene: TallyScene;
  beforeAll(async () => (scene = await base.withStore()));

  it('stay exact while writers change products, variants, categories, stock and warehouses', async () => {
    const { store } = scene.api;
    const warehouse = await store.warehouse();
    const categoryIds = await Promise.all([store.category(), store.category()]);
    const category = `(SELECT id FROM categories WHERE store_id = $1 ORDER BY id OFFSET $3 % 2 LIMIT 1)`;
    const products: number[] = [];
    for (let n = 0; n < 12; n++) {
      // Units of a third of the products are those of their variants.
      const stock = n % 3 === 1 ? [0, 0] : [1, 1];
      const product = await store.product({ sku: `S-${n}`, stock, categoryIds: n % 2 ? categoryIds : [] });
      await store.stock(product, null, [n % 3 === 1 ? 0 : 1], warehouse);
      if (n % 2 || n % 3 === 1)
        for (const size of [1, 2]) await store.variant(product, { sku: `S-${n}-${size}`, stock: [1, 0] });
      products.push(product);
    }
    const before = await scene.deadlocks();

    await scene.storm({
      act: async (draw) => {
        const product = products[draw(products.length)];
        const values = [store.id, product, draw(30)];
        const acts = [
          `UPDATE stock SET quantity = $3::int % 2 WHERE store_id = $1 AND product_id = $2 AND (variant_key, bin_id) = (
             SELECT variant_key, bin_id FROM stock WHERE store_id = $1 AND product_id = $2
             ORDER BY variant_key DESC, bin_id OFFSET $3 % 3 LIMIT 1)`,
          `UPDATE products SET sku = 'S-' || $3 % 7 WHERE store_id = $1 AND id = $2`,
          `UPDATE products SET featured = NOT featured WHERE store_id = $1 AND id = $2 AND $3 >= 0`,
          `INSERT INTO product_categories (store_id, product_id, category_id) VALUES ($1, $2, ${category})
             ON CONFLICT DO NOTHING`,
          `DELETE FROM product_categories WHERE store_id = $1 AND product_id = $2 AND category_id = ${category}`,
          `UPDATE products SET status = CASE WHEN $3 < 10 THEN 'DRAFT' ELSE 'ACTIVE' END WHERE store_id = $1 AND id = $2`,
          `UPDATE product_variants SET status = CASE WHEN $3 < 15 THEN 'INACTIVE' ELSE 'ACTIVE' END
             WHERE store_id = $1 AND product_id = $2 AND id % 2 = $3 % 2`,
          `INSERT INTO product_variants (store_id, product_id, sku, name, price) VALUES ($1, $2, 'N-' || $3, 'New', 1)
             ON CONFLICT DO NOTHING`,
          `DELETE FROM product_variants WHERE store_id = $1 AND product_id = $2 AND sku = 'N-' || $3`,
          `UPDATE warehouses SET active = NOT active WHERE store_id = $1 AND id = ${warehouse} AND $2 > 0 AND $3 >= 0`,
        ];
        await scene.pool.query(acts[draw(acts.length)] ?? '', values);
      },
      check: async () => {
        expect(await scene.differences(PRODUCT_TOTALS)).toEqual([]);
        expect(await scene.differences(STOCK_FLAGS)).toEqual([]);
        expect(await scene.differences(UNITS)).toEqual([]);
        expect(await scene.differences(SKU_TOTALS)).toEqual([]);
      },
    });

    expect(await scene.deadlocks()).toBe(before);
  });

  it('belong to a list whose deep pages have every unit once, also of the units in or out of stock', async () => {
    const { store, database, app } = scene.api;
    await database.query(
      `INSERT INTO products (store_id, slug, sku, name, price)
       SELECT $1, 'deep-' || n, 'D-' || n * 7 % 1201, 'Deep', 1 FROM generate_series(1, 2400) AS n`,
      [store.id],
    );
    await database.query(
      `INSERT INTO stock (store_id, bin_id, product_id, quantity)
       SELECT $1, $2, id, 1 FROM products WHERE store_id = $1 AND slug LIKE 'deep-%' AND id % 2 > 0`,
      [store.id, await store.bin()],
    );
    for (let n = 0; n < 5; n++) await store.product({ sku: `D-${n}` });
    const skus = app.get(SkuRepository, { strict: false });

    for (const inStock of [undefined, true, false] as const) {
      const all = await scene.differences(
        `SELECT product_id, nullif(variant_key, 0) AS variant_id FROM sellable_units
         WHERE store_id = $1 AND ($2::boolean IS NULL OR in_stock = $2) ORDER BY sku COLLATE "C", product_id, variant_key`,
        inStock ?? null,
      );
      const filter = inStock === undefined ? {} : inStock ? { inStock } : { outOfStock: true as const };
      const listed: unknown[] = [];
      for (let page = 1; page <= Math.ceil(all.length / 97) + 1; page++) {
        const { rows, total } = await skus.list(store.id, filter, { page, limit: 97 });
        expect(total).toBe(all.length);
        listed.push(...rows.map(({ productId, variantId }) => ({ product_id: productId, variant_id: variantId })));
      }
      expect(all.length).toBeGreaterThan(1_100);
      expect(listed).toEqual(all);
    }
  });
});

describe('the units of a product that is for sale again', () => {
  it('are added without a search through those that the same transaction has removed', async () => {
    const { store, database } = (await base.withStore()).api;
    const [product] = await database.query<{ id: number }>(
      `INSERT INTO products (store_id, slug, name, price, status) VALUES ($1, 'many', '', 1, 'DRAFT') RETURNING id`,
      [store.id],
    );
    await database.query(
      `INSERT INTO product_variants (store_id, product_id, sku, name, price)
       SELECT $1, $2, 'many-' || n, '', 1 FROM generate_series(1, 500) AS n`,
      [store.id, product?.id],
    );
    const client = await openTransaction(database);
    const change = async (status: string) => {
      // The function runs by itself, because a plan does not count the pages that triggers read.
      await client.query('ALTER TABLE products DISABLE TRIGGER USER');
      await client.query('UPDATE products SET status = $1 WHERE id = $2', [status, product?.id]);
      await client.query('ALTER TABLE products ENABLE TRIGGER USER');
      const { rows } = await client.query<RunPlan & object>(
        'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT refresh_sellable_units($1, ARRAY[$2::int])',
        [store.id, product?.id],
      );
      return pagesReadBy(rows[0] as RunPlan);
    };

    const first = await change('ACTIVE');
    await change('DRAFT');
    const again = await change('ACTIVE');
    await client.query('ROLLBACK');

    expect(again).toBeLessThan(2 * first);
  });
});

describe('totals after the deletion of a product', () => {
  it('do not contain the product, its units and its categories', async () => {
    const scene = await base.withStore();
    const { store, database } = scene.api;
    const product = await store.product({ categoryIds: [await store.category()] });
    await store.variant(product);

    await database.query('DELETE FROM stock WHERE product_id = $1', [product]);
    await database.query('DELETE FROM products WHERE id = $1', [product]);

    for (const query of [PRODUCT_TOTALS, UNITS, SKU_TOTALS]) expect(await scene.differences(query)).toEqual([]);
  });
});

/** Up to this row, an adapter skips rows one by one. Beyond it, it finds a page by its day. */
const BORDER = 1_000;
const BIG_CATEGORY = 901;
const SMALL_CATEGORY = 902;

// Three of eight rows are on one day, six per moment; the others are at borders of months and days in UTC, or years
// earlier.
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

const percentile = (salt: string) => `(hashtext('${salt}' || n) & 65535) % 100`;

const ORDERS = `
  INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
    amount, total_amount, customer_name, customer_email, held_reasons, created_at)
  SELECT store_id, md5(store_id || '/' || n)::uuid, 'R-' || n,
    CASE WHEN ${percentile('source')} < 70 THEN 'WEBSITE' ELSE 'POS' END,
    CASE WHEN ${percentile('status')} < 70 THEN 'SUCCEEDED' WHEN n % 2 = 0 THEN 'FAILED' ELSE 'PENDING' END,
    CASE WHEN ${percentile('fulfillment')} < 75 THEN 'DELIVERED' ELSE 'RETURNED' END,
    'COD', 'USD', 1, 1, 'Ada', 'c' || n % 50 || '@example.test', CASE WHEN n % 11 = 0 THEN '{manual}'::text[] END, created_at
  FROM unnest($1::int[]) AS store_id CROSS JOIN (${moments(4_000)}) AS made`;

const STAGES = `
  INSERT INTO order_stages (store_id, order_id, stage, state, outcome)
  SELECT store_id, id, 'notify-customer', 'done', 'sent'
  FROM orders WHERE store_id = ANY ($1::int[])`;

const DEAD_STAGES = `
  INSERT INTO order_stages (store_id, order_id, stage, state, outcome)
  SELECT store_id, id, stage, 'dead', CASE WHEN substr(receipt_number, 3)::int % 5 = 0 THEN 'undeliverable' ELSE 'failed' END
  FROM orders JOIN (VALUES (0, 'notify-merchant'), (0, 'notify-shipment')) AS dead (rest, stage)
    ON substr(receipt_number, 3)::int % 13 = rest
  WHERE store_id = ANY ($1::int[])`;

const CUSTOMERS = `
  INSERT INTO customers (store_id, id, name, email, status, created_at, vat_id, groups, contacts)
  SELECT store_id, md5(store_id || '/' || n)::uuid, 'Customer ' || n, 'c' || n || '@example.test',
    CASE WHEN ${percentile('status')} < 50 THEN 'Active' WHEN n % 3 > 0 THEN 'ACTIVE' ELSE 'Blocked' END, created_at,
    'DE' || n, CASE WHEN n % 3 > 0 THEN ARRAY['all', 'g' || n % 50] ELSE '{}' END,
    CASE WHEN n % 7 = 0 THEN jsonb_build_array(jsonb_build_object('email', 'Buyer' || n % 20 || '@shop.test')) ELSE '[]' END
  FROM unnest($1::int[]) AS store_id CROSS JOIN (${moments(2_500)}) AS made`;

const PRODUCTS = `
  INSERT INTO products (store_id, name, slug, sku, price, status, featured, created_at)
  SELECT store_id, 'Product ' || n, 'p-' || n, 'SKU-' || n % 400, 1, CASE WHEN n % 9 = 0 THEN 'DRAFT' ELSE 'ACTIVE' END,
    ${percentile('featured')} < 80, created_at
  FROM unnest($1::int[]) AS store_id CROSS JOIN (${moments(2_800)}) AS made`;

const CATEGORIES = `
  INSERT INTO categories (store_id, id, slug, name)
  SELECT store_id, id, id, id FROM unnest($1::int[]) AS store_id, (VALUES (${BIG_CATEGORY}), (${SMALL_CATEGORY})) AS made (id)`;

const PLACES_IN_CATEGORIES = `
  INSERT INTO product_categories (store_id, product_id, category_id)
  SELECT store_id, id, ${BIG_CATEGORY} FROM products WHERE store_id = ANY ($1::int[]) AND slug ~ '[1234567]$'
  UNION ALL
  SELECT store_id, id, ${SMALL_CATEGORY} FROM products WHERE store_id = ANY ($1::int[]) AND slug ~ '-7.$'`;

const STOCK = `
  INSERT INTO stock (store_id, product_id, bin_id, quantity)
  SELECT store_id, products.id, CASE WHEN place < 90 THEN $2::int ELSE $3::int END,
    CASE WHEN place BETWEEN 75 AND 89 THEN 0 ELSE 3 END
  FROM products CROSS JOIN LATERAL (SELECT (hashtext(slug) & 65535) % 100 AS place) AS places
  WHERE store_id = $1`;

// This empties a month, and moves the rows of a day to the previous day.
const CHANGES = ['orders', 'customers', 'products'].flatMap((table) => {
  const of = (day: string, end: string) =>
    `store_id = ANY ($1::int[]) AND created_at >= '${day}Z' AND created_at < '${end}Z'`;
  return [
    table === 'products'
      ? `UPDATE products SET status = 'ARCHIVED' WHERE ${of('2025-11-01', '2025-12-01')}`
      : `DELETE FROM ${table} WHERE ${of('2025-11-01', '2025-12-01')}`,
    `UPDATE ${table} SET created_at = created_at - interval '20 hours' WHERE ${of('2026-03-07', '2026-03-08')}`,
  ];
});

let pool: pg.Pool;
let paged: StoreFixture;

interface List {
  read(page: Page): Promise<PageOf<{ readonly id: string | number }>>;
  readonly from: string;
  readonly isByChange: boolean;
}

const OLDEST_FIRST: Sort = { by: 'createdAt', isDescending: false };
const LAST_CHANGED: Sort = { by: 'updatedAt', isDescending: true };
const FIRST_CHANGED: Sort = { by: 'updatedAt', isDescending: false };

const changeOf = (kind: string) =>
  `(SELECT changed_at FROM changes WHERE store_id = $1 AND kind = '${kind}' AND entity = ${kind}.id::text)`;

function listOf(
  table: string,
  filter: object,
  where: string,
  sort: Sort | undefined,
  read: (page: Page) => ReturnType<List['read']>,
): [string, List] {
  const { by, isDescending } = sort ?? NEWEST_FIRST;
  const time = by === 'createdAt' ? 'created_at' : changeOf(table);
  const direction = isDescending ? 'DESC' : 'ASC';
  const from = `${table} WHERE store_id = $1 AND ${where} ORDER BY ${time} ${direction}, id ${direction}`;
  const order = sort ? ` by ${sort.by} ${direction}` : '';
  return [
    `${table} ${JSON.stringify(filter)}${order}`,
    { read: (page) => read({ ...page, sort }), from, isByChange: by === 'updatedAt' },
  ];
}

const orders = (filter: OrderFilter, where = 'true', sort?: Sort) =>
  listOf('orders', filter, where, sort, (page) =>
    new PostgresOrderRepository(new Database(pool)).list(paged.id, filter, page),
  );

const customers = (filter: CustomerFilter, where = 'true', sort?: Sort) =>
  listOf('customers', filter, where, sort, (page) =>
    new PostgresCustomerRepository(new Database(pool)).list(paged.id, filter, page),
  );

const products = (filter: ProductFilter, where = 'true', sort?: Sort) =>
  listOf('products', filter, `status = 'ACTIVE' AND ${where}`, sort, (page) =>
    new PostgresProductRepository(new Database(pool)).list(paged.id, filter, page),
  );

const createdIn = (from: string, to: string) => ({
  filter: { createdFrom: new Date(from), createdTo: new Date(to) },
  where: `created_at >= '${from}' AND created_at < '${to}'`,
});
/** The range begins and ends within days, in other months. */
const MONTHS = createdIn('2025-04-20T13:30:00Z', '2026-06-17T05:00:00.001Z');
const MANY_DAYS = createdIn('2026-03-02T22:00:00Z', '2026-03-29T22:00:00Z');
const HOURS = createdIn('2026-03-15T02:00:00Z', '2026-03-15T03:00:00Z');
const ONE_MONTH = createdIn('2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z');
const TURNED = createdIn('2026-03-15T03:00:00Z', '2026-03-14T00:00:00Z');

const changedIn = (kind: string, from: number, to: number) => {
  const [begin, end] = [from, to].map((hour) => `2026-07-01T${String(hour).padStart(2, '0')}:00:00Z`) as [
    string,
    string,
  ];
  return {
    filter: { updatedFrom: new Date(begin), updatedTo: new Date(end) },
    where: `${changeOf(kind)} >= '${begin}' AND ${changeOf(kind)} < '${end}'`,
  };
};
// Changes lie in the 20 hours of a day, hundreds at the same moment.
const SPREAD_CHANGES = `
  UPDATE changes SET changed_at = timestamptz '2026-07-01T00:00Z' + (hashtext(entity) & 65535) % 20 * interval '1 hour'
  WHERE store_id = ANY ($1::int[])`;

const IN_STOCK = `(
  SELECT sum(quantity) FROM stock
  JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
  JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = warehouse_id
  WHERE stock.store_id = $1 AND product_id = products.id AND active) > 0`;
const inCategory = (id: number) =>
  `id IN (SELECT product_id FROM product_categories WHERE store_id = $1 AND category_id = ${id})`;

const UNDER_REVIEW = 'held_reasons IS NOT NULL';

const MAIL_FAILED = `substr(receipt_number, 3)::int % 13 = 0 AND substr(receipt_number, 3)::int % 5 > 0`;

const LONG_LISTS = [
  orders({}),
  orders({}, 'true', OLDEST_FIRST),
  orders({}, 'true', LAST_CHANGED),
  orders({}, 'true', FIRST_CHANGED),
  orders(MONTHS.filter, MONTHS.where),
  orders({ ...MONTHS.filter, source: ['WEBSITE'] }, `source = 'WEBSITE' AND ${MONTHS.where}`, OLDEST_FIRST),
  orders({ createdFrom: new Date('2025-05-01') }, `created_at >= '2025-05-01Z'`),
  orders({ createdTo: new Date('2026-03-20T01:00:00Z') }, `created_at < '2026-03-20T01:00:00Z'`, OLDEST_FIRST),
  orders({ status: ['SUCCEEDED', 'FAILED'] }, `status IN ('SUCCEEDED', 'FAILED')`),
  orders(
    { ...MONTHS.filter, status: ['SUCCEEDED', 'PENDING'], fulfillmentStatus: ['DELIVERED', 'RETURNED'] },
    `status IN ('SUCCEEDED', 'PENDING') AND ${MONTHS.where}`,
    OLDEST_FIRST,
  ),
  orders(
    { status: ['SUCCEEDED', 'FAILED'], held: false },
    `status IN ('SUCCEEDED', 'FAILED') AND NOT ${UNDER_REVIEW}`,
    LAST_CHANGED,
  ),
  orders({ source: ['WEBSITE'] }, `source = 'WEBSITE'`),
  orders({ status: ['SUCCEEDED'] }, `status = 'SUCCEEDED'`),
  orders({ fulfillmentStatus: ['DELIVERED'] }, `fulfillment_status = 'DELIVERED'`),
  orders(
    { source: ['WEBSITE'], status: ['SUCCEEDED'], fulfillmentStatus: ['DELIVERED'] },
    `source = 'WEBSITE' AND status = 'SUCCEEDED' AND fulfillment_status = 'DELIVERED'`,
  ),
  orders({ search: 'R-1' }, `receipt_number LIKE 'R-1%'`),
  orders({ held: false }, `NOT ${UNDER_REVIEW}`),
  orders({ held: false, source: ['WEBSITE'] }, `source = 'WEBSITE' AND NOT ${UNDER_REVIEW}`),
  orders({ ...MONTHS.filter, held: false }, `${MONTHS.where} AND NOT ${UNDER_REVIEW}`),
  orders({ ...MONTHS.filter, isTest: false }, `${MONTHS.where} AND NOT is_test`, OLDEST_FIRST),
  orders({ createdTo: new Date('9999-12-31T23:59:59Z'), isTest: false }, 'NOT is_test'),
  orders({ search: 'R-1' }, `receipt_number LIKE 'R-1%'`, LAST_CHANGED),
  orders({ search: 'R-1' }, `receipt_number LIKE 'R-1%'`, OLDEST_FIRST),
  customers({}),
  customers({}, 'true', OLDEST_FIRST),
  customers({}, 'true', LAST_CHANGED),
  customers(MONTHS.filter, MONTHS.where),
  customers({ status: 'active' }, `status IN ('Active', 'ACTIVE')`),
  customers({ search: 'EXAMPLE' }),
  products({}),
  products({}, 'true', OLDEST_FIRST),
  products({}, 'true', FIRST_CHANGED),
  products({ categoryId: BIG_CATEGORY }, inCategory(BIG_CATEGORY), OLDEST_FIRST),
  products({ categoryId: BIG_CATEGORY }, inCategory(BIG_CATEGORY), LAST_CHANGED),
  products({ featured: true }, 'featured'),
  products({ inStock: true }, IN_STOCK),
  products({ featured: true, inStock: true }, `featured AND ${IN_STOCK}`),
  products({ categoryId: BIG_CATEGORY }, inCategory(BIG_CATEGORY)),
  products({ search: 'product' }),
];

const SHORT_LISTS = [
  orders({ source: ['POS'], status: ['FAILED'] }, `source = 'POS' AND status = 'FAILED'`),
  orders({ status: ['REFUNDED'] }, 'false'),
  orders({ status: [] }, 'false'),
  orders({ status: ['REFUNDED', 'CANCELLED'], source: ['POS', 'WEBSITE'] }, 'false'),
  ...[MANY_DAYS, HOURS, ONE_MONTH].map(({ filter, where }) => orders(filter, where)),
  ...[MANY_DAYS, HOURS, ONE_MONTH].map(({ filter, where }) =>
    orders({ ...filter, status: ['FAILED', 'PENDING'] }, `${where} AND status IN ('FAILED', 'PENDING')`, OLDEST_FIRST),
  ),
  orders(TURNED.filter, 'false'),
  orders({ createdFrom: new Date('9999-12-31T12:00:00Z') }, 'false'),
  orders({ createdFrom: new Date('0001-01-01'), createdTo: new Date('9999-12-31'), isTest: true }, 'is_test'),
  orders({ ...ONE_MONTH.filter, held: true }, `${ONE_MONTH.where} AND ${UNDER_REVIEW}`),
  orders({ ...ONE_MONTH.filter, search: 'c7@' }, `${ONE_MONTH.where} AND customer_email LIKE '%c7@%'`),
  ...[LAST_CHANGED, FIRST_CHANGED, OLDEST_FIRST].map((sort) => {
    const { filter, where } = changedIn('orders', 3, 5);
    return orders(filter, where, sort);
  }),
  orders(
    { ...changedIn('orders', 3, 9).filter, ...MONTHS.filter, status: ['FAILED', 'PENDING'] },
    `${changedIn('orders', 3, 9).where} AND ${MONTHS.where} AND status IN ('FAILED', 'PENDING')`,
    LAST_CHANGED,
  ),
  orders(
    { ...changedIn('orders', 3, 9).filter, search: 'c7@example.test' },
    `${changedIn('orders', 3, 9).where} AND customer_email LIKE '%c7@example.test%'`,
  ),
  orders({ email: 'C7@example.TEST' }, `customer_email = 'c7@example.test'`),
  orders({ email: 'c7' }, 'false'),
  customers({ email: 'C7@example.TEST' }, `email = 'c7@example.test'`),
  customers({ search: 'buyer7@' }, `contacts::text LIKE '%Buyer7@%'`),
  customers({ group: 'g7' }, `'g7' = ANY (groups)`),
  customers(
    { ...HOURS.filter, group: 'all', status: 'active' },
    `${HOURS.where} AND lower(status) = 'active' AND groups <> '{}'`,
  ),
  customers({ vatId: 'de7' }, `vat_id = 'DE7'`),
  customers(changedIn('customers', 3, 5).filter, changedIn('customers', 3, 5).where, FIRST_CHANGED),
  customers({ ...HOURS.filter, status: 'active' }, `${HOURS.where} AND lower(status) = 'active'`),
  products(changedIn('products', 3, 5).filter, changedIn('products', 3, 5).where, LAST_CHANGED),
  products(
    { ...changedIn('products', 3, 9).filter, categoryId: BIG_CATEGORY },
    `${changedIn('products', 3, 9).where} AND ${inCategory(BIG_CATEGORY)}`,
  ),
  products({ slug: 'p-77' }, `slug = 'p-77'`),
  products({ sku: 'sku-4' }, `sku = 'SKU-4'`, OLDEST_FIRST),
  orders({ status: ['SUCCEEDED'], search: 'c7@' }, `status = 'SUCCEEDED' AND customer_email LIKE '%c7@%'`),
  orders({ held: true }, UNDER_REVIEW),
  orders({ held: true, status: ['FAILED'] }, `status = 'FAILED' AND ${UNDER_REVIEW}`),
  orders({ held: false, search: 'c7@' }, `customer_email LIKE '%c7@%' AND NOT ${UNDER_REVIEW}`),
  orders({ mailFailed: true }, MAIL_FAILED),
  orders(
    { ...MONTHS.filter, mailFailed: true, held: false, isTest: false, status: ['SUCCEEDED', 'FAILED'] },
    `${MONTHS.where} AND ${MAIL_FAILED} AND NOT ${UNDER_REVIEW} AND status IN ('SUCCEEDED', 'FAILED')`,
    LAST_CHANGED,
  ),
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
  const rows = await base.api.database.query(`SELECT id FROM ${from}`, [paged.id]);
  return rows.map(({ id }) => id);
}

async function expectPages(list: List, ids: readonly unknown[], asked: readonly Page[]): Promise<void> {
  // A deep page by the last change is refused.
  const skips = ({ page, limit }: Page) => (page - 1) * limit;
  const pages = asked.filter((page) => !list.isByChange || skips(page) <= 1_000 || skips(page) >= ids.length);
  const read = await Promise.all(pages.map((page) => list.read(page)));
  const found = read.map(({ rows, total }, index) => ({ ...pages[index], total, ids: rows.map(({ id }) => id) }));

  const slice = (page: Page) => ids.slice(skips(page), skips(page) + page.limit);
  expect(found).toEqual(pages.map((page) => ({ ...page, total: ids.length, ids: slice(page) })));
}

describe('the lists', () => {
  beforeAll(async () => {
    const { database } = base.api;
    pool = requestPool(database.url, 2);
    paged = await StoreFixture.create(database);
    const other = await StoreFixture.create(database);
    const statements = [ORDERS, STAGES, DEAD_STAGES, CUSTOMERS, PRODUCTS, CATEGORIES, PLACES_IN_CATEGORIES];
    for (const statement of statements) await database.query(statement, [[paged.id, other.id]]);
    const closed = await paged.bin(await paged.warehouse({ active: false }));
    await database.query(STOCK, [paged.id, await paged.bin(), closed]);
    for (const statement of CHANGES) await database.query(statement, [[paged.id, other.id]]);
    // The client has no time limits of requests: a busy machine may need longer for all of them.
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await numberChanges(client);
    await client.end();
    await database.query(SPREAD_CHANGES, [[paged.id, other.id]]);
    // Autovacuum does the same a minute after the inserts. Otherwise, a join that is planned for no rows takes 0.5 s
    // per page.
    await database.query('ANALYZE');
  });
  afterAll(() => pool.end());

  it.each(LONG_LISTS)('have no gap at the row where the adapter changes its method: %s', async (_name, list) => {
    const ids = await idsOf(list);
    const around = [1, 7, 50, 100].flatMap((limit) => {
      const last = Math.floor(BORDER / limit);
      return [last - 1, last, last + 1, last + 2].map((page) => ({ page, limit }));
    });

    await expectPages(list, ids, around);
    expect(ids.length).toBeGreaterThan(BORDER + 100);
  });

  it.each([...LONG_LISTS, ...SHORT_LISTS])(
    'have every row once, and the total beyond the last row as well: %s',
    async (_name, list) => {
      const ids = await idsOf(list);
      const all = Array.from({ length: Math.ceil(ids.length / 100) }, (_, n) => ({ page: n + 1, limit: 100 }));
      const ends = [1, 37, 100].flatMap((limit) => {
        const last = Math.max(1, Math.ceil(ids.length / limit));
        return [last, last + 1, 21_474_836].map((page) => ({ page, limit }));
      });

      await expectPages(list, ids, [...all, ...ends]);
    },
  );

  it('have every row once in ranges that begin and end between the rows of a day', async () => {
    const days = await base.api.database.query<{ middle: Date }>(
      `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY created_at) AS middle FROM orders WHERE store_id = $1
       GROUP BY created_at::date HAVING count(*) FILTER (WHERE NOT is_test) > 4 ORDER BY 1`,
      [paged.id],
    );
    const [first, last] = [days.at(1)?.middle, days.at(-2)?.middle];
    if (!first || !last) throw new Error('Too few days have orders');
    const { filter, where } = createdIn(first.toISOString(), last.toISOString());
    for (const sort of [NEWEST_FIRST, OLDEST_FIRST]) {
      const [, live] = orders({ ...filter, isTest: false }, `${where} AND NOT is_test`, sort);
      const [, labelled] = orders(
        { ...filter, isTest: false, status: ['SUCCEEDED', 'PENDING'] },
        `${where} AND NOT is_test AND status IN ('SUCCEEDED', 'PENDING')`,
        sort,
      );
      for (const list of [live, labelled]) {
        const ids = await idsOf(list);
        const pages = Math.ceil(ids.length / 100);
        await expectPages(
          list,
          ids,
          Array.from({ length: pages }, (_, n) => ({ page: n + 1, limit: 100 })),
        );
      }
    }
  });
});
