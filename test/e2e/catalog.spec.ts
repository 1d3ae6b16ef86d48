import type { StoreFixture } from '../builders/store-fixture.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
beforeAll(async () => (application = await startApi()));
afterAll(() => application.stop());

it.each<[string, (store: StoreFixture, values: object) => Promise<number>]>([
  ['brands', (store, values) => store.brand(values)],
  ['categories', (store, values) => store.category(values)],
  ['products', (store, values) => store.product(values)],
])('GET /v1/%s/{id} reads digits as an id first, then as a slug', async (path, add) => {
  const { store, get } = await application.withStore();
  const first = await add(store, { slug: 'first' });
  await add(store, { slug: String(first) });
  const numbered = await add(store, { slug: '123456789' });

  for (const [reference, id] of [
    [first, first],
    ['123456789', numbered],
  ] as const) {
    expect((await get(`/v1/${path}/${reference}`)).json()).toMatchObject({
      data: { id: path === 'products' ? String(id) : id },
    });
  }
});

it('GET /v1/products/{id} reads the digits of a draft as a slug', async () => {
  const { store, get } = await application.withStore();
  const draft = await store.product({ status: 'DRAFT' });
  const product = await store.product({ slug: String(draft) });

  expect((await get(`/v1/products/${draft}`)).json()).toMatchObject({ data: { id: String(product) } });
});

describe('GET /v1/brands', () => {
  let api: RunningApi;
  let ids: Record<'acme' | 'bolt' | 'boltAgain' | 'globex' | 'digits', number>;
  let foreign: number;

  beforeAll(async () => {
    api = await application.withStore();
    foreign = await application.store.brand({ name: 'Acme', slug: 'foreign-acme' });
    const globex = await api.store.brand({ name: 'globex Öl', slug: 'globex', logo: 'https://x.test/g.png' });
    const bolt = await api.store.brand({ name: 'bolt', slug: 'bolt' });
    const boltAgain = await api.store.brand({ name: 'Bolt', slug: 'bolt-2', description: 'Again' });
    const acme = await api.store.brand({ name: 'Acme', slug: 'acme' });
    const digits = await api.store.brand({ name: 'y', slug: String(globex) });
    await api.store.brand({ name: 'Aaa', slug: 'gone', active: false });
    ids = { acme, bolt, boltAgain, globex, digits };
  });

  // Brands are sorted by name in any letter case, then by id.
  itBehavesAsList(() => ({
    ...{ api, path: '/v1/brands' },
    ids: [ids.acme, ids.bolt, ids.boltAgain, ids.globex, ids.digits],
  }));
  itBehavesAsRetrieval(() => ({
    ...{ api, path: '/v1/brands', what: 'Brand' },
    ...{ known: ids.acme, alias: 'acme', foreign: [foreign, 'foreign-acme'] },
  }));

  it('returns the fields of a brand', async () => {
    const { data } = await readList(api, '/v1/brands?search=GLOBEX%20%C3%B6l');

    expect(data).toEqual([
      { id: ids.globex, name: 'globex Öl', slug: 'globex', logo: 'https://x.test/g.png', description: '' },
    ]);
  });
});

describe('GET /v1/categories', () => {
  let api: RunningApi;
  let ids: Record<'shoes' | 'boots' | 'bags' | 'bagsAgain' | 'sandals', number>;
  let foreign: number;

  beforeAll(async () => {
    api = await application.withStore();
    foreign = await application.store.category({ name: 'Shoes', slug: 'foreign-shoes' });
    await application.store.category({ name: 'Boots', parent_id: foreign });
    const sandals = await api.store.category({ name: 'Sandals', display_order: 9, slug: 'sandals' });
    const bags = await api.store.category({ name: 'Bags', display_order: 2, image: 'https://x.test/b.png' });
    const bagsAgain = await api.store.category({ name: 'Bags', display_order: 2, description: 'More' });
    const boots = await api.store.category({ name: 'Ankle boots', display_order: 2, parent_id: sandals });
    const shoes = await api.store.category({ name: 'Shoes', display_order: -1, slug: 'shoes', parent_id: sandals });
    await api.store.category({ name: 'Gone', slug: 'gone', active: false, parent_id: sandals });
    ids = { shoes, boots, bags, bagsAgain, sandals };
  });

  // Categories are sorted by display order, then name, then id.
  itBehavesAsList(() => ({
    ...{ api, path: '/v1/categories' },
    ids: [ids.shoes, ids.boots, ids.bags, ids.bagsAgain, ids.sandals],
  }));
  itBehavesAsRetrieval(() => ({
    ...{ api, path: '/v1/categories', what: 'Category' },
    ...{ known: ids.shoes, alias: 'shoes', foreign: [foreign, 'foreign-shoes'] },
  }));

  it('returns the fields of a category, and no parent for one at the top level', async () => {
    const { data } = await readList(api, '/v1/categories');

    expect(data[0]).toEqual({
      ...{ id: ids.shoes, name: 'Shoes', slug: 'shoes', image: '', description: '' },
      ...{ order: -1, parent_id: ids.sandals },
    });
    expect(data.at(-1)).toMatchObject({ parent_id: null, order: 9 });
  });

  it('lists the active sub-categories of a parent, also with a search', async () => {
    const url = `/v1/categories?parent_id=${ids.sandals}`;

    expect(await idsIn(api, url)).toEqual({ ids: [ids.shoes, ids.boots], total: 2 });
    expect(await idsIn(api, `${url}&search=BOOT&limit=1`)).toEqual({ ids: [ids.boots], total: 1 });
    expect(await idsIn(api, `/v1/categories?parent_id=${foreign}`)).toEqual({ ids: [], total: 0 });
    expect(await idsIn(api, '/v1/categories?parent_id=')).toEqual({ ids: [], total: 0 });
  });
});

describe('GET /v1/products', () => {
  let api: RunningApi;
  let ids: Record<'shoes' | 'globex' | 'runner' | 'size42' | 'mug' | 'lamp' | 'wool' | 'draft', number>;
  let foreign: { product: number; category: number };

  beforeAll(async () => {
    api = await application.withStore();
    const category = await application.store.category();
    const product = await application.store.product({ slug: 'foreign-mug', categoryIds: [category], stock: 5 });
    foreign = { category, product };

    const { store } = api;
    const shoes = await store.category({ name: 'Shoes', slug: 'shoes', display_order: 2 });
    const sport = await store.category({ name: 'Sport', slug: 'sport', display_order: 1, active: false });
    const globex = await store.brand({ name: 'Globex', slug: 'globex' });
    const lamp = await store.product({ name: 'Lamp', price: 1, createdAt: '2026-01-01T00:00:00Z', stock: 0 });
    const listedMug = { name: 'Mug', slug: 'mug', featured: true, createdAt: '2026-02-01' };
    const mug = await store.product({ ...listedMug, stock: [2, 3] });
    const runner = await store.product({
      ...{ name: 'Runner Über', slug: 'runner', sku: 'R-1', price: 7990, featured: true, brandId: globex },
      ...{ categoryIds: [shoes, sport], createdAt: '2026-01-02T03:04:05.006Z', stock: 1 },
      columns: {
        description: 'Runs',
        images: JSON.stringify([{ url: 'https://x.test/1.png', alt: 'Side' }, { url: 'https://x.test/2.png' }]),
        specifications: JSON.stringify([{ name: 'Weight', value: '240 g' }]),
      },
    });
    const variant = { sku: 'R-1-43', name: '43', price: 8300, position: 2, status: 'INACTIVE' };
    const size43 = await store.variant(runner, variant);
    // jsonb sorts the shorter name first.
    const attributes = { Color: 'Blue', Size: '42', color: 'Azure' };
    const blue = { sku: 'R-1-42', name: '42', price: 8200, position: 1, attributes, stock: 7 };
    const size42 = await store.variant(runner, blue);
    await store.stock(runner, size43, 20, await store.warehouse({ active: false }));
    const wool = await store.product({ name: 'Wool', createdAt: '2026-02-01', categoryIds: [shoes] });
    const draft = await store.product({ name: 'Draft', slug: 'draft', status: 'DRAFT', featured: true, stock: 9 });
    await store.product({ slug: 'archived', status: 'ARCHIVED', categoryIds: [shoes], stock: 9 });
    ids = { shoes, globex, runner, size42, mug, lamp, wool, draft };
  });

  const inOrder = () => [ids.wool, ids.mug, ids.runner, ids.lamp].map(String);

  itBehavesAsList(() => ({ api, path: '/v1/products', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    ...{ api, path: '/v1/products', what: 'Product' },
    ...{ known: ids.mug, alias: 'mug', foreign: [foreign.product, 'foreign-mug'] },
  }));

  it('returns the fields of a product in a list', async () => {
    const { data } = await readList(api, '/v1/products?search=runner');

    expect(data).toEqual([
      { id: String(ids.runner), name: 'Runner Über', slug: 'runner', price: 79.9, quantity: 8, status: 'ACTIVE' },
    ]);
  });

  it('returns the full product, with the options of a variant in the given order', async () => {
    const { data } = (await api.get('/v1/products/runner')).json<{ data: { variants: { attributes: object }[] } }>();

    expect(data).toEqual({
      ...{ id: String(ids.runner), name: 'Runner Über', slug: 'runner', price: 79.9, quantity: 8, status: 'ACTIVE' },
      ...{ sku: 'R-1', description: 'Runs', low_stock: null, featured: true },
      images: [
        { url: 'https://x.test/1.png', alt: 'Side' },
        { url: 'https://x.test/2.png', alt: '' },
      ],
      variants: [
        {
          ...{ id: String(ids.size42), sku: 'R-1-42', name: '42', price: 82, quantity: 7, status: 'ACTIVE' },
          attributes: { Color: 'Blue', Size: '42', color: 'Azure' },
          ...{ low_stock: null, metadata: {} },
        },
        expect.objectContaining({ sku: 'R-1-43', attributes: {}, quantity: 0, status: 'INACTIVE' }),
      ],
      metadata: {},
      specifications: [{ name: 'Weight', value: '240 g' }],
      categories: [expect.objectContaining({ slug: 'sport' }), { id: ids.shoes, name: 'Shoes', slug: 'shoes' }],
      brand: { id: ids.globex, name: 'Globex', slug: 'globex' },
      created_at: '2026-01-02T03:04:05.006Z',
      updated_at: expect.stringMatching(/Z$/) as string,
    });
    expect(Object.keys(data.variants[0]?.attributes ?? {})).toEqual(['Color', 'Size', 'color']);
  });

  it.each([
    ['USD', 19.99, 0.05],
    ['JPY', 1999, 5],
    ['KWD', 1.999, 0.005],
  ])('returns prices in major units of %s', async (currency, price, priceOfVariant) => {
    const { store, get } = await application.withStore({ currency });
    const id = await store.product({ price: 1999 });
    await store.variant(id, { price: 5 });

    expect((await get(`/v1/products/${id}`)).json()).toMatchObject({
      data: { price, variants: [{ price: priceOfVariant }] },
    });
  });

  it.each([() => ids.draft, () => 'draft', () => 'archived'])(
    'returns 404 for a product that is not active',
    async (reference) => {
      const response = await api.get(`/v1/products/${reference()}`);

      expect([response.statusCode, response.json()]).toMatchObject([
        404,
        { success: false, error: 'Product not found' },
      ]);
    },
  );

  it('does not count stock in warehouses that are not active', async () => {
    const closed = await application.withStore();
    const id = await closed.store.product();
    await closed.store.stock(id, null, 4, await closed.store.warehouse({ active: false }));

    expect((await readList(closed, '/v1/products')).data).toMatchObject([{ quantity: 0 }]);
    expect((await readList(closed, '/v1/products?in_stock=true')).pagination.total).toBe(0);
  });

  it('counts the units of a variant only while it is active', async () => {
    const scene = await application.withStore();
    const category = await scene.store.category();
    const shoe = await scene.store.product({ categoryIds: [category] });
    const variant = await scene.store.variant(shoe, { stock: [2, 3] });
    const cursor = async () => (await scene.get('/v1/changes?limit=100')).json<{ cursor: string }>().cursor;
    const inStock = async (query = '') => (await readList(scene, `/v1/products?in_stock=1${query}`)).pagination.total;
    const answers = async () => {
      const { data } = (await scene.get(`/v1/products/${shoe}`)).json<{
        data: { quantity: number; variants: { quantity: number }[] };
      }>();
      return {
        listed: (await readList(scene, '/v1/products')).data.map(({ quantity }) => quantity),
        found: [data.quantity, ...data.variants.map(({ quantity }) => quantity)],
        inStock: [await inStock(), await inStock(`&category_id=${category}`)],
        inBins: (await readList(scene, '/v1/stock')).data.map(({ quantity }) => quantity),
      };
    };
    const changed = async (status: string) => {
      const before = await cursor();
      await scene.database.query('UPDATE product_variants SET status = $1 WHERE id = $2', [status, variant]);
      const { data } = (await scene.get(`/v1/changes?cursor=${before}`)).json<{
        data: { kind: string; id: string }[];
      }>();
      return data.some(({ kind, id }) => kind === 'products' && id === String(shoe));
    };
    const counted = { listed: [5], found: [5, 5], inStock: [1, 1], inBins: [0, 2, 3] };

    expect(await answers()).toEqual(counted);
    expect(await changed('INACTIVE')).toBe(true);
    expect(await answers()).toEqual({ listed: [0], found: [0, 0], inStock: [0, 0], inBins: [0, 2, 3] });
    expect(await changed('ACTIVE')).toBe(true);
    expect(await answers()).toEqual(counted);
  });

  it('returns quantities beyond 32 bits exactly', async () => {
    const large = await application.withStore();
    await large.store.product({ stock: [2_147_483_647, 2_147_483_647] });

    expect((await readList(large, '/v1/products')).data).toMatchObject([{ quantity: 4_294_967_294 }]);
  });

  it('lists the products of a category, also with all other filters', async () => {
    const url = `/v1/products?category_id=${ids.shoes}`;
    const runner = String(ids.runner);

    expect(await idsIn(api, url)).toEqual({ ids: [String(ids.wool), runner], total: 2 });
    expect(await idsIn(api, `${url}&featured=1&in_stock=1&search=run&limit=1`)).toEqual({ ids: [runner], total: 1 });
    expect(await idsIn(api, `/v1/products?category_id=${foreign.category}`)).toEqual({ ids: [], total: 0 });
    expect(await idsIn(api, '/v1/products?category_id=')).toEqual({ ids: [], total: 0 });
  });
});

describe('GET /v1/skus', () => {
  let api: RunningApi;
  let mug: number;
  let runner: number;
  let size42: number;

  beforeAll(async () => {
    api = await application.withStore();
    const { store } = api;
    await application.store.product({ sku: 'IS_ORDER_OF_CUSTOMER' });
    mug = await store.product({ name: 'Mug', slug: 'mug', sku: 'M-1', price: 1999, stock: [2, 3] });
    runner = await store.product({ name: 'Runner', slug: 'runner', sku: 'R-1', price: 7990, stock: 1 });
    const attributes = { Size: '42', Color: 'Blue' };
    size42 = await store.variant(runner, { sku: 'R-1-42', name: '42', price: 8200, attributes, stock: 7 });
    const size43 = await store.variant(runner, { sku: 'R-1-43' });
    await store.stock(runner, size43, 20, await store.warehouse({ active: false }));
    await store.variant(runner, { sku: 'R-1-44', status: 'INACTIVE', stock: 4 });
    await store.product({ sku: 'DRAFT', status: 'DRAFT' });
  });

  itBehavesAsList(() => ({ api, path: '/v1/skus', key: 'sku', ids: ['M-1', 'R-1-42', 'R-1-43'] }));

  it('returns the fields of products without variants and of variants', async () => {
    const { data } = await readList(api, '/v1/skus');

    const shoe = { product_id: runner, product_slug: 'runner', name: 'Runner', status: 'ACTIVE' };
    const attributes = { Size: '42', Color: 'Blue' };
    expect(data).toEqual([
      {
        ...{ sku: 'M-1', product_id: mug, variant_id: null, product_slug: 'mug', name: 'Mug', attributes: {} },
        ...{ price: 19.99, quantity: 5, status: 'ACTIVE' },
      },
      { sku: 'R-1-42', variant_id: size42, ...shoe, attributes, price: 82, quantity: 7 },
      { sku: 'R-1-43', variant_id: expect.any(Number) as number, ...shoe, attributes: {}, price: 10, quantity: 0 },
    ]);
  });

  it('tells the units by warehouse on request, and they add up to the quantity while orders run', async () => {
    const selling = await application.withStore();
    const { store } = selling;
    const lamp = await store.product({ sku: 'L-1', stock: 15 });
    await store.stock(lamp, null, [10, 5], await store.warehouse());
    interface Lamp {
      readonly quantity: number;
      readonly warehouses: readonly { warehouse: string; quantity: number }[];
    }
    const read = async () => (await selling.get('/v1/skus?warehouses=true')).json<{ data: Lamp[] }>().data[0];

    expect((await read())?.warehouses).toEqual([
      { warehouse: expect.any(String) as string, quantity: 15 },
      { warehouse: expect.any(String) as string, quantity: 15 },
    ]);
    const order = { items: [{ product_id: lamp, quantity: 1 }], customer: { name: 'Ada' } };
    const orders = Array.from({ length: 20 }, () => selling.post('/v1/orders', order));
    const answers = await Promise.all(Array.from({ length: 20 }, read));
    expect((await Promise.all(orders)).map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(201));
    for (const answer of [...answers, await read()]) {
      expect(answer?.warehouses.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(answer?.quantity);
    }
    expect((await read())?.quantity).toBe(10);
  });

  it('accepts 100 SKUs and rejects 101 with 400', async () => {
    const many = (count: number) => `/v1/skus?sku=${Array.from({ length: count }, (_, n) => `M-${n}`).join(',')}`;

    const { pagination } = await readList(api, many(100));
    const refused = await api.get(many(101));

    expect(pagination.total).toBe(1);
    expect([refused.statusCode, refused.json(), refused.headers['x-error-code']]).toMatchObject([
      400,
      { success: false, error: 'sku must have at most 100 values' },
      'invalid_request',
    ]);
  });
});
