import { Clock } from '@app/application';
import type { OrderResponse } from '@app/representations';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type Answer = Awaited<ReturnType<RunningApi['post']>>;
const codeOf = ({ statusCode, headers }: Answer) => [statusCode, headers['x-error-code']];
const errorOf = (answer: Answer) => answer.json<{ error: string }>().error;

let api: RunningApi;
let bolt: number;
let company: string;
/** A company of another store with the same list. */
let foreign: string;

async function addList(store: StoreFixture, product: number): Promise<void> {
  const { database } = api;
  await database.query(`INSERT INTO price_lists (store_id, code, name) VALUES ($1, 'DEALERS', 'Dealers')`, [store.id]);
  for (const [from, price] of [
    [1, 900],
    [24, 800],
  ]) {
    await database.query(
      `INSERT INTO list_prices (store_id, list, product_id, from_quantity, price) VALUES ($1, 'DEALERS', $2, $3, $4)`,
      [store.id, product, from, price],
    );
  }
  await database.query(
    `INSERT INTO quantity_rules (store_id, list, product_id, min_quantity, step) VALUES ($1, 'DEALERS', $2, 6, 6)`,
    [store.id, product],
  );
}

const buyer = (email: string) => JSON.stringify([{ name: 'Buyer', email }]);

beforeAll(async () => {
  api = await startApi({ THROTTLE_PER_10S: '0' });
  bolt = await api.store.product({ name: 'Bolt', sku: 'BOLT', price: 1_000, stock: 10_000 });
  await addList(api.store, bolt);
  company = await api.store.customer({
    ...{ name: 'Acme', email: 'acme@example.com', price_list: 'DEALERS', payment_terms_days: 30 },
    contacts: buyer('buyer@acme.example'),
  });
  const other = await StoreFixture.create(api.database);
  await addList(other, await other.product());
  foreign = await other.customer({ name: 'Other', email: 'foreign@example.com', price_list: 'DEALERS' });
});
afterAll(() => api?.stop());

const bodyOf = (quantity: number, more: object = {}) => ({ ...anOrderBody(bolt, quantity), ...more });
const read = async (id: string) => (await api.get(`/v1/orders/${id}`)).json<{ data: OrderResponse }>().data;
async function place(body: object, headers: Record<string, string> = {}): Promise<OrderResponse> {
  const placed = await api.post('/v1/orders', body, headers);
  expect([placed.statusCode, placed.body]).toEqual([201, placed.body]);
  return read(placed.json<{ data: { order_id: string } }>().data.order_id);
}
const priceOf = ({ line_items, customer, payment_terms_days }: OrderResponse) => [
  ...line_items.map(({ unit_price, price_source }) => [unit_price, price_source]),
  customer.id,
  payment_terms_days,
];

describe('an order of a customer with a price list', () => {
  it.each<[string, () => object]>([
    ['its id', () => ({ customer_id: company })],
    ['its id in upper case', () => ({ customer_id: company.toUpperCase() })],
    ['its e-mail', () => ({ customer: { name: 'Ada', email: 'ACME@example.com' } })],
    ['the e-mail of a contact', () => ({ customer: { name: 'Ada', email: 'Buyer@acme.example' } })],
    [
      'its id and the e-mail of another one',
      () => ({
        customer_id: company,
        customer: { name: 'Ada', email: 'nobody@example.com' },
      }),
    ],
  ])('has its prices by %s, is linked to it, and has its terms', async (_case, more) => {
    expect(priceOf(await place(bodyOf(6, more())))).toEqual([[900, 'DEALERS'], company, 30]);
    expect(priceOf(await place(bodyOf(24, more())))).toEqual([[800, 'DEALERS'], company, 30]);
  });

  it('shows the source of each price in the order, in lists and in the feed', async () => {
    const { id } = await place(bodyOf(6, { customer_id: company }));
    const source = { line_items: [{ price_source: 'DEALERS' }] };

    const [listed] = (await api.get('/v1/orders?include=line_items')).json<{ data: { id: string }[] }>().data;
    const changes = (await api.get('/v1/changes?kinds=orders')).json<{ data: { id: string; record: object }[] }>().data;

    expect(listed).toMatchObject({ id, ...source });
    expect(JSON.stringify(changes)).toContain('"price_source":"DEALERS"');
  });

  it('is not one of a guest, whose prices are those of the catalog', async () => {
    expect(priceOf(await place(bodyOf(1)))).toEqual([[1_000, null], null, null]);
  });

  it.each<[string, () => unknown, number, string]>([
    ['an unknown customer', () => '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c', 422, 'unknown_customer'],
    ['a customer of another store', () => foreign, 422, 'unknown_customer'],
    ['a text', () => 'acme', 400, 'invalid_request'],
    ['a number', () => 1, 400, 'invalid_request'],
  ])('is refused for %s by the name of the field, as its preview is', async (_case, id, status, code) => {
    const body = bodyOf(6, { customer_id: id() });

    for (const answer of [await api.post('/v1/orders', body), await api.post('/v1/orders/preview', body)]) {
      expect([...codeOf(answer), answer.json<{ faults: object }>().faults]).toEqual([
        ...[status, code],
        [expect.objectContaining({ path: 'customer_id' })],
      ]);
      expect(errorOf(answer)).toMatch(/^customer_id/);
    }
  });

  it('takes customer_id into the hash of the request', async () => {
    const headers = { 'idempotency-key': 'for whom' };
    const first = await api.post('/v1/orders', bodyOf(6, { customer_id: company }), headers);

    expect((await api.post('/v1/orders', bodyOf(6, { customer_id: company }), headers)).body).toBe(first.body);
    expect(codeOf(await api.post('/v1/orders', bodyOf(6), headers))).toEqual([422, 'idempotency_mismatch']);
  });
});

describe('an order at midnight', () => {
  it.each([
    ['before', '2026-11-20T04:59:59.999Z', [900, 'THURSDAY']],
    ['at', '2026-11-20T05:00:00.000Z', [1_000, null]],
  ])('has the prices of its date, %s the midnight of the store', async (_case, date, price) => {
    const own = await api.withStore();
    const { store } = own;
    await api.database.query(`UPDATE stores SET time_zone = 'America/New_York' WHERE id = $1`, [store.id]);
    const product = await store.product({ price: 1_000, stock: 9 });
    await store.listPrice(await store.priceList({ code: 'THURSDAY', validTo: '2026-11-19' }), {
      ...{ productId: product, price: 900 },
    });
    const customer_id = await store.customer({ price_list: 'THURSDAY' });
    vi.spyOn(api.app.get(Clock), 'now').mockResolvedValueOnce(new Date(date));

    const placed = await own.post('/v1/orders', { ...anOrderBody(product), customer_id });
    const { order_id } = placed.json<{ data: { order_id: string } }>().data;
    const { data } = (await own.get(`/v1/orders/${order_id}`)).json<{ data: OrderResponse }>();

    expect(data.created_at).toBe(date);
    expect(data.line_items.map(({ unit_price, price_source }) => [unit_price, price_source])).toEqual([price]);
  });
});

describe('a quantity that is not offered', () => {
  const items = (...quantities: number[]) => quantities.map((quantity) => ({ product_id: bolt, quantity }));

  it('refuses the order by each line, and nothing is written', async () => {
    const count = async () => api.database.query('SELECT count(*) FROM orders');
    const before = await count();

    const answer = await api.post('/v1/orders', bodyOf(1, { customer_id: company, items: items(2, 3) }));

    expect(codeOf(answer)).toEqual([422, 'quantity_not_offered']);
    const message = '5 is not offered: order at least 6, in steps of 6';
    expect(answer.json()).toMatchObject({
      error: `items[0].quantity: ${message}; items[1].quantity: ${message}`,
      faults: [
        { path: 'items[0].quantity', message },
        { path: 'items[1].quantity', message },
      ],
    });
    expect(await count()).toEqual(before);
  });

  it('is a problem of the preview, which has the price and its source', async () => {
    const preview = async (quantity: number, more: object = { customer_id: company }) => {
      const { data } = (await api.post('/v1/orders/preview', bodyOf(quantity, more))).json<{ data: object }>();
      return data;
    };

    expect(await preview(30)).toMatchObject({ items: [{ price: 8, price_source: 'DEALERS' }], problems: [] });
    expect(await preview(5)).toMatchObject({
      items: [{ price: 9, price_source: 'DEALERS' }],
      problems: [{ code: 'quantity_not_offered', path: 'items[0].quantity', requested: 5, available: null }],
    });
    expect(await preview(5, {})).toMatchObject({ items: [{ price: 10, price_source: null }], problems: [] });
  });

  it('refuses a change of lines, which counts all lines of the order', async () => {
    const order = await place(bodyOf(6, { customer_id: company }));
    const edit = (body: object) => api.post(`/v1/orders/${order.id}/lines`, body);
    const add = (quantity: number) => [{ product_id: bolt, quantity }];

    const refused = [await edit({ add: add(5) }), await edit({ set: [{ line: 1, quantity: 7 }] })];
    expect(refused.map((answer) => [...codeOf(answer), errorOf(answer)])).toEqual([
      [422, 'quantity_not_offered', 'add[0].quantity: 11 is not offered: order at least 6, in steps of 6'],
      [422, 'quantity_not_offered', 'set[0].quantity: 7 is not offered: order at least 6, in steps of 6'],
    ]);
    const edited = await edit({ set: [{ line: 1, quantity: 10 }], add: add(14) });
    expect(edited.json()).toMatchObject({
      data: {
        line_items: [
          { quantity: 10, unit_price: 900, price_source: 'DEALERS' },
          { quantity: 14, unit_price: 800, price_source: 'DEALERS' },
        ],
      },
    });
  });
});

describe('a quantity that a change of lines leaves', () => {
  it('must be offered, also where the change cancels another line of the unit', async () => {
    const items = [4, 2].map((quantity) => ({ product_id: bolt, quantity }));
    const order = await place(bodyOf(1, { customer_id: company, items }));
    const set = (...lines: object[]) => api.post(`/v1/orders/${order.id}/lines`, { set: lines });

    const refused = await set({ line: 1, quantity: 0 });
    expect([...codeOf(refused), errorOf(refused)]).toEqual([
      ...[422, 'quantity_not_offered', 'set[0].quantity: 2 is not offered: order at least 6, in steps of 6'],
    ]);
    expect((await set({ line: 1, quantity: 0 }, { line: 2, quantity: 6 })).json()).toMatchObject({
      data: { line_items: [{ quantity: 0 }, { quantity: 6 }] },
    });
  });
});

describe('a client that gives its prices', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    headers = { authorization: `Bearer ${await api.store.createKey('live', 'read,orders,fulfillment,pricing')}` };
  });

  it('orders any quantity, without a source', async () => {
    const items = [{ product_id: bolt, quantity: 5, unit_price: 7 }];
    const order = await place(bodyOf(5, { customer_id: company, items }), headers);

    expect(priceOf(order)).toEqual([[700, null], company, 30]);
  });

  it('keeps to lists and rules where it gives no price', async () => {
    const order = await place(bodyOf(6, { customer_id: company, shipping_amount: 500 }), headers);

    expect(priceOf(order)).toEqual([[900, 'DEALERS'], company, 30]);
    const refused = await api.post('/v1/orders', bodyOf(5, { customer_id: company, shipping_amount: 500 }), headers);
    expect(codeOf(refused)).toEqual([422, 'quantity_not_offered']);
  });

  it('takes the source from a line by another price', async () => {
    const { id } = await place(bodyOf(6, { customer_id: company }));
    const edit = (line: object) => api.post(`/v1/orders/${id}/lines`, { set: [{ line: 1, ...line }] }, headers);

    const same = await edit({ quantity: 5 });
    const other = await edit({ quantity: 5, unit_price: 6.5 });

    expect(same.json()).toMatchObject({ data: { line_items: [{ unit_price: 900, price_source: 'DEALERS' }] } });
    expect(other.json()).toMatchObject({ data: { line_items: [{ unit_price: 650, price_source: null }] } });
  });
});

describe('GET /v1/skus for a customer', () => {
  const skus = async (query: string) => (await api.get(`/v1/skus?${query}`)).json<{ data: object[] }>().data;

  it('shows the prices of the customer by quantity', async () => {
    expect(await skus(`skus=BOLT&customer_id=${company}`)).toMatchObject([
      {
        ...{ price: 9, price_source: 'DEALERS' },
        price_breaks: [
          { from_quantity: 1, price: 9, price_source: 'DEALERS' },
          { from_quantity: 24, price: 8, price_source: 'DEALERS' },
        ],
      },
    ]);
  });

  it('shows the price of the catalog for others, and no breaks without a customer', async () => {
    const guest = await api.store.customer();

    expect(await skus(`skus=BOLT&customer_id=${guest}`)).toMatchObject([
      { price: 10, price_source: null, price_breaks: [{ from_quantity: 1, price: 10, price_source: null }] },
    ]);
    const [row] = await skus('skus=BOLT');
    expect(row).toMatchObject({ price: 10 });
    expect(row).not.toHaveProperty('price_breaks');
  });

  it.each([() => foreign, () => 'acme', () => ''])('shows nothing for no customer of the store', async (id) => {
    expect((await api.get(`/v1/skus?customer_id=${id()}`)).json()).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
  });
});

describe('GET /v1/products for a customer', () => {
  it('shows the prices of the product and its variants for one unit', async () => {
    const shirt = await api.store.product({ slug: 'shirt', price: 2_000 });
    const small = await api.store.variant(shirt, { price: 1_900 });
    await api.store.variant(shirt, { price: 2_100, position: 1 });
    await api.database.query(
      `INSERT INTO list_prices (store_id, list, product_id, variant_id, price) VALUES ($1, 'DEALERS', $2, $3, 1500)`,
      [api.store.id, shirt, small],
    );
    const query = `customer_id=${company}`;

    expect((await api.get(`/v1/products/shirt?${query}`)).json()).toMatchObject({
      data: {
        ...{ price: 20, price_source: null },
        variants: [
          { price: 15, price_source: 'DEALERS' },
          { price: 21, price_source: null },
        ],
      },
    });
    expect((await api.get(`/v1/products?ids=${bolt}&${query}`)).json()).toMatchObject({
      data: [{ price: 9, price_source: 'DEALERS' }],
    });
    expect((await api.get('/v1/products/shirt')).body).not.toContain('price_source');
  });

  it.each([() => foreign, () => 'acme', () => ''])('shows nothing for no customer of the store', async (id) => {
    expect((await api.get(`/v1/products?customer_id=${id()}`)).json()).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
    expect(codeOf(await api.get(`/v1/products/${bolt}?customer_id=${id()}`))).toEqual([404, 'not_found']);
  });
});
