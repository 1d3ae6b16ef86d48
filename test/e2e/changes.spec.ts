import pg from 'pg';
import { CHANGE_KINDS } from '@app/application';
import { numberChanges, passChangeLog, purgeTombstones } from '@app/infrastructure';
import { encodeCursor } from '@app/application';
import { anOrderBody } from '../builders/order-body.js';
import { FeedReader } from '../support/feed-reader.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const ID = '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c';

let application: RunningApi;
let pool: pg.Pool;
beforeAll(async () => {
  application = await startApi();
  pool = new pg.Pool({ connectionString: application.database.url, max: 3 });
});
afterAll(async () => {
  await pool.end();
  await application.stop();
});

describe('GET /v1/changes', () => {
  let api: RunningApi;
  beforeEach(async () => (api = await application.withStore()));

  const sql = (text: string, ...values: unknown[]) => api.database.query(text, values);
  /** A reader that has read everything. */
  const follower = async (query?: string) => {
    const reader = new FeedReader(api, query);
    await reader.catchUp();
    return reader;
  };
  const branches = async () => (await sql('SELECT FROM change_branches')).length;
  const errorOf = async (url: string) => {
    const { statusCode, headers } = await api.get(url);
    return [statusCode, headers['x-error-code']];
  };

  it('begins with everything, each resource once as its own route returns it, in several pages', async () => {
    const category = await api.store.category({ name: 'Shoes' });
    const brand = await api.store.brand({ name: 'Globex' });
    const product = await api.store.product({ categoryIds: [category], brandId: brand, stock: [3, 4] });
    const variant = await api.store.variant(product, { stock: 2 });
    const customer = await api.store.customer();
    const items = [{ product_id: product, variant_id: variant, quantity: 1 }];
    const placed = await api.post('/v1/orders', { items, customer: { name: 'Ada' } });
    const { order_id: order } = placed.json<{ data: { order_id: string } }>().data;
    const reader = new FeedReader(api, 'limit=2');

    const seen = await reader.catchUp();

    const things = [
      `categories ${category}`,
      `brands ${brand}`,
      `products ${product}`,
      `skus ${product}-${variant}`,
      `customers ${customer}`,
      `orders ${order}`,
    ];
    const stock = seen.filter((entry) => entry.startsWith('stock'));
    expect(seen.filter((entry) => !stock.includes(entry)).sort()).toEqual(things.sort());
    const [sku] = (await api.get('/v1/skus')).json<{ data: unknown[] }>().data;
    const { data: rows } = (await api.get('/v1/stock')).json<{ data: unknown[] }>();
    expect(stock).toHaveLength(rows.length);
    for (const { kind, id, data } of reader.copy.values()) {
      if (kind === 'skus') expect(data).toEqual(sku);
      else if (kind === 'stock') expect(rows).toContainEqual(data);
      else expect(data).toEqual((await api.get(`/v1/${kind}/${id}`)).json<{ data: unknown }>().data);
    }
  });

  it('contains deletions, and products that are no longer active', async () => {
    const product = await api.store.product();
    const draft = await api.store.product();
    const order = await api.store.order();
    const reader = await follower('kinds=orders,products');
    await sql('DELETE FROM orders WHERE id = $1', order);
    await sql(`UPDATE products SET status = 'DRAFT' WHERE id = $1`, draft);
    await sql('DELETE FROM stock WHERE product_id = $1', product);
    await sql('DELETE FROM products WHERE id = $1', product);

    const seen = await reader.catchUp();

    expect(seen.sort()).toEqual([`-orders ${order}`, `-products ${draft}`, `-products ${product}`].sort());
  });

  it('has no entry for a write that changes nothing, or only claims a stage', async () => {
    const brand = await api.store.brand();
    const product = await api.store.product({ stock: 5 });
    await api.post('/v1/orders', anOrderBody(product));
    const reader = await follower();

    await sql('UPDATE brands SET name = name WHERE id = $1', brand);
    await sql('UPDATE products SET name = name WHERE id = $1', product);
    await sql('UPDATE order_stages SET locked_until = now() WHERE store_id = $1', api.store.id);

    expect(await reader.catchUp()).toEqual([]);
  });

  // `shown-columns.spec.ts` changes each column that an answer shows.
  it('contains only what a change of a brand, a category, the stock or a link affects', async () => {
    const shelf = await api.store.warehouse();
    const [brand, category] = [await api.store.brand(), await api.store.category()];
    const branded = await api.store.product({ brandId: brand });
    const sorted = await api.store.product({ categoryIds: [category] });
    const stored = await api.store.product();
    await api.store.stock(stored, null, [5], shelf);
    const reader = await follower('kinds=products,categories,brands');
    const touched = async (text: string, ...values: unknown[]) => {
      await sql(text, ...values);
      return (await reader.catchUp()).sort();
    };

    expect(await touched(`UPDATE brands SET name = 'New' WHERE id = $1`, brand)).toEqual([
      `brands ${brand}`,
      `products ${branded}`,
    ]);
    expect(await touched(`UPDATE brands SET logo = 'new' WHERE id = $1`, brand)).toEqual([`brands ${brand}`]);
    expect(await touched(`UPDATE categories SET slug = 'new' WHERE id = $1`, category)).toEqual([
      `categories ${category}`,
      `products ${sorted}`,
    ]);
    expect(await touched(`UPDATE categories SET image = 'new' WHERE id = $1`, category)).toEqual([
      `categories ${category}`,
    ]);
    expect(await touched('UPDATE stock SET quantity = 4 WHERE product_id = $1', stored)).toEqual([
      `products ${stored}`,
    ]);
    expect(await touched('UPDATE warehouses SET active = false WHERE id = $1', shelf)).toEqual([`products ${stored}`]);
    await api.store.variant(stored, { stock: 1 });
    expect(await reader.catchUp()).toEqual([`products ${stored}`]);
    const moved = `UPDATE product_categories AS link SET product_id = product.id, created_at = product.created_at
      FROM products AS product WHERE product.id = $1 AND link.product_id = $2`;
    expect(await touched(moved, branded, sorted)).toEqual([branded, sorted].map((id) => `products ${id}`).sort());
    expect(await touched('DELETE FROM product_categories WHERE product_id = $1', branded)).toEqual([
      `products ${branded}`,
    ]);
  });

  it('contains a product that was added while its brand was being renamed', async () => {
    const brand = await api.store.brand({ name: 'Old' });
    const reader = await follower();
    const renaming = await pool.connect();
    await renaming.query('BEGIN');
    await renaming.query(`UPDATE brands SET name = 'New' WHERE id = $1`, [brand]);
    const product = await api.store.product({ brandId: brand });
    await reader.catchUp();
    expect(reader.copy.get(`products ${product}`)?.data).toMatchObject({ brand: { name: 'Old' } });

    await renaming.query('COMMIT');
    renaming.release();
    await reader.catchUp();

    expect(reader.copy.get(`products ${product}`)?.data).toMatchObject({ brand: { name: 'New' } });
  });

  it('delays the changes of a long transaction only, and misses none of them', async () => {
    const reader = await follower();
    const long = await pool.connect();
    await long.query('BEGIN');
    await long.query(`INSERT INTO brands (store_id, slug, name) VALUES ($1, 'late', 'Late')`, [api.store.id]);
    const early = await api.store.brand();

    expect(await reader.catchUp()).toEqual([`brands ${early}`]);
    const after = await api.store.brand();
    expect(await reader.catchUp()).toEqual([`brands ${after}`]);

    await long.query('COMMIT');
    long.release();
    const [{ id: late } = {}] = await sql(`SELECT id FROM brands WHERE slug = 'late'`);
    expect(await reader.catchUp()).toEqual([`brands ${String(late)}`]);
  });

  it('tells that there is more while another transaction numbers the changes of the store', async () => {
    const reader = await follower();
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query(`SELECT pg_advisory_xact_lock(hashtext('change_log'), $1)`, [api.store.id]);
    const brand = await api.store.brand();

    expect(await reader.page()).toMatchObject({ data: [], has_more: true });

    await other.query('ROLLBACK');
    other.release();
    expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
  });

  it('misses nothing that is committed while another transaction numbers', async () => {
    const reader = await follower('kinds=brands');
    const first = await api.store.brand();
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT number_changes($1)', [api.store.id]);
    const second = await api.store.brand();

    const meanwhile = reader.catchUp();
    await other.query('SELECT pg_sleep(0.05)');
    await other.query('COMMIT');
    other.release();

    expect([...(await meanwhile), ...(await reader.catchUp())]).toEqual([`brands ${first}`, `brands ${second}`]);
  });

  it('tells that there is more while a command has locked a table, and does not wait for it', async () => {
    const reader = await follower('kinds=brands');
    const command = await pool.connect();
    await command.query('BEGIN; LOCK TABLE customers IN ACCESS EXCLUSIVE MODE');
    const brand = await api.store.brand();

    expect(await reader.page()).toMatchObject({ data: [], has_more: true });

    await command.query('ROLLBACK');
    command.release();
    expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
  });

  it('contains only the wanted kinds, and no cursor continues for other kinds', async () => {
    const reader = await follower('kinds=orders, BRANDS');
    const brand = await api.store.brand();
    await api.store.category();

    expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
    expect(await errorOf(`/v1/changes?kinds=orders,categories&cursor=${reader.cursor}`)).toEqual([
      400,
      'cursor_invalid',
    ]);
    const again = await api.get(`/v1/changes?cursor=${reader.cursor}`);
    expect(again.json<{ data: unknown[] }>().data).toEqual([]);
    for (const kinds of ['nothing', '', ',']) {
      expect((await api.get(`/v1/changes?kinds=${kinds}`)).json<{ data: unknown[] }>().data).toEqual([]);
    }
  });

  it('cuts a page of fat records, and continues after it', async () => {
    const reader = await follower('kinds=brands&limit=100');
    await api.database.query(
      `INSERT INTO brands (store_id, slug, name, description)
       SELECT $1, 'fat-' || n, 'B', CASE WHEN n = 50 THEN repeat('x', 900000) ELSE repeat('x', 20000) END
       FROM generate_series(1, 100) AS n`,
      [api.store.id],
    );
    const before = reader.copy.size;
    const sizes: number[] = [];
    for (let more = true; more;) {
      const page = await reader.page();
      sizes.push(JSON.stringify(page).length);
      more = page.has_more;
    }

    expect(reader.copy.size - before).toBe(100);
    // At most the last record begins below the limit.
    expect(Math.max(...sizes)).toBeLessThan(1_500_000);
    expect(sizes.length).toBeGreaterThan(3);
  });

  it('shows a reader of one mode its orders and all deletions, a test order in between or not', async () => {
    const live = await follower('limit=2&is_test=false&kinds=orders,products,skus');
    const test = await follower('limit=2&is_test=true&kinds=orders,products,skus');
    const placed: string[] = [];
    for (const isTest of [false, true, true, true, true, false])
      placed.push(await api.store.order({ is_test: isTest }));
    const product = await api.store.product();
    const orders = placed.map((id) => `orders ${id}`);

    expect([...(await live.catchUp())].sort()).toEqual(
      [orders[0], orders[5], `products ${product}`, `skus ${product}`].sort(),
    );
    expect([...(await test.catchUp())].sort()).toEqual(
      [...orders.slice(1, 5), `products ${product}`, `skus ${product}`].sort(),
    );

    await sql('DELETE FROM orders WHERE id = ANY ($1)', [placed[0], placed[1]]);
    const gone = [`-${orders[0] ?? ''}`, `-${orders[1] ?? ''}`];
    expect([...(await live.catchUp())].sort()).toEqual([...gone].sort());
    expect([...(await test.catchUp())].sort()).toEqual([...gone].sort());

    // A cursor belongs to its filter: without it, it keeps it, and another one is refused.
    const next = await api.store.order({ is_test: true });
    expect((await api.get(`/v1/changes?cursor=${live.cursor ?? ''}`)).body).not.toContain(next);
    expect(await errorOf(`/v1/changes?cursor=${live.cursor ?? ''}&is_test=true`)).toEqual([400, 'cursor_invalid']);
    expect(await errorOf('/v1/changes?is_test=maybe')).toEqual([400, 'invalid_request']);
  });

  it('refuses a cursor that is damaged, or belongs to another store or mode', async () => {
    const { cursor = '' } = await follower();
    const withKey = async (key: string) =>
      (await api.get(`/v1/changes?cursor=${cursor}`, { authorization: `Bearer ${key}` })).headers['x-error-code'];

    expect(await errorOf(`/v1/changes?cursor=${cursor.slice(0, -3)}`)).toEqual([400, 'cursor_invalid']);
    expect(await errorOf('/v1/changes?cursor=nonsense')).toEqual([400, 'cursor_invalid']);
    expect(await errorOf('/v1/changes?cursor=%00')).toEqual([400, 'cursor_invalid']);
    const own = { storeId: api.store.id, mode: 'live' };
    const place = { branch: ID, position: 1, base: 0, kinds: CHANGE_KINDS, hasMore: false };
    for (const wrong of [{ position: 1e30 }, { position: -1 }, { base: NaN }, { kinds: [...CHANGE_KINDS, 'orders'] }]) {
      const forged = encodeCursor(own, { ...place, ...(wrong as object) });
      expect(await errorOf(`/v1/changes?cursor=${forged}`)).toEqual([400, 'cursor_invalid']);
    }
    expect(await errorOf(`/v1/changes?cursor=${encodeCursor(own, place)}`)).toEqual([200, undefined]);
    expect(await withKey(application.store.key)).toBe('cursor_invalid');
    expect(await withKey(await api.store.createKey('test'))).toBe('cursor_invalid');
    expect(await withKey(api.store.key)).toBeUndefined();
  });

  it('forgets deletions after 90 days, and refuses only the cursors that may have missed one', async () => {
    const order = await api.store.order();
    const before = await follower();
    const stale = before.cursor;
    const ofBrands = new FeedReader(api, 'kinds=brands');
    await ofBrands.catchUp();
    await sql('DELETE FROM orders WHERE id = $1', order);
    await before.catchUp();
    await api.store.order();
    await api.store.brand();
    const halfway = new FeedReader(api, 'limit=1');
    await sql(`UPDATE changes SET changed_at = now() - interval '89 days' WHERE deleted`);
    await purgeTombstones(pool);
    expect(await errorOf(`/v1/changes?cursor=${stale}`)).toEqual([200, undefined]);
    await sql(`UPDATE changes SET changed_at = now() - interval '91 days' WHERE deleted`);
    await purgeTombstones(pool);
    await halfway.page();

    expect(await errorOf(`/v1/changes?cursor=${stale}`)).toEqual([400, 'cursor_expired']);
    expect(await errorOf(`/v1/changes?cursor=${ofBrands.cursor}`)).toEqual([200, undefined]);
    expect(await before.catchUp()).toHaveLength(2);
    // It began after the purge: it has seen nothing that was deleted.
    expect((await halfway.page()).data).toHaveLength(1);
  });

  it('keeps the newest position of each kind when it forgets deletions', async () => {
    const order = await api.store.order();
    await follower();
    await sql('DELETE FROM orders WHERE id = $1', order);
    const reader = await follower();
    await sql(`UPDATE changes SET changed_at = now() - interval '91 days' WHERE deleted`);

    await purgeTombstones(pool);
    const brand = await api.store.brand();

    expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
  });

  it('rewinds a cursor of a store that a fork lost and that was imported again', async () => {
    const { store } = api;
    const lost = [await store.brand(), await store.brand()];
    const reader = await follower();
    // The fork lacks the store, its rows and its positions. The import gives it the same id, and the key is the same.
    await sql('DELETE FROM brands WHERE store_id = $1', store.id);
    await sql('DELETE FROM change_log WHERE store_id = $1', store.id);
    await sql('DELETE FROM changes WHERE store_id = $1', store.id);
    await sql('SELECT begin_branch()');
    await sql('DELETE FROM change_forks WHERE store_id = $1', store.id);
    const brand = await store.brand();

    expect(await reader.page()).toMatchObject({ rewound: true });
    await reader.catchUp();
    expect([...reader.copy.keys()]).toEqual([`brands ${brand}`]);
    expect(lost).not.toContain(brand);
    expect(await reader.page()).toMatchObject({ rewound: false, data: [] });
  });

  it('has rows that cannot be truncated, because they count the positions', async () => {
    await expect(sql('TRUNCATE changes')).rejects.toThrow('changes counts the positions of the feed');
  });

  it('begins a branch when the timeline of the database changes', async () => {
    const reader = await follower();
    const before = await branches();
    await sql(`UPDATE change_branches SET place = overlay(place PLACING '0000000F' FROM length(place) - 7)`);
    await reader.page();

    expect(await branches()).toBe(before + 1);
    expect(await reader.page()).toMatchObject({ rewound: false });
  });

  it('begins a branch in a copy that is another database, such as one that pg_restore has filled', async () => {
    const copied = await follower();
    const kept = copied.cursor;
    const lost = await api.store.brand();
    await copied.catchUp();
    // The copy has what was there before, and then changes of its own.
    await sql('DELETE FROM changes WHERE kind = $1 AND entity = $2', 'brands', String(lost));
    await sql(`UPDATE change_branches SET place = '1 2 ' || split_part(place, ' ', 3)`);
    const before = await branches();
    await new FeedReader(api).page();
    const brands = [await api.store.brand(), await api.store.brand()];
    await new FeedReader(api).catchUp();

    expect(await branches()).toBe(before + 1);
    expect(await copied.page()).toMatchObject({ rewound: true });
    await copied.catchUp();
    for (const brand of brands) expect(copied.copy.has(`brands ${brand}`)).toBe(true);
    const continued = new FeedReader(api);
    continued.cursor = kept;
    expect(await continued.page()).toMatchObject({ rewound: false });
  });

  it('numbers the changes of all stores in the worker, and moves the mark past them', async () => {
    await application.store.brand();
    await api.store.brand();
    const open = await pool.connect();
    await open.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT');

    await numberChanges(pool);
    await passChangeLog(pool, 1);

    expect(await sql('SELECT FROM change_log')).toEqual([]);
    expect(await sql('SELECT passed = (SELECT last_value FROM change_log_id_seq) AS all FROM change_log_mark')).toEqual(
      [{ all: true }],
    );
    await open.query('COMMIT');
    open.release();
  });

  it('numbers the changes of a store although those of another cannot be numbered', async () => {
    const [failing, locked] = [(await application.withStore()).store.id, (await application.withStore()).store.id];
    const next = await application.withStore();
    await numberChanges(pool);
    await sql(`INSERT INTO change_log (store_id, kind, entity) VALUES ($1, 'products', 'none')`, failing);
    await sql(`INSERT INTO change_log (store_id, kind, entity) VALUES ($1, 'brands', '0')`, locked);
    const other = await pool.connect();
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('change_log'), ${locked})`);
    await next.store.brand();

    await expect(numberChanges(pool)).rejects.toThrow('invalid input syntax for type integer: "none"');

    expect(await sql('SELECT store_id FROM change_log ORDER BY store_id')).toEqual([
      { store_id: failing },
      { store_id: locked },
    ]);
    await other.query('ROLLBACK');
    other.release();
    await sql('DELETE FROM change_log WHERE store_id = $1', failing);
  });

  it('numbers the changes of a store before the second batch of another', async () => {
    const busy = (await application.withStore()).store.id;
    const next = await application.withStore();
    await numberChanges(pool);
    const many = `INSERT INTO change_log (store_id, kind, entity) SELECT $1, 'brands', '0' FROM generate_series(1, 12000)`;
    await sql(many, busy);
    await next.store.brand();
    const numbered = jest.spyOn(pool, 'query');

    await numberChanges(pool);

    const calls = numbered.mock.calls as unknown as readonly [string, [number]?][];
    const stores = calls.flatMap(([text, values]) => (text.includes('changes.number ') ? (values ?? []) : []));
    numbered.mockRestore();
    expect(stores).toEqual([busy, next.store.id, busy, busy]);
  });

  it('does not move the mark past the change of an open transaction', async () => {
    const open = await pool.connect();
    const reader = await follower();
    await open.query('BEGIN');
    await open.query(`INSERT INTO brands (store_id, slug, name) VALUES ($1, 'open', 'Open')`, [api.store.id]);
    await api.store.brand();
    const passing = passChangeLog(pool, 1);
    await numberChanges(pool);
    await open.query('COMMIT');
    open.release();
    await passing;
    await passChangeLog(pool, 1);

    expect(await reader.catchUp()).toHaveLength(2);
  });
});

describe('GET /v1/changes?kinds=skus', () => {
  let api: RunningApi;
  let reader: FeedReader;
  let shelf: number;
  beforeEach(async () => {
    api = await application.withStore();
    shelf = await api.store.warehouse();
    reader = new FeedReader(api, 'kinds=skus&limit=100');
    await reader.catchUp();
  });

  const sql = (text: string, ...values: unknown[]) => api.database.query(text, values);
  /** What the feed has after the statement, sorted. */
  const touched = async (text: string, ...values: unknown[]) => {
    await sql(text, ...values);
    return (await reader.catchUp()).sort();
  };
  interface Scene {
    readonly product: number;
    readonly variants: readonly number[];
    /** Ids of units: a product without variants, and two variants of another product. */
    readonly single: string;
    readonly small: string;
    readonly large: string;
  }
  /** Products that the reader has seen. */
  const aProductWithVariants = async (): Promise<Scene> => {
    const [brandId, category] = [await api.store.brand(), await api.store.category()];
    const product = await api.store.product({ brandId, categoryIds: [category] });
    const [small, large] = [await api.store.variant(product), await api.store.variant(product)];
    await api.store.stock(product, small, [5, 5]);
    await api.store.stock(product, large, [5], shelf);
    const single = await api.store.product();
    await reader.catchUp();
    return {
      ...{ product, variants: [small, large] },
      ...{ single: `${single}`, small: `${product}-${small}`, large: `${product}-${large}` },
    };
  };
  const ofStore = () => `WHERE store_id = ${api.store.id}`;
  const skusOf = (ids: readonly string[]) => ids.map((id) => `skus ${id}`).sort();

  it('begins with the units of the list of SKUs, each as the list returns it', async () => {
    await aProductWithVariants();
    await api.store.product({ stock: 3, price: 1234 });
    await api.store.product({ status: 'DRAFT' });
    const all = new FeedReader(api, 'kinds=skus&limit=2');

    await all.catchUp();

    interface Unit {
      readonly product_id: number;
      readonly variant_id: number | null;
    }
    const listed = (await api.get('/v1/skus?limit=100')).json<{ data: Unit[] }>().data;
    const idOf = ({ product_id: product, variant_id: variant }: Unit) =>
      variant === null ? `${product}` : `${product}-${variant}`;
    const byId = (entries: [string, unknown][]) => Object.fromEntries(entries);
    expect(byId([...all.copy.values()].map(({ id, data }) => [id, data]))).toEqual(
      byId(listed.map((unit) => [idOf(unit), unit])),
    );
  });

  it('costs an order one row of the log, and one for each unit', async () => {
    const { product, variants } = await aProductWithVariants();
    const body = anOrderBody(product);
    const items = body.items.flatMap((item) => variants.map((variant_id) => ({ ...item, variant_id })));

    expect((await api.post('/v1/orders', { ...body, items })).statusCode).toBe(201);

    const log = 'SELECT kind, unit FROM change_log WHERE store_id = $1 ORDER BY kind, unit';
    expect(await sql(log, api.store.id)).toEqual([
      { kind: 'orders', unit: null },
      ...variants.map((unit) => ({ kind: 'products', unit })),
    ]);
  });

  it('has an entry for the unit alone when an order sells the last one of the product', async () => {
    const product = await api.store.product();
    const last = await api.store.variant(product, { stock: 1 });
    await api.store.variant(product);
    await reader.catchUp();
    const body = anOrderBody(product);
    const items = body.items.map((item) => ({ ...item, variant_id: last }));

    await api.post('/v1/orders', { ...body, items });

    expect(await reader.catchUp()).toEqual([`skus ${product}-${last}`]);
  });

  it.each<[string, (scene: Scene) => string, readonly ('single' | 'small' | 'large')[]]>([
    [
      'new stock of a variant',
      ({ product, variants }) =>
        `INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
         SELECT store_id, min(id), ${product}, ${variants[0]}, 9 FROM bins WHERE store_id = ${api.store.id} GROUP BY 1`,
      ['small'],
    ],
    [
      'the SKU of a variant',
      ({ variants }) => `UPDATE product_variants SET sku = sku || '+' WHERE id = ${variants[0]}`,
      ['small'],
    ],
    [
      'the price of a variant',
      ({ variants }) => `UPDATE product_variants SET price = price + 1 WHERE id = ${variants[0]}`,
      ['small'],
    ],
    [
      'the attributes of a variant',
      ({ variants }) => `UPDATE product_variants SET attributes = '{"Size": "1"}' WHERE id = ${variants[0]}`,
      ['small'],
    ],
    ['the names of products', () => `UPDATE products SET name = 'New' ${ofStore()}`, ['single', 'small', 'large']],
    ['the slugs of products', () => `UPDATE products SET slug = 'n-' || id ${ofStore()}`, ['single', 'small', 'large']],
    ['the prices of products', () => `UPDATE products SET price = 777 ${ofStore()}`, ['single']],
    ['the SKUs of products', () => `UPDATE products SET sku = 'S-1' ${ofStore()}`, ['single']],
    ['a warehouse', () => `UPDATE warehouses SET active = false WHERE id = ${shelf}`, ['large']],
    [
      'the warehouse of a bin',
      ({ variants }) =>
        `UPDATE bins SET warehouse_id = (SELECT min(id) FROM warehouses WHERE store_id = ${api.store.id})
         WHERE id IN (SELECT bin_id FROM stock WHERE variant_id = ${variants[1]} AND quantity > 0)`,
      ['large'],
    ],
    [
      'the currency',
      () => `UPDATE stores SET currency = 'JPY' WHERE id = ${api.store.id}`,
      ['single', 'small', 'large'],
    ],
    ['a brand', () => `UPDATE brands SET name = 'New' ${ofStore()}`, []],
    ['a category', () => `UPDATE categories SET name = 'New' ${ofStore()}`, []],
    ['the category of a product', () => `DELETE FROM product_categories ${ofStore()}`, []],
    ['the descriptions of products', () => `UPDATE products SET description = 'New' ${ofStore()}`, []],
    [
      'the name and the place of a variant',
      ({ variants }) => `UPDATE product_variants SET name = 'New', position = 3 WHERE id = ${variants[0]}`,
      [],
    ],
  ])('has an entry for each unit that a change of %s affects, and for no other', async (_what, change, affected) => {
    const scene = await aProductWithVariants();

    expect(await touched(change(scene))).toEqual(skusOf(affected.map((unit) => scene[unit])));
  });

  it('has a deletion when a variant or a product ceases to be for sale, and an entry when it comes back', async () => {
    const { product, small, large, variants } = await aProductWithVariants();
    const setVariant = 'UPDATE product_variants SET status = $1 WHERE id = $2';
    const setProduct = 'UPDATE products SET status = $1 WHERE id = $2';

    expect(await touched(setVariant, 'INACTIVE', variants[0])).toEqual([`-skus ${small}`, `skus ${large}`]);
    expect(reader.copy.get(`skus ${small}`)).toBeUndefined();
    expect(await touched(setVariant, 'INACTIVE', variants[1])).toContain(`skus ${product}`);
    expect(await touched(setVariant, 'ACTIVE', variants[1])).toEqual(
      expect.arrayContaining([`-skus ${product}`, `skus ${large}`]),
    );
    expect(await touched(setProduct, 'DRAFT', product)).toContain(`-skus ${large}`);
    expect(await touched(setProduct, 'ACTIVE', product)).toContain(`skus ${large}`);
  });

  it('has a deletion for a unit that came back and ceased again between two reads', async () => {
    const { small, variants } = await aProductWithVariants();
    const set = 'UPDATE product_variants SET status = $1 WHERE id = $2';
    expect(await touched(set, 'INACTIVE', variants[0])).toContain(`-skus ${small}`);
    // A reader of the older deletion may have read the unit here.
    await sql(set, 'ACTIVE', variants[0]);

    expect(await touched(set, 'INACTIVE', variants[0])).toContain(`-skus ${small}`);
  });
});
