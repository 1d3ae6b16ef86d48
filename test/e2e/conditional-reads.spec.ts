import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase } from '../support/test-database.js';
import pg from 'pg';

const ANOTHER_TAG = { 'if-none-match': 'W/"x"' };

describe('a read with If-None-Match', () => {
  let api: RunningApi;
  let ids: { product: number; category: number; brand: number; customer: string; order: string };
  beforeAll(async () => {
    api = await startApi();
    const category = await api.store.category();
    const brand = await api.store.brand();
    const product = await api.store.product({ stock: 100, brandId: brand, categoryIds: [category] });
    const customer = await api.store.customer();
    const placed = await api.post('/v1/orders', anOrderBody(product));
    const { order_id: order } = placed.json<{ data: { order_id: string } }>().data;
    ids = { product, category, brand, customer, order };
  });
  afterAll(() => api.stop());

  const sql = (text: string, ...values: unknown[]) => api.database.query(text, values);
  const tagOf = async (url: string, headers = {}) => String((await api.get(url, headers)).headers['etag']);
  const statusOf = async (url: string, tag: string, headers = {}) =>
    (await api.get(url, { 'if-none-match': tag, ...headers })).statusCode;
  const urls = () => [
    '/v1/orders?status=PENDING',
    `/v1/orders/${ids.order}`,
    '/v1/products',
    `/v1/products/${ids.product}`,
    '/v1/skus',
    '/v1/customers',
    `/v1/customers/${ids.customer}`,
    '/v1/categories',
    `/v1/categories/${ids.category}`,
    '/v1/brands?search=b',
    `/v1/brands/${ids.brand}`,
  ];

  it('returns 304 without a body while nothing has changed', async () => {
    for (const url of urls()) {
      const tag = await tagOf(url);
      const response = await api.get(url, { 'if-none-match': tag });

      expect([url, response.statusCode, response.body]).toEqual([url, 304, '']);
      expect(response.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' });
      expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    }
  });

  it('returns 200 with another tag after a change of what it shows', async () => {
    const { product, order, customer, category, brand } = ids;
    const changes: Record<string, () => Promise<unknown>> = {
      '/v1/orders?status=PENDING': () => api.post('/v1/orders', anOrderBody(product)),
      [`/v1/orders/${order}`]: () => sql(`UPDATE order_stages SET attempts = 7 WHERE order_id = $1`, order),
      '/v1/products': () => api.post('/v1/orders', anOrderBody(product)),
      [`/v1/products/${product}`]: () => sql(`UPDATE brands SET name = 'Renamed' WHERE id = $1`, brand),
      '/v1/skus': () => api.post('/v1/orders', anOrderBody(product)),
      '/v1/customers': () => api.store.customer(),
      [`/v1/customers/${customer}`]: () => sql(`UPDATE customers SET city = 'Here' WHERE id = $1`, customer),
      '/v1/categories': () => sql(`UPDATE categories SET active = false WHERE id = $1`, category),
      [`/v1/categories/${category}`]: () => sql(`UPDATE categories SET name = 'Renamed' WHERE id = $1`, category),
      '/v1/brands?search=b': () => api.store.brand(),
      [`/v1/brands/${brand}`]: () => sql(`UPDATE brands SET logo = 'new' WHERE id = $1`, brand),
    };
    for (const [url, change] of Object.entries(changes)) {
      const tag = await tagOf(url);
      await change();

      expect([url, await statusOf(url, tag)]).toEqual([url, 200]);
      expect(await tagOf(url)).not.toBe(tag);
    }
  });

  it('returns 200 for the list of SKUs after a warehouse closes or the currency of the store changes', async () => {
    for (const change of [
      'UPDATE warehouses SET active = NOT active WHERE store_id = $1',
      `UPDATE stores SET currency = CASE currency WHEN 'USD' THEN 'EUR' ELSE 'USD' END WHERE id = $1`,
    ]) {
      const tag = await tagOf('/v1/skus', ANOTHER_TAG);
      await sql(change, api.store.id);

      expect(await statusOf('/v1/skus', tag)).toBe(200);
      await sql(change, api.store.id);
    }
  });

  it('returns 304 after a change of what it does not show', async () => {
    const tag = await tagOf('/v1/brands');
    await api.store.category();
    const other = await StoreFixture.create(api.database);
    await other.brand();

    expect(await statusOf('/v1/brands', tag)).toBe(304);
  });

  it('returns 200 without a tag while a committed change has no position', async () => {
    const tag = await tagOf('/v1/brands');
    const numbering = new pg.Client({ connectionString: api.database.url });
    await numbering.connect();
    await numbering.query('BEGIN');
    await numbering.query(`SELECT pg_advisory_xact_lock(hashtext('change_log'), $1)`, [api.store.id]);
    await api.store.brand();

    const { statusCode, headers } = await api.get('/v1/brands', { 'if-none-match': tag });
    expect([statusCode, headers['etag'], headers['cache-control']]).toEqual([200, undefined, 'no-store']);
    // Changes of other kinds do not matter.
    expect(await statusOf('/v1/customers', await tagOf('/v1/customers'))).toBe(304);

    await numbering.end();
    expect(await statusOf('/v1/brands', tag)).toBe(200);
  });

  it('returns 200 for the tag of an answer that shows what was created and deleted before the next tag', async () => {
    const writer = new pg.Client({ connectionString: api.database.url });
    await writer.connect();
    await tagOf('/v1/brands', ANOTHER_TAG);
    // The request reads the head of the feed, and waits for the table.
    await writer.query('BEGIN; LOCK TABLE brands IN ACCESS EXCLUSIVE MODE');
    const reading = api.get('/v1/brands', ANOTHER_TAG);
    await eventually(async () => {
      const waiting = await sql(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'brands'::regclass`);
      expect(waiting).toHaveLength(1);
    });
    const brand = `INSERT INTO brands (store_id, slug, name) VALUES ($1, 'brief', 'Brief')`;
    await writer.query(brand, [api.store.id]);
    await writer.query('COMMIT');
    await writer.end();
    const { headers, body } = await reading;
    await sql(`DELETE FROM brands WHERE slug = 'brief'`);

    expect(body).toContain('Brief');
    expect(await statusOf('/v1/brands', String(headers['etag']))).toBe(200);
  });

  it('answers in time while a numbering hangs, such as in a commit that waits for a standby', async () => {
    await sql(
      `CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(4); RETURN NULL; END'`,
    );
    await sql('CREATE TRIGGER numbering_hangs BEFORE INSERT ON changes EXECUTE FUNCTION hang()');
    const tag = await tagOf('/v1/brands');
    const brand = await api.store.brand();

    for (const url of ['/v1/brands', `/v1/brands/${brand}`, '/v1/changes']) {
      const asked = performance.now();
      expect([url, await statusOf(url, tag)]).toEqual([url, 200]);
      expect((await api.get(url)).statusCode).toBe(200);
      expect(performance.now() - asked).toBeLessThan(3_000);
    }
    await sql('DROP TRIGGER numbering_hangs ON changes');
  });

  it('accepts the tag of another key of the store and mode only', async () => {
    const other = await StoreFixture.create(api.database);
    const tag = await tagOf('/v1/brands');
    const by = (key: string) => statusOf('/v1/brands', tag, { authorization: `Bearer ${key}` });

    expect(await by(await api.store.createKey())).toBe(304);
    expect(await by(await api.store.createKey('test'))).toBe(200);
    expect(await by(other.key)).toBe(200);
    expect(await statusOf('/v1/brands?limit=2', tag)).toBe(200);
  });

  it('compares tags weakly, in a list and with a star, and none of a malformed list', async () => {
    const tag = await tagOf('/v1/brands');

    expect(await statusOf('/v1/brands', `"x", ${tag.slice(2)}, W/"y"`)).toBe(304);
    const star = await api.get('/v1/brands', { 'if-none-match': '*' });
    expect([star.statusCode, star.body, star.headers['etag']]).toEqual([304, '', tag]);
    expect(await statusOf('/v1/brands/0', '*')).toBe(404);
    expect(await statusOf('/v1/brands', 'W/"x"')).toBe(200);
    for (const malformed of [`x ${tag}`, `${tag} "x"`, `"x${tag}`, `${tag}, x`, `*, ${tag}`]) {
      expect([malformed, await statusOf('/v1/brands', malformed)]).toEqual([malformed, 200]);
    }
  });

  it('returns 304 for a star to a HEAD request too', async () => {
    const headers = { 'if-none-match': '*', authorization: `Bearer ${api.store.key}` };
    for (const url of urls()) {
      const { statusCode, body } = await api.app.inject({ method: 'HEAD', url, headers });

      expect([url, statusCode, body]).toEqual([url, 304, '']);
    }
  });

  it('refuses with strict handling what it answered without', async () => {
    const url = '/v1/brands?typo=1';
    const tag = await tagOf(url);

    expect(await statusOf(url, tag)).toBe(304);
    expect(await statusOf(url, tag, { prefer: 'handling=strict' })).toBe(400);
  });

  it('does not query the list for a 304', async () => {
    const tag = await tagOf('/v1/orders');
    await sql('BEGIN; LOCK TABLE list_tallies IN ACCESS EXCLUSIVE MODE; COMMIT');
    const locked = new pg.Client({ connectionString: api.database.url });
    await locked.connect();
    await locked.query('BEGIN; LOCK TABLE list_tallies IN ACCESS EXCLUSIVE MODE');

    expect(await statusOf('/v1/orders', tag)).toBe(304);

    await locked.end();
  });

  it('has no tag where a replica may answer', async () => {
    const database = await createTestDatabase();
    const replicated = await startApi({ DATABASE_REPLICA_URLS: database.url }, undefined, database);
    const tagged = async (url: string) => (await replicated.get(url)).headers['etag'] !== undefined;

    const lists = ['/v1/products', '/v1/skus', '/v1/customers', '/v1/orders', '/v1/brands'];
    expect(await Promise.all(lists.map(tagged))).toEqual([false, false, false, true, true]);

    await replicated.stop();
  });

  it.each([
    ['an error', '/v1/orders/nothing'],
    ['the feed', '/v1/changes'],
    ['the profile of the store', '/v1/store'],
  ])('has no tag, and no-store, on %s', async (_what, url) => {
    const { headers } = await api.get(url);

    expect(headers['etag']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });
});
