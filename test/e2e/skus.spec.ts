import { StoreFixture } from '../builders/store-fixture.js';
import { itBehavesAsList, readList } from '../support/list-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/skus', () => {
  let api: RunningApi;
  let mug: number;
  let runner: number;
  let size42: number;

  beforeAll(async () => {
    api = await startApi();
    const { store } = api;
    await (await StoreFixture.create(api.database)).product({ sku: 'THEIRS' });
    mug = await store.product({ name: 'Mug', slug: 'mug', sku: 'M-1', price: 1999, stock: [2, 3] });
    runner = await store.product({ name: 'Runner', slug: 'runner', sku: 'R-1', price: 7990, stock: 1 });
    const attributes = { Size: '42', Color: 'Blue' };
    size42 = await store.variant(runner, { sku: 'R-1-42', name: '42', price: 8200, attributes, stock: 7 });
    const size43 = await store.variant(runner, { sku: 'R-1-43' });
    await store.stock(runner, size43, 20, await store.warehouse({ active: false }));
    await store.variant(runner, { sku: 'R-1-44', status: 'INACTIVE', stock: 4 });
    await store.product({ sku: 'DRAFT', status: 'DRAFT' });
  });
  afterAll(() => api.stop());

  const skusIn = async (query: string, headers?: Record<string, string>) => {
    const { data, pagination } = await readList(api, `/v1/skus?${query}`, headers);
    return [pagination.total, ...data.map(({ sku }) => sku)];
  };

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

  it('agrees with GET /v1/products/{id} about the price and quantity of every unit', async () => {
    const { data } = await readList(api, '/v1/skus');
    const products = new Map<unknown, { variants: { id: string; price: number; quantity: number }[] }>();
    for (const id of [mug, runner])
      products.set(id, (await api.get(`/v1/products/${id}`)).json<{ data: never }>().data);

    for (const { product_id, variant_id, price, quantity } of data) {
      const product = products.get(product_id);
      const unit = variant_id === null ? product : product?.variants.find(({ id }) => Number(id) === variant_id);
      expect(unit).toMatchObject({ price, quantity });
    }
  });

  it('returns a unit that can be ordered by its ids', async () => {
    const items = [{ product_id: runner, variant_id: size42, quantity: 1 }];
    const placed = await api.inject({
      method: 'POST',
      url: '/v1/orders',
      headers: { authorization: `Bearer ${api.store.key}` },
      payload: { items, customer: { name: 'Ada' } },
    });

    expect(placed.statusCode).toBe(201);
    expect((await readList(api, '/v1/skus?sku=R-1-42')).data).toMatchObject([{ quantity: 6 }]);
  });

  it.each<[string, ...string[]]>([
    ['sku=r-1-42', 'R-1-42'],
    ['sku=M-1,unknown,R-1-43', 'M-1', 'R-1-43'],
    ['sku=M-1&sku=R-1-43,%20R-1-42', 'M-1', 'R-1-42', 'R-1-43'],
    ['sku=THEIRS'],
    ['sku=R-1-44'],
    ['sku=DRAFT'],
    ['sku=%00'],
    ['sku='],
    ['sku=,'],
    ['in_stock=true', 'M-1', 'R-1-42'],
    ['in_stock=false', 'M-1', 'R-1-42', 'R-1-43'],
    ['product_id=abc'],
    ['product_id='],
    ['search=unner', 'R-1-42', 'R-1-43'],
    ['search=-42', 'R-1-42'],
  ])('lists for ?%s', async (query, ...expected) => {
    expect(await skusIn(query)).toEqual([expected.length, ...expected]);
  });

  it('lists the variants of a product', async () => {
    expect(await skusIn(`product_id=${runner}`)).toEqual([2, 'R-1-42', 'R-1-43']);
  });

  it('accepts 100 SKUs and rejects 101 with 400', async () => {
    const many = (count: number) => `/v1/skus?sku=${Array.from({ length: count }, (_, n) => `M-${n}`).join(',')}`;

    const { pagination } = await readList(api, many(100));
    const refused = await api.get(many(101));

    expect(pagination.total).toBe(1);
    expect([refused.statusCode, refused.json(), refused.headers['x-error-code']]).toEqual([
      400,
      { success: false, error: 'sku must have at most 100 values' },
      'invalid_request',
    ]);
  });

  it('follows every change of the catalog and of the stock', async () => {
    const store = await StoreFixture.create(api.database);
    const headers = { authorization: `Bearer ${store.key}` };
    const change = (sql: string, ...values: unknown[]) => api.database.query(sql, values);
    const listed = async () => [await skusIn('', headers), await skusIn('in_stock=1', headers)];

    const product = await store.product({ sku: 'P', stock: 2 });
    expect(await listed()).toEqual([
      [1, 'P'],
      [1, 'P'],
    ]);
    const variant = await store.variant(product, { sku: 'V', stock: 1 });
    expect(await listed()).toEqual([
      [1, 'V'],
      [1, 'V'],
    ]);
    await change('UPDATE stock SET quantity = 0 WHERE variant_id = $1', variant);
    expect(await listed()).toEqual([[1, 'V'], [0]]);
    await change(`UPDATE product_variants SET status = 'INACTIVE' WHERE id = $1`, variant);
    expect(await listed()).toEqual([
      [1, 'P'],
      [1, 'P'],
    ]);
    await change(`UPDATE products SET sku = 'Q' WHERE id = $1`, product);
    expect(await listed()).toEqual([
      [1, 'Q'],
      [1, 'Q'],
    ]);
    await change('UPDATE warehouses SET active = false WHERE store_id = $1', store.id);
    expect(await listed()).toEqual([[1, 'Q'], [0]]);
    await change(`UPDATE products SET status = 'DRAFT' WHERE id = $1`, product);
    expect(await listed()).toEqual([[0], [0]]);
  });
});
