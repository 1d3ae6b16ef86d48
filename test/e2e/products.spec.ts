import { StoreFixture } from '../builders/store-fixture.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/products', () => {
  let api: RunningApi;
  let shoes: number;
  let globex: number;
  let runner: number;
  let size42: number;
  let mug: number;
  let lamp: number;
  let wool: number;
  let draft: number;
  let foreign: { product: number; category: number };

  beforeAll(async () => {
    api = await startApi();
    const other = await StoreFixture.create(api.database);
    const category = await other.category();
    foreign = { category, product: await other.product({ slug: 'foreign-mug', categoryIds: [category], stock: 5 }) };

    const { store } = api;
    shoes = await store.category({ name: 'Shoes', slug: 'shoes', display_order: 2 });
    const sport = await store.category({ name: 'Sport', slug: 'sport', display_order: 1, active: false });
    globex = await store.brand({ name: 'Globex', slug: 'globex' });
    lamp = await store.product({ name: 'Lamp', price: 1, createdAt: '2026-01-01T00:00:00Z', stock: 0 });
    mug = await store.product({ name: 'Mug', slug: 'mug', featured: true, createdAt: '2026-02-01', stock: [2, 3] });
    runner = await store.product({
      name: 'Runner Über',
      slug: 'runner',
      sku: 'R-1',
      price: 7990,
      featured: true,
      brandId: globex,
      categoryIds: [shoes, sport],
      createdAt: '2026-01-02T03:04:05.006Z',
      stock: 1,
      columns: {
        description: 'Runs',
        images: JSON.stringify([{ url: 'https://x.test/1.png', alt: 'Side' }, { url: 'https://x.test/2.png' }]),
        specifications: JSON.stringify([{ name: 'Weight', value: '240 g' }]),
        updated_at: '2026-01-03T03:04:05.006Z',
      },
    });
    const variant = { sku: 'R-1-43', name: '43', price: 8300, position: 2, status: 'INACTIVE' };
    const size43 = await store.variant(runner, variant);
    // jsonb sorts the shorter name first.
    const attributes = { Color: 'Blue', Size: '42', color: 'Azure' };
    size42 = await store.variant(runner, { sku: 'R-1-42', name: '42', price: 8200, position: 1, attributes, stock: 7 });
    await store.stock(runner, size43, 20, await store.warehouse({ active: false }));
    wool = await store.product({ name: 'Wool 100%_\\', createdAt: '2026-02-01', categoryIds: [shoes] });
    draft = await store.product({ name: 'Draft', slug: 'draft', status: 'DRAFT', featured: true, stock: 9 });
    await store.product({ slug: 'archived', status: 'ARCHIVED', categoryIds: [shoes], stock: 9 });
  });
  afterAll(() => api.stop());

  const inOrder = () => [wool, mug, runner, lamp].map(String);

  itBehavesAsList(() => ({ api, path: '/v1/products', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    api,
    path: '/v1/products',
    what: 'Product',
    known: 'mug',
    foreign: [foreign.product, 'foreign-mug'],
  }));

  it('returns the fields of a product in a list', async () => {
    const { data } = await readList(api, '/v1/products?search=runner');

    expect(data).toEqual([
      { id: String(runner), name: 'Runner Über', slug: 'runner', price: 79.9, quantity: 8, status: 'ACTIVE' },
    ]);
  });

  it('returns the full product', async () => {
    const response = await api.get('/v1/products/runner');

    expect(response.json<{ data: object }>().data).toEqual({
      id: String(runner),
      name: 'Runner Über',
      slug: 'runner',
      price: 79.9,
      quantity: 8,
      status: 'ACTIVE',
      sku: 'R-1',
      description: 'Runs',
      featured: true,
      images: [
        { url: 'https://x.test/1.png', alt: 'Side' },
        { url: 'https://x.test/2.png', alt: '' },
      ],
      variants: [
        {
          id: String(size42),
          sku: 'R-1-42',
          name: '42',
          price: 82,
          attributes: { Color: 'Blue', Size: '42', color: 'Azure' },
          quantity: 7,
          status: 'ACTIVE',
        },
        expect.objectContaining({ sku: 'R-1-43', attributes: {}, quantity: 0, status: 'INACTIVE' }),
      ],
      specifications: [{ name: 'Weight', value: '240 g' }],
      categories: [expect.objectContaining({ slug: 'sport' }), { id: shoes, name: 'Shoes', slug: 'shoes' }],
      brand: { id: globex, name: 'Globex', slug: 'globex' },
      created_at: '2026-01-02T03:04:05.006Z',
      updated_at: '2026-01-03T03:04:05.006Z',
    });
  });

  it('returns the options of a variant in the given order', async () => {
    const { data } = (await api.get(`/v1/products/${runner}`)).json<{
      data: { variants: { attributes: object }[] };
    }>();

    expect(Object.entries(data.variants[0]?.attributes ?? {})).toEqual([
      ['Color', 'Blue'],
      ['Size', '42'],
      ['color', 'Azure'],
    ]);
  });

  it('returns empty fields for a product without details', async () => {
    const response = await api.get(`/v1/products/${lamp}`);

    expect(response.json()).toMatchObject({
      data: { description: '', images: [], variants: [], specifications: [], categories: [], brand: null },
    });
  });

  it('returns prices in major units of the currency', async () => {
    const prices: unknown[] = [];
    for (const currency of ['USD', 'JPY', 'KWD']) {
      const store = await StoreFixture.create(api.database, { currency });
      const id = await store.product({ price: 1999 });
      const variant = await store.variant(id, { price: 5 });
      const response = await api.get(`/v1/products/${id}`, { authorization: `Bearer ${store.key}` });
      expect(response.json()).toMatchObject({ data: { variants: [{ id: String(variant) }] } });
      const { data } = response.json<{ data: { price: number; variants: { price: number }[] } }>();
      prices.push([data.price, data.variants[0]?.price]);
    }
    expect(prices).toEqual([
      [19.99, 0.05],
      [1999, 5],
      [1.999, 0.005],
    ]);
  });

  it('retrieves by id and by slug', async () => {
    const byId = await api.get(`/v1/products/${mug}`);

    expect(byId.json()).toMatchObject({ data: { id: String(mug), quantity: 5 } });
    expect((await api.get('/v1/products/mug')).payload).toBe(byId.payload);
  });

  it.each([() => draft, () => 'draft', () => 'archived'])(
    'returns 404 for a product that is not active',
    async (reference) => {
      const response = await api.get(`/v1/products/${reference()}`);

      expect([response.statusCode, response.json()]).toEqual([404, { success: false, error: 'Product not found' }]);
    },
  );

  it('reads digits as an id first, then as a slug', async () => {
    const store = await StoreFixture.create(api.database);
    const headers = { authorization: `Bearer ${store.key}` };
    const first = await store.product({ slug: 'first' });
    const second = await store.product({ slug: String(first) });
    const hidden = await store.product({ status: 'DRAFT' });
    const third = await store.product({ slug: String(hidden) });

    const answers = [first, second, hidden].map((reference) => api.get(`/v1/products/${reference}`, headers));

    const found = (await Promise.all(answers)).map((answer) => answer.json<{ data: { id: string } }>().data.id);
    expect(found).toEqual([first, second, third].map(String));
  });

  it.each(['true', 'TRUE', '1'])('lists featured products for featured=%s', async (flag) => {
    expect(await idsIn(api, `/v1/products?featured=${flag}`)).toEqual({ ids: [mug, runner].map(String), total: 2 });
  });

  it.each(['true', 'True', '1'])('lists products with available stock for in_stock=%s', async (flag) => {
    expect(await idsIn(api, `/v1/products?in_stock=${flag}`)).toEqual({ ids: [mug, runner].map(String), total: 2 });
  });

  it.each(['featured=false', 'featured=0', 'featured=yes', 'featured=', 'in_stock=false', 'in_stock=no', 'in_stock'])(
    'does not filter by ?%s',
    async (query) => {
      expect((await idsIn(api, `/v1/products?${query}`)).ids).toEqual(inOrder());
    },
  );

  it('does not count stock in warehouses that are not active', async () => {
    const store = await StoreFixture.create(api.database);
    const headers = { authorization: `Bearer ${store.key}` };
    const id = await store.product();
    await store.stock(id, null, 4, await store.warehouse({ active: false }));

    const all = await readList(api, '/v1/products', headers);
    const inStock = await readList(api, '/v1/products?in_stock=true', headers);

    expect(all.data).toMatchObject([{ quantity: 0 }]);
    expect(inStock.pagination.total).toBe(0);
  });

  it('returns quantities beyond 32 bits exactly', async () => {
    const store = await StoreFixture.create(api.database);
    await store.product({ stock: [2_147_483_647, 2_147_483_647] });

    const { data } = await readList(api, '/v1/products', { authorization: `Bearer ${store.key}` });

    expect(data).toMatchObject([{ quantity: 4_294_967_294 }]);
  });

  it('lists the products of a category', async () => {
    expect(await idsIn(api, `/v1/products?category_id=${shoes}`)).toEqual({
      ids: [wool, runner].map(String),
      total: 2,
    });
  });

  it.each(['', 'abc', '0', '-1', '1.5', 'shoes', '999999999', '2147483648', '99999999999999999999', '1%00'])(
    'lists nothing for category_id=%s',
    async (category) => {
      expect(await idsIn(api, `/v1/products?category_id=${category}`)).toEqual({ ids: [], total: 0 });
    },
  );

  it("lists nothing for another store's category", async () => {
    expect(await idsIn(api, `/v1/products?category_id=${foreign.category}`)).toEqual({ ids: [], total: 0 });
  });

  it('combines the filters and returns the exact total', async () => {
    const query = `category_id=${shoes}&featured=1&in_stock=1&search=run&limit=1`;

    expect(await idsIn(api, `/v1/products?${query}`)).toEqual({ ids: [String(runner)], total: 1 });
  });

  it.each([
    ['MUG', () => mug],
    ['%C3%BCBER', () => runner],
    ['%25', () => wool],
    ['_', () => wool],
    ['%5C', () => wool],
    ['l%20100', () => wool],
  ])('searches for %s literally and in any letter case', async (search, id) => {
    expect(await idsIn(api, `/v1/products?search=${search}`)).toEqual({ ids: [String(id())], total: 1 });
  });

  it('searches for the first 200 characters of a longer text', async () => {
    const store = await StoreFixture.create(api.database);
    await store.product({ name: '😀'.repeat(200) });

    const { pagination } = await readList(api, `/v1/products?search=${encodeURIComponent('😀'.repeat(200))}zzz`, {
      authorization: `Bearer ${store.key}`,
    });

    expect(pagination.total).toBe(1);
  });
});
