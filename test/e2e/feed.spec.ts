import { once } from 'node:events';
import http, { type Server } from 'node:http';
import net from 'node:net';
import { promisify } from 'node:util';
import {
  BrandRepository,
  CHANGE_KINDS,
  CustomersService,
  encodeCursor,
  FeedWatch,
  MAX_REQUESTS,
  MAX_REQUESTS_OF_STORE,
} from '@app/application';
import { numberChanges, passChangeLog, purgeTombstones } from '@app/infrastructure';
import pg from 'pg';
import { BY_OPERATOR } from '../builders/change-origin.js';
import { anOrderBody } from '../builders/order-body.js';
import { counterValue } from '../support/counter-value.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { startListeningApi, type ListeningApi } from '../support/listening-api.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { pagesReadBy, type RunPlan } from '../support/rows-read.js';
import type { RunningApi } from '../support/start-api.js';
import { openUnread } from '../support/unread-connections.js';

const ID = '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c';
/** Makes the test of a request with `wait=25` fail when nothing ends the wait early. */
const SHORTER_THAN_THE_WAIT_MS = 20_000;

let application: ListeningApi;
let pool: pg.Pool;
beforeAll(async () => {
  application = await startListeningApi();
  pool = new pg.Pool({ connectionString: application.database.url, max: 3 });
});
afterAll(async () => {
  await pool.end();
  await application.stop();
});

// This test runs before all others: the first numbering of a database happens only once.
it('GET /v1/changes waits for the first numbering of the database, which another transaction does', async () => {
  const api = await application.withStore();
  await api.store.brand();
  const first = await pool.connect();
  await first.query('BEGIN');
  await first.query('SELECT number_changes($1)', [api.store.id]);

  const reading = api.get('/v1/changes');
  await eventually(async () => expect(await lockWaits(api.database)).toBeGreaterThan(0));
  // The time exceeds what a read waits for a numbering.
  await new Promise((resolve) => setTimeout(resolve, 700));
  await first.query('COMMIT');
  first.release();

  const { statusCode, body } = await reading;
  expect([statusCode, body]).toEqual([200, expect.stringContaining('"kind":"brands"')]);
});

describe('GET /v1/changes', () => {
  let api: RunningApi;
  beforeEach(async () => (api = await application.withStore()));

  const sql = (text: string, ...values: unknown[]) => api.database.query(text, values);
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
    const { order_id: order } = await api.place({ items, customer: { name: 'Ada' } });
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

  // `feed-records.spec.ts` changes each column that an answer shows.
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
    const renaming = await openTransaction(api.database, `UPDATE brands SET name = 'New' WHERE id = ${brand}`);
    const product = await api.store.product({ brandId: brand });
    await reader.catchUp();
    expect(reader.copy.get(`products ${product}`)?.data).toMatchObject({ brand: { name: 'Old' } });

    await renaming.query('COMMIT');
    await renaming.end();
    await reader.catchUp();

    expect(reader.copy.get(`products ${product}`)?.data).toMatchObject({ brand: { name: 'New' } });
  });

  it('delays the changes of a long transaction only, and misses none of them', async () => {
    const reader = await follower();
    const insert = `INSERT INTO brands (store_id, slug, name) VALUES (${api.store.id}, 'late', 'Late')`;
    const long = await openTransaction(api.database, insert);
    const early = await api.store.brand();

    expect(await reader.catchUp()).toEqual([`brands ${early}`]);
    const after = await api.store.brand();
    expect(await reader.catchUp()).toEqual([`brands ${after}`]);

    await long.query('COMMIT');
    await long.end();
    const [{ id: late } = {}] = await sql(`SELECT id FROM brands WHERE slug = 'late'`);
    expect(await reader.catchUp()).toEqual([`brands ${String(late)}`]);
  });

  it.each([
    ['another transaction numbers', () => `SELECT pg_advisory_xact_lock(hashtext('change_log'), ${api.store.id})`],
    ['a command has locked a table', () => 'LOCK TABLE customers IN ACCESS EXCLUSIVE MODE'],
  ])('tells that there is more while %s, and does not wait for it', async (_what, lock) => {
    const reader = await follower('kinds=brands');
    const other = await openTransaction(api.database, lock());
    const brand = await api.store.brand();

    expect(await reader.page()).toMatchObject({ data: [], has_more: true });

    await other.end();
    expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
  });

  it('misses nothing that is committed while another transaction numbers', async () => {
    const reader = await follower('kinds=brands');
    const first = await api.store.brand();
    const other = await openTransaction(api.database, `SELECT number_changes(${api.store.id})`);
    const second = await api.store.brand();

    const meanwhile = reader.catchUp();
    await other.query('SELECT pg_sleep(0.05)');
    await other.query('COMMIT');
    await other.end();

    expect([...(await meanwhile), ...(await reader.catchUp())]).toEqual([`brands ${first}`, `brands ${second}`]);
  });

  it('numbers a product that sells all the time in as few pages while a snapshot keeps its old versions', async () => {
    const product = await api.store.product({ stock: 10_000 });
    // The client has one connection, which has its plans, and counts the fewest pages: other work may make it read its
    // catalog again.
    const client = await pool.connect();
    const sell = () =>
      client.query('UPDATE stock SET quantity = quantity - 1 WHERE store_id = $1 AND product_id = $2', [
        ...[api.store.id, product],
      ]);
    const sellAndNumber = async (times: number) => {
      for (let n = 0; n < times; n++) {
        await sell();
        await client.query('SELECT number_changes($1)', [api.store.id]);
      }
    };
    const fewestPages = async () => {
      const counts: number[] = [];
      for (let n = 0; n < 5; n++) {
        await sell();
        const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT number_changes(${api.store.id})`;
        const { rows } = await client.query<RunPlan>(explain);
        counts.push(...rows.map(pagesReadBy));
      }
      return Math.min(...counts);
    };
    await sellAndNumber(10);
    const atRest = await fewestPages();
    const snapshot = await openTransaction(api.database, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');

    await sellAndNumber(1_000);
    await passChangeLog(pool, 1);
    const beside = await fewestPages();

    expect(beside).toBeLessThan(2 * atRest);
    expect(await sql(`SELECT kind FROM changes WHERE store_id = $1`, api.store.id)).toHaveLength(3);
    await snapshot.end();
    client.release();
  });

  it.each([
    ['prices', (sku: string) => api.post('/v1/prices', { lines: [{ sku, price: '7.77', expected: null }] })],
    ['the stock', (sku: string) => api.post('/v1/stock', { lines: [{ sku, adjust: 1 }] })],
    [
      'an import',
      (sku: string) => api.post('/v1/import', { lines: [{ kind: 'product', slug: sku, name: 'Another' }] }),
    ],
  ])('has numbered a change of %s when it is answered: the next read has its time', async (_, change) => {
    const sku = `sku-${Date.now()}`;
    const id = await api.store.product({ stock: 5, sku, slug: sku });
    await follower();
    const [moment] = await sql('SELECT now()::timestamptz(3) AS now');

    const answer = await change(sku);

    expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('"error":""')]);

    const read = (await api.get(`/v1/products/${id}`)).json<{ data: { updated_at: string } }>().data;
    expect(Date.parse(read.updated_at)).toBeGreaterThanOrEqual(Number(moment?.now));
  });

  it('has numbered an erasure when it is answered: the next read of an order has its time', async () => {
    const product = await api.store.product({ stock: 5 });
    const email = 'ada@example.com';
    const { order_id: id } = await api.place(anOrderBody(product, 1, { customer: { name: 'Ada', email } }));
    await follower();
    const [moment] = await sql('SELECT now()::timestamptz(3) AS now');

    await application.app.get(CustomersService).erase({ store: api.store.subdomain, email, force: true }, BY_OPERATOR);

    const read = (await api.get(`/v1/orders/${id}`)).json<{ data: { updated_at: string } }>().data;
    expect(Date.parse(read.updated_at)).toBeGreaterThanOrEqual(Number(moment?.now));
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
    for (const kinds of ['', ',']) {
      expect((await api.get(`/v1/changes?kinds=${kinds}`)).json<{ data: unknown[] }>().data).toEqual([]);
    }
    const unknown = await api.get('/v1/changes?kinds=orders,nothing');
    expect([unknown.statusCode, unknown.json<{ error: string }>().error]).toEqual([
      400,
      `kinds must be one or more of ${CHANGE_KINDS.join(', ')}, separated by commas`,
    ]);
  });

  it('begins at its end with cursor=now, without entries, and continues with what follows of its kinds', async () => {
    await api.store.brand();
    const reader = new FeedReader(api, 'kinds=brands,categories');
    reader.cursor = 'now';

    expect(await reader.page()).toMatchObject({ data: [], has_more: false, rewound: false });
    const category = await api.store.category();
    await api.store.customer();

    expect(await reader.catchUp()).toEqual([`categories ${category}`]);
    expect(await errorOf('/v1/changes?cursor=NOW')).toEqual([400, 'cursor_invalid']);
  });

  it('has no entries with cursor=now while changes wait for their positions, and has_more is true', async () => {
    const lock = `SELECT pg_advisory_xact_lock(hashtext('change_log'), ${api.store.id})`;
    const other = await openTransaction(api.database, lock);
    const brand = await api.store.brand();
    const reader = new FeedReader(api);
    reader.cursor = 'now';

    expect(await reader.page()).toMatchObject({ data: [], has_more: true });
    await other.end();
    expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
  });

  describe('from a time', () => {
    const pageFrom = async (from: string, more = '') => {
      const { data } = await new FeedReader(api, `limit=100&from=${from}${more}`).page();
      return data.map(({ id }) => Number(id));
    };
    const changedAt = async (kind: string, id: number, time: string) => {
      await follower();
      const change = 'UPDATE changes SET changed_at = $3 WHERE store_id = $1 AND kind = $2 AND entity = $4';
      await sql(change, api.store.id, kind, time, String(id));
    };

    it('begins with the first change at or after it, of its kinds, and continues by its cursor', async () => {
      const brands: number[] = [];
      for (const [index, millisecond] of ['122', '123', '123', '124'].entries()) {
        brands[index] = await api.store.brand();
        await changedAt('brands', brands[index], `2020-03-28T23:00:00.${millisecond}Z`);
      }
      const category = await api.store.category();

      expect(await pageFrom('2020-03-28T23:00:00Z')).toEqual([...brands, category]);
      expect(await pageFrom('2020-03-29T00:00:00.123+01:00')).toEqual([...brands.slice(1), category]);
      expect(await pageFrom('2020-03-28T23:00:00.1230001Z', '&kinds=brands')).toEqual(brands.slice(3));
      const reader = new FeedReader(api, 'kinds=categories');
      await reader.page('&from=2020-03-28T23:00:00.124Z');
      expect([...reader.copy.keys()]).toEqual([`categories ${category}`]);
      await api.store.brand();
      expect(await reader.catchUp()).toEqual([]);
    });

    it('begins at its end if the time is in the future', async () => {
      await api.store.brand();
      const reader = new FeedReader(api);

      expect(await reader.page('&from=2999-01-01T00:00:00Z')).toMatchObject({ data: [], has_more: false });
      const brand = await api.store.brand();
      expect(await reader.catchUp()).toEqual([`brands ${brand}`]);
    });

    it('is refused if a deletion since then may be purged, and only then', async () => {
      const brand = await api.store.brand();
      await changedAt('brands', brand, '2020-01-01T00:00:00Z');
      const gone = await api.store.order();
      await follower();
      await sql('DELETE FROM orders WHERE id = $1', gone);
      await follower();
      await sql(`UPDATE changes SET changed_at = '2020-01-02T00:00:00Z' WHERE entity = $1`, gone);
      const last = await api.store.order();
      await follower();
      await sql(`UPDATE changes SET changed_at = '2020-01-03T00:00:00Z' WHERE entity = $1`, last);
      await purgeTombstones(pool);

      const since = (time: string, more = '') => errorOf(`/v1/changes?from=${time}${more}`);
      expect(await since('2020-01-01T12:00:00Z')).toEqual([400, 'cursor_expired']);
      expect(await since('2020-01-01T12:00:00Z', '&kinds=brands')).toEqual([200, undefined]);
      expect(await since('2020-01-03T12:00:00Z')).toEqual([200, undefined]);
      // Everything that is left has changed since, so no position before the time is known.
      await sql('UPDATE changes SET changed_at = now() WHERE store_id = $1', api.store.id);
      expect(await since(new Date(Date.now() - 86_400_000).toISOString())).toEqual([200, undefined]);
      expect(await since('2020-01-03T12:00:00Z')).toEqual([400, 'cursor_expired']);
    });

    it.each([
      ['from=2026-03-29', 'from must be a time with a zone, such as 2026-03-29T00:00:00+01:00'],
      ['from=2026-03-29T00:00:00Z&cursor=now', 'cursor and from exclude each other'],
    ])('is refused: %s', async (query, error) => {
      const answer = await api.get(`/v1/changes?${query}`);

      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        400,
        expect.stringContaining(error),
      ]);
    });
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
    // At most the last record starts below the limit.
    expect(Math.max(...sizes)).toBeLessThan(1_500_000);
    expect(sizes.length).toBeGreaterThan(3);
  });

  it('reads no record that does not fit into the page', async () => {
    const reader = await follower('kinds=brands&limit=100');
    await sql(
      `INSERT INTO brands (store_id, slug, name, description)
       SELECT $1, 'huge-' || n, 'B', repeat('x', 600000) FROM generate_series(1, 5) AS n`,
      api.store.id,
    );
    const records = vi.spyOn(api.app.get(BrandRepository, { strict: false }), 'findByIds');

    await reader.catchUp();

    expect(records.mock.calls.map(([, ids]) => ids.length)).toEqual([1, 1, 1, 1, 1]);
    records.mockRestore();
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

    // A cursor belongs to its filter: when the filter is absent it stays, and another one is refused.
    const next = await api.store.order({ is_test: true });
    expect((await api.get(`/v1/changes?cursor=${live.cursor ?? ''}`)).body).not.toContain(next);
    expect(await errorOf(`/v1/changes?cursor=${live.cursor ?? ''}&is_test=true`)).toEqual([400, 'cursor_invalid']);
    expect(await errorOf('/v1/changes?is_test=maybe')).toEqual([400, 'invalid_request']);
  });

  it('refuses a cursor that is damaged, or belongs to another store or mode', async () => {
    const { cursor = '' } = await follower();
    const codeFor = async (key: string) =>
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
    expect(await codeFor(application.store.key)).toBe('cursor_invalid');
    expect(await codeFor(await api.store.createKey('test'))).toBe('cursor_invalid');
    expect(await codeFor(api.store.key)).toBeUndefined();
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
    // The reader began after the purge, so it has seen nothing that was deleted.
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
    // The copy contains what was there before, and then changes of its own.
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
    const open = await openTransaction(api.database, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');

    await numberChanges(pool);
    await passChangeLog(pool, 1);

    expect(await sql('SELECT FROM change_log')).toEqual([]);
    expect(await sql('SELECT passed = (SELECT last_value FROM change_log_id_seq) AS all FROM change_log_mark')).toEqual(
      [{ all: true }],
    );
    await open.end();
  });

  it('numbers the changes of a store although those of another cannot be numbered', async () => {
    const [failing, locked] = [(await application.withStore()).store.id, (await application.withStore()).store.id];
    const next = await application.withStore();
    await numberChanges(pool);
    await sql(`INSERT INTO change_log (store_id, kind, entity) VALUES ($1, 'products', 'none')`, failing);
    await sql(`INSERT INTO change_log (store_id, kind, entity) VALUES ($1, 'brands', '0')`, locked);
    const other = await openTransaction(
      api.database,
      `SELECT pg_advisory_xact_lock(hashtext('change_log'), ${locked})`,
    );
    await next.store.brand();

    await expect(numberChanges(pool)).rejects.toThrow('invalid input syntax for type integer: "none"');

    expect(await sql('SELECT store_id FROM change_log ORDER BY store_id')).toEqual([
      { store_id: failing },
      { store_id: locked },
    ]);
    await other.end();
    await sql('DELETE FROM change_log WHERE store_id = $1', failing);
  });

  it('numbers the changes of a store before the second batch of another', async () => {
    const busy = (await application.withStore()).store.id;
    const next = await application.withStore();
    await numberChanges(pool);
    const many = `INSERT INTO change_log (store_id, kind, entity) SELECT $1, 'brands', '0' FROM generate_series(1, 12000)`;
    await sql(many, busy);
    await next.store.brand();
    const numbered = vi.spyOn(pool, 'query');

    await numberChanges(pool);

    const calls = numbered.mock.calls as unknown as readonly [string, [number]?][];
    const stores = calls.flatMap(([text, values]) => (text.includes('changes.number ') ? (values ?? []) : []));
    numbered.mockRestore();
    expect(stores).toEqual([busy, next.store.id, busy, busy]);
  });

  it('does not move the mark past the change of an open transaction', async () => {
    const reader = await follower();
    const insert = `INSERT INTO brands (store_id, slug, name) VALUES (${api.store.id}, 'open', 'Open')`;
    const open = await openTransaction(api.database, insert);
    await api.store.brand();
    const passing = passChangeLog(pool, 1);
    await numberChanges(pool);
    await open.query('COMMIT');
    await open.end();
    await passing;
    await passChangeLog(pool, 1);

    expect(await reader.catchUp()).toHaveLength(2);
  });
});

describe('a waiting request to GET /v1/changes', () => {
  let api: RunningApi;
  beforeEach(async () => (api = await application.withStore()));
  afterEach(() => vi.restoreAllMocks());

  const reader = async () => {
    const feed = new FeedReader(api);
    await feed.catchUp();
    return feed;
  };
  const watchers = () =>
    api.app.get<{ readonly watchers: ReadonlySet<{ wake(changed: boolean): void }> }>(FeedWatch, { strict: false })
      .watchers;
  const slotsTaken = async () => {
    const taken = (kind: string) => counterValue(api.app, 'http_places_taken', { kind });
    return { waits: await taken('waits'), reads: await taken('reads') };
  };
  const connections = () => {
    const server: Server = api.app.getHttpServer();
    return promisify(server.getConnections.bind(server))();
  };
  const lockedBrands = async () => {
    await api.database.query(
      `INSERT INTO brands (store_id, slug, name) SELECT $1, 'b-' || n, 'B' FROM generate_series(1, 30) AS n`,
      [api.store.id],
    );
    await new FeedReader(api).catchUp();
    return openTransaction(api.database, 'LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
  };
  const ask = (query: string) =>
    `GET /v1/changes?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.store.key}\r\n\r\n`;
  /**
   * Starts a request that waits, and returns once it does. `changed` of its answer says whether a change ended the
   * wait.
   */
  const hold = async (feed: FeedReader, seconds: number) => {
    const wait = vi.spyOn(api.app.get(FeedWatch, { strict: false }), 'wait');
    const page = feed.page(`&wait=${seconds}`);
    await eventually(() => expect(watchers().size).toBe(1));
    return async () => ({ ...(await page), changed: (await wait.mock.results[0]?.value) as boolean });
  };

  it('ends as soon as something changes', async () => {
    const answer = await hold(await reader(), 25);
    const brand = await api.store.brand();

    const { data, changed } = await answer();

    expect(data.map(({ id }) => id)).toEqual([String(brand)]);
    expect(changed).toBe(true);
  });

  it('ends without changes when the time is over, and not for a change of another kind or store', async () => {
    const feed = new FeedReader(api, 'kinds=orders');
    await feed.catchUp();
    const answer = await hold(feed, 2);
    await api.store.brand();

    const { data, has_more: hasMore, changed } = await answer();

    expect([data, hasMore, changed]).toEqual([[], false, false]);
  });

  // The cursor can be used for counts: what is before the answer must be before its cursor.
  it.each(['the time is over', 'the process shuts down'])(
    'has a cursor after changes of other kinds that were made before %s',
    async (end) => {
      const product = await api.store.product({ stock: 10 });
      const feed = new FeedReader(api, 'kinds=orders');
      await feed.catchUp();
      const answer = await hold(feed, end === 'the time is over' ? 2 : 25);
      const change = (line: object) => api.post('/v1/stock', { lines: [{ product_id: product, ...line }] });
      await change({ adjust: 5 });
      if (end !== 'the time is over') for (const watcher of watchers()) watcher.wake(false);

      const { data, has_more: hasMore, changed } = await answer();
      await change({ counted: 15, as_of: feed.cursor, basis: 'on_hand' });

      expect([data, hasMore, changed]).toEqual([[], false, false]);
      expect(await api.store.onHand(product)).toBe(15);
    },
    SHORTER_THAN_THE_WAIT_MS,
  );

  it('does not wait when there are changes', async () => {
    await api.store.brand();
    const wait = vi.spyOn(api.app.get(FeedWatch, { strict: false }), 'wait');

    const { data } = await new FeedReader(api).page('&wait=25');

    expect(data.length).toBeGreaterThan(0);
    expect(wait).not.toHaveBeenCalled();
  });

  it('takes no connection and no slot of other reads, and has its own slots', async () => {
    const feed = await reader();
    const url = `/v1/changes?cursor=${feed.cursor}&wait=25`;
    const crowdOf = ({ get }: RunningApi, of: string) =>
      Array.from({ length: MAX_REQUESTS_OF_STORE.waits }, () => get(of));
    const waiting = (count: number) => eventually(() => expect(watchers().size).toBe(count));
    const crowd = crowdOf(api, url);
    await waiting(MAX_REQUESTS_OF_STORE.waits);

    expect((await api.get(url)).headers['x-error-code']).toBe('overloaded');
    while (crowd.length < MAX_REQUESTS.waits) {
      crowd.push(...crowdOf(await application.withStore(), '/v1/changes?kinds=orders&wait=25'));
      await waiting(crowd.length);
    }
    const another = await application.withStore();
    expect((await another.get('/v1/changes?wait=25')).headers['x-error-code']).toBe('overloaded');
    expect((await api.get('/v1/brands')).statusCode).toBe(200);
    expect((await api.get(`/v1/changes?cursor=${feed.cursor}`)).statusCode).toBe(200);

    for (const watcher of watchers()) watcher.wake(false);
    const answers = await Promise.all(crowd);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect((await api.get(`/v1/changes?cursor=${feed.cursor}&wait=1`)).statusCode).toBe(200);
  });

  it('keeps no slot when its connection breaks during the look-up of its key', async () => {
    const unanswered = () => counterValue(api.app, 'http_unanswered_requests_total', { route: '/v1/changes' });
    const blocker = await openTransaction(api.database, 'LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const [socket] = await openUnread(application.port, 1, ask('wait=25'));
    await eventually(async () => expect(await lockWaits(api.database)).toBe(1));

    socket?.resetAndDestroy();
    await eventually(async () => expect(await connections()).toBe(0));
    const before = await unanswered();
    await blocker.end();

    await eventually(async () => expect(await unanswered()).toBe(before + 1));
    expect(await slotsTaken()).toEqual({ waits: 0, reads: 0 });
  });

  it('frees its slot when the connection breaks', async () => {
    const feed = await reader();
    const url = `http://127.0.0.1:${application.port}/v1/changes?cursor=${feed.cursor}&wait=25`;
    const request = http.get(url, { headers: { authorization: `Bearer ${api.store.key}` } });
    request.on('error', () => undefined);
    await eventually(() => expect(watchers().size).toBe(1));

    request.socket?.resetAndDestroy();

    await eventually(() => expect(watchers().size).toBe(0));
  });

  it(
    'ends early when the client ends its side of the connection, with an answer if it still reads',
    async () => {
      const feed = await reader();
      const socket = net.connect({ port: application.port, host: '127.0.0.1', allowHalfOpen: true });
      let answer = '';
      socket.on('data', (data) => (answer += String(data)));
      socket.write(ask(`cursor=${feed.cursor}&wait=25`));
      await eventually(() => expect(watchers().size).toBe(1));

      socket.end();
      await once(socket, 'end');

      expect(answer).toContain('"data":[]');
      expect(await slotsTaken()).toEqual({ waits: 0, reads: 0 });
    },
    SHORTER_THAN_THE_WAIT_MS,
  );

  it.each([
    ['waits', 'wait=25'],
    ['reads', ''],
  ] as const)(
    'keeps its slot of %s when its connection breaks, until its work has ended, and reads no further',
    async (kind, query) => {
      const lock = await lockedBrands();
      const records = vi.spyOn(api.app.get(BrandRepository, { strict: false }), 'findByIds');
      const [socket] = await openUnread(application.port, 1, ask(query));
      await eventually(async () => expect(await lockWaits(api.database)).toBe(1));

      socket?.resetAndDestroy();
      await eventually(async () => expect(await connections()).toBe(0));
      expect(await slotsTaken()).toMatchObject({ [kind]: 1 });
      await lock.end();

      await eventually(async () => expect(await slotsTaken()).toEqual({ waits: 0, reads: 0 }));
      expect(records).toHaveBeenCalledTimes(1);
    },
  );

  it.each([
    ['before the change that it waits for', 25],
    ['and nothing changes', 1],
  ])('is refused when its key is revoked %s', async (_when, seconds) => {
    const answer = await hold(await reader(), seconds);

    await api.database.query(`UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1`, [api.store.id]);
    if (seconds === 25) await api.store.brand();

    await expect(answer()).rejects.toThrow(/^403 .*API key is revoked, deactivated or expired/);
  });

  // This test is the last, because no request waits after it.
  it(
    'ends at once when the process shuts down, and later ones do not wait',
    async () => {
      const feed = await reader();
      const answer = await hold(feed, 25);

      api.app.get(FeedWatch, { strict: false }).close();

      expect(watchers().size).toBe(0);
      expect((await answer()).data).toEqual([]);
      expect((await feed.page('&wait=25')).data).toEqual([]);
    },
    SHORTER_THAN_THE_WAIT_MS,
  );
});
