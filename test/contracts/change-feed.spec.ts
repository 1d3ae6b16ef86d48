import { CHANGE_KINDS, ChangeFeed, CursorExpired, type ChangeKind, type FeedPosition } from '@app/application';
import { numberChanges, purgeTombstones } from '@app/infrastructure';
import pg from 'pg';
import { PostgresChangeFeed } from '../../libs/infrastructure/src/feed/postgres-change-feed.js';
import { PostgresCustomerRepository } from '../../libs/infrastructure/src/customers/postgres-customer.repository.js';
import { PostgresSkuRepository } from '../../libs/infrastructure/src/catalog/postgres-sku.repository.js';
import { PostgresProductRepository } from '../../libs/infrastructure/src/catalog/postgres-product.repository.js';
import { PostgresOrderRepository } from '../../libs/infrastructure/src/orders/postgres-order.repository.js';
import { Database } from '../../libs/infrastructure/src/postgres/database.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

describe('ChangeFeed', () => {
  let feed: ChangeFeed;
  let storeId: number;
  let otherStoreId: number;
  beforeAll(() => (feed = application.app.get(ChangeFeed, { strict: false })));
  beforeEach(async () => {
    storeId = (await StoreFixture.create(application.database)).id;
    otherStoreId = (await StoreFixture.create(application.database)).id;
  });

  const read = async (after: FeedPosition | null = null, limit = 100, kinds: readonly ChangeKind[] = CHANGE_KINDS) => {
    const { changes, ...page } = await feed.read(storeId, { kinds, after, limit });
    return { ...page, seen: changes.map(({ kind, id }) => `${kind} ${id}`) };
  };
  const change = (id: string, kind: 'brands' | 'categories' = 'brands', ofStore = storeId) =>
    application.database.query(
      `INSERT INTO ${kind} (store_id, id, slug, name) VALUES ($1, $2, $3, '') ON CONFLICT (store_id, id)
       DO UPDATE SET name = ${kind}.name || '+'`,
      [ofStore, id, `slug-${id}`],
    );
  const remove = (id: string) =>
    application.database.query('DELETE FROM brands WHERE store_id = $1 AND id = $2', [storeId, id]);
  const purge = async () => {
    await application.database.query(`UPDATE changes SET changed_at = changed_at - interval '91 days'`);
    await purgeTombstones({
      query: async (text: string, values?: unknown[]) => ({ rows: await application.database.query(text, values) }),
    } as never);
  };
  /** Loses all changes after a position, like a copy of the files, which looks like the original. */
  const loseAfter = async (position: number) => {
    await application.database.query('DELETE FROM changes WHERE store_id = $1 AND position > $2', [storeId, position]);
  };

  it('continues after a position, page by page', async () => {
    for (const id of ['1', '2', '3']) await change(id);
    const first = await read(null, 2);
    const second = await read(first.next, 2);
    await change('1');

    expect([first.seen, first.hasMore]).toEqual([['brands 1', 'brands 2'], true]);
    expect([second.seen, second.hasMore]).toEqual([['brands 3'], false]);
    expect(await read(second.next)).toMatchObject({ seen: ['brands 1'] });
  });

  it('begins at the current end, even when more changes wait for a position than one numbering takes', async () => {
    await application.database.query(
      `INSERT INTO brands (store_id, name, slug) SELECT $1, n, n FROM generate_series(1, 5100) AS n`,
      [storeId],
    );

    const { next, hasMore } = await feed.read(storeId, { kinds: ['brands'], after: 'end', limit: 0 });

    const later = await feed.read(storeId, { kinds: ['brands'], after: next, limit: 1 });
    expect([hasMore, later.changes]).toEqual([false, []]);
  });

  it('names the newest position of each kind', async () => {
    await change('1');
    await read();
    await change('2', 'categories');

    const newest = await feed.newest([storeId, otherStoreId]);

    expect(newest.get(storeId)).toEqual({
      orders: 0,
      products: 0,
      skus: 0,
      customers: 0,
      categories: 2,
      brands: 1,
      stock: 0,
      price_lists: 0,
    });
    expect(newest.get(otherStoreId)).toMatchObject({ brands: 0 });
  });

  it('refuses a position whose reader may have missed a purged deletion', async () => {
    await change('1');
    const { next: before } = await read();
    await remove('1');
    const { next: after } = await read(before);
    await change('2');
    await read();
    await purge();

    await expect(read(before)).rejects.toThrow(CursorExpired);
    expect((await read(after)).seen).toEqual(['brands 2']);
    expect((await read()).seen).toEqual(['brands 2']);
  });

  it('forgets the deletions of a store beside one that has moved, and reads none of those', async () => {
    const client = new pg.Client({ connectionString: application.database.url });
    await client.connect();
    const removed = `INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
      SELECT $1, 'brands', n, n, true, now() - $3 * interval '1 day' FROM generate_series(1, $2::int) AS n`;
    await client.query(removed, [otherStoreId, 3_000, 100]);
    await client.query(`UPDATE stores SET status = 'MOVED' WHERE id = $1`, [otherStoreId]);
    await client.query(removed, [storeId, 20, 91]);
    await client.query('BEGIN');

    await purgeTombstones(client);

    const { rows } = await client.query<{ read: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'changes'`,
    );
    await client.query('COMMIT');
    await client.end();
    const left = await application.database.query(
      `SELECT store_id, count(*)::int FROM changes WHERE store_id = ANY ($1) GROUP BY store_id ORDER BY store_id`,
      [[storeId, otherStoreId]],
    );
    expect(left).toEqual([
      { store_id: storeId, count: 1 },
      { store_id: otherStoreId, count: 3_000 },
    ]);
    expect(rows[0]?.read).toBeLessThan(1_000);
  });

  it('begins again for a reader that is past the newest change, because a copy of the files has lost it', async () => {
    await change('1');
    const kept = await read();
    await change('2');
    const lost = await read(kept.next);
    await loseAfter(kept.next.position);

    expect(await read(kept.next)).toMatchObject({ seen: [], rewound: false });
    const again = await read(lost.next);
    expect(again).toMatchObject({ seen: ['brands 1'], rewound: true });
    expect(await read(again.next)).toMatchObject({ seen: [], rewound: false });
  });
});

/** PostgreSQL makes this many plans with values before it decides for a generic plan. */
const TRIED = 5;
const CHANGES = 50_000;
const SOME_UUID = '01938c00-0000-7000-8000-000000000000';

describe('the plans of the feed', () => {
  let pool: pg.Pool;
  let storeId: number;
  beforeAll(async () => {
    const { database } = application;
    storeId = (await StoreFixture.create(database)).id;
    await database.query(
      `INSERT INTO changes (store_id, kind, entity, position, deleted, changed_at)
       SELECT store_id, 'categories', n, n, false, now() FROM (
         SELECT $1::int AS store_id, generate_series(1, ${CHANGES}) AS n
         UNION ALL
         SELECT $1::int + 1 + n % 10, n FROM generate_series(1, 500) AS n
       ) AS spread`,
      [storeId],
    );
    await database.query(
      `WITH bought AS (
         INSERT INTO orders (store_id, id, receipt_number, source, status, fulfillment_status, payment_method, currency,
           amount, total_amount, customer_name, created_at)
         SELECT $1, gen_random_uuid(), n::text, 'POS', 'PENDING', 'PENDING', 'COD', 'USD', 1, 1, '', now() FROM generate_series(1, 500) n
       ), known AS (
         INSERT INTO customers (store_id, id, name) SELECT $1, gen_random_uuid(), '' FROM generate_series(1, 500)
       )
       INSERT INTO products (store_id, slug, name, price) SELECT $1, 'p-' || n, '', 1 FROM generate_series(1, 500) n`,
      [storeId],
    );
    await database.query(
      `WITH lines AS (
         INSERT INTO order_lines (store_id, order_id, position, name, unit_price, quantity, line_total)
         SELECT store_id, id, 1, '', 1, 1, 1 FROM orders WHERE store_id = $1
       ), stages AS (
         INSERT INTO order_stages (store_id, order_id, stage, state) SELECT store_id, id, 'a', 'done' FROM orders WHERE store_id = $1
       )
       INSERT INTO product_variants (store_id, product_id, sku, name, price) SELECT store_id, id, 'v', '', 1 FROM products WHERE store_id = $1`,
      [storeId],
    );
    await database.query('ANALYZE');
  });
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: application.database.url, max: 1 });
  });
  afterEach(() => pool.end());

  it.each<[string, readonly ChangeKind[], number]>([
    ['the first page of one kind', ['categories'], 0],
    ['the last page of one kind', ['categories'], CHANGES - 10],
    ['a page of all kinds', CHANGE_KINDS, CHANGES / 2],
    ['a page without changes', CHANGE_KINDS, CHANGES],
  ])('use one generic plan for pages, even when a connection first reads %s', async (_, kinds, position) => {
    const feed = new PostgresChangeFeed(new Database(pool));
    const query = { kinds, limit: 100 };
    const { next } = await feed.read(storeId, { ...query, after: null });

    for (let n = 1; n < TRIED + 3; n++) await feed.read(storeId, { ...query, after: { ...next, position } });

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

      for (let n = 0; n < TRIED + 3; n++) await repository.findByIds(storeId, [id as never]);

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

/** The number exceeds the products that one transaction changes in the feed. */
const PRODUCTS = 5_100;
/** The changes of a batch; its last product may have more units and bins than fit. */
const BATCH = 5_003;

describe('a change of what many products show', () => {
  let store: StoreFixture;
  const sql = (text: string, ...values: unknown[]) =>
    application.database.query<Record<string, unknown>>(text, [store.id, ...values]);
  const end = async () => {
    const [state] = await sql(
      `SELECT newest_change($1, enum_range(NULL::change_kind)) AS position, pg_sequence_last_value('change_log_id_seq') AS id`,
    );
    return { position: Number(state?.position), id: Number(state?.id) };
  };
  /** Numbers one batch. @returns how many rows it adds to the log or to the feed, and whether more wait. */
  const batch = async () => {
    const before = await end();
    const [numbered] = await sql('SELECT number_changes($1) AS moved');
    const after = await end();
    const size = Math.max(after.position - before.position, after.id - before.id);
    return { size, isMore: Number(numbered?.moved) >= 5_000 };
  };
  const allBatches = async () => {
    const sizes: number[] = [];
    for (let isMore = true; isMore;) {
      const next = await batch();
      sizes.push(next.size);
      isMore = next.isMore;
    }
    return sizes;
  };
  beforeAll(async () => {
    store = await StoreFixture.create(application.database);
    const brand = await store.brand();
    const category = await store.category();
    const first = await store.product({ stock: 1 });
    await sql(
      `WITH made AS (
         INSERT INTO products (store_id, slug, name, price, brand_id)
         SELECT $1, 'many-' || n, '', 1, $2 FROM generate_series(2, ${PRODUCTS}) AS n RETURNING id
       )
       INSERT INTO stock (store_id, bin_id, product_id, quantity)
       SELECT $1, (SELECT id FROM bins WHERE store_id = $1), id, 1 FROM made`,
      brand,
    );
    await sql('UPDATE products SET brand_id = $2 WHERE store_id = $1 AND id = $3', brand, first);
    await sql('INSERT INTO product_categories SELECT $1, id, $2 FROM products WHERE store_id = $1', category);
    const [early, late] = [await store.order(), await store.order()];
    await sql(
      `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
       SELECT $1, (SELECT id FROM bins WHERE store_id = $1), $2, 0, CASE WHEN n > 5050 THEN $3::uuid ELSE $4 END, 'ORDER', 0, 0
       FROM generate_series(1, 5100) AS n`,
      ...[first, late, early],
    );
    await allBatches();
  });

  it.each([
    ['the name of a brand', `UPDATE brands SET name = name || '+' WHERE store_id = $1`, { brands: 1 }],
    ['the name of a category', `UPDATE categories SET name = name || '+' WHERE store_id = $1`, { categories: 1 }],
    [
      'whether a warehouse sells',
      'UPDATE warehouses SET active = NOT active WHERE store_id = $1',
      { skus: PRODUCTS, stock: PRODUCTS },
    ],
    [
      'the code of a warehouse',
      `UPDATE warehouses SET code = code || '+' WHERE store_id = $1`,
      { products: 0, stock: PRODUCTS, orders: 2 },
    ],
    [
      'the currency of the store',
      `UPDATE stores SET currency = CASE currency WHEN 'USD' THEN 'EUR' ELSE 'USD' END WHERE id = $1`,
      { skus: PRODUCTS, stock: PRODUCTS },
    ],
  ])('is numbered in batches, and reaches all: %s', async (_, change, changed) => {
    const before = await end();
    await sql(change);

    const sizes = await allBatches();

    const counts = await sql(
      'SELECT kind, count(*)::int AS count FROM changes WHERE store_id = $1 AND position > $2 GROUP BY kind',
      before.position,
    );
    expect(Object.fromEntries(counts.map(({ kind, count }) => [kind, count]))).toEqual(
      Object.fromEntries(Object.entries({ products: PRODUCTS, ...changed }).filter(([, count]) => count > 0)),
    );
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(BATCH);
  });

  it('is logged once for each product, however many of its categories change together', async () => {
    const other = await StoreFixture.create(application.database);
    const own = (text: string) => application.database.query<Record<string, unknown>>(text, [other.id]);
    await own(
      `WITH product AS (
         INSERT INTO products (store_id, slug, name, price) SELECT $1, 'both-' || n, '', 1 FROM generate_series(1, 10) AS n
         RETURNING id, created_at
       ), category AS (
         INSERT INTO categories (store_id, slug, name) SELECT $1, 'both-' || n, '' FROM generate_series(1, 15) AS n RETURNING id
       )
       INSERT INTO product_categories (store_id, product_id, category_id, created_at)
       SELECT $1, product.id, category.id, created_at FROM product, category WHERE product.id % 2 = 0 OR category.id % 2 = 0`,
    );
    await own('DELETE FROM change_log WHERE store_id = $1');
    await own(`UPDATE categories SET name = name || '+' WHERE store_id = $1`);
    await own('SELECT spread_shared_changes($1)');

    const logged = await own(`SELECT entity FROM change_log WHERE store_id = $1 AND kind = 'products'`);
    const products = await own('SELECT id::text AS entity FROM products WHERE store_id = $1');
    const entities = (rows: typeof logged) => rows.map(({ entity }) => String(entity)).sort();
    expect(entities(logged)).toEqual(entities(products));
  });

  it('is numbered in batches when the units that a reader knows are gone', async () => {
    const other = await StoreFixture.create(application.database);
    const own = (text: string) => application.database.query<Record<string, unknown>>(text, [other.id]);
    const number = async () => {
      const moves: unknown[] = [];
      for (let last = 5_000; last >= 5_000;) {
        const [row] = await own('SELECT number_changes($1) AS moved');
        moves.push((last = Number(row?.moved)));
      }
      return moves.length;
    };
    const tombstones = () =>
      own(`SELECT count(*)::int AS count FROM changes WHERE store_id = $1 AND kind = 'skus' AND deleted`);
    await own(
      `WITH made AS (
         INSERT INTO products (store_id, slug, name, price) SELECT $1, 'gone-' || n, '', 1 FROM generate_series(1, 12) AS n RETURNING id
       )
       INSERT INTO product_variants (store_id, product_id, sku, name)
       SELECT $1, id, id || '-' || n, '' FROM made CROSS JOIN generate_series(1, 1000) AS n`,
    );
    await number();
    await own(`UPDATE products SET status = 'DRAFT' WHERE store_id = $1`);
    await number();
    expect(await tombstones()).toEqual([{ count: 12_000 }]);

    await own(`UPDATE products SET name = 'another' WHERE store_id = $1`);

    expect(await number()).toBeGreaterThan(2);
  });

  it('is numbered once when it has changed several times', async () => {
    for (let n = 0; n < 3; n++) await sql(`UPDATE brands SET name = name || '+' WHERE store_id = $1`);

    expect(await allBatches()).toHaveLength(2);
  });

  it('reaches a product that comes to show it between two batches', async () => {
    await sql(`UPDATE brands SET name = name || '+' WHERE store_id = $1`);
    await batch();
    const [own] = await sql('SELECT id FROM brands WHERE store_id = $1');
    const late = await store.product({ brandId: Number(own?.id) });

    await allBatches();

    expect(
      await sql(`SELECT FROM changes WHERE store_id = $1 AND kind = 'products' AND entity = $2`, `${late}`),
    ).toHaveLength(1);
  });

  it('lets another store have its positions between two batches', async () => {
    const other = await StoreFixture.create(application.database);
    await sql(`UPDATE brands SET name = name || '+' WHERE store_id = $1`);
    await other.brand();
    const numbered: unknown[] = [];
    const pool = {
      query: async (text: string, values: unknown[] = []) => {
        if (text.includes('number_changes')) numbered.push(values[0]);
        return { rows: await application.database.query(text, values) };
      },
    };

    await numberChanges(pool as never);

    expect(numbered.filter((id) => id === store.id || id === other.id)).toEqual([store.id, other.id, store.id]);
  });
});
