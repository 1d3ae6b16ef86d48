import pg from 'pg';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const PATH = '/v1/orders/preview';

interface Preview {
  readonly problems: readonly { code: string; path: string; requested: number | null; available: number | null }[];
}

describe('POST /v1/orders/preview', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  const orders = new OrdersClient(() => api);

  const bodyOf = (items: readonly object[], more = {}) => ({ items, customer: { name: 'Ada' }, ...more });
  async function preview(body: unknown, headers?: Record<string, string>): Promise<Preview> {
    const response = await api.post(PATH, body, headers);
    expect(response.statusCode).toBe(200);
    return response.json<{ data: Preview }>().data;
  }

  it('returns the data of the 201 without order_id and receipt_number, and no problems', async () => {
    const shirt = await api.store.product({ price: 1000, name: 'Shirt' });
    const variant = await api.store.variant(shirt, { price: 1999, stock: [1, 2] });
    const mug = await api.store.product({ price: 333, stock: 5 });
    const items = [
      { product_id: shirt, variant_id: variant, quantity: 3 },
      { product_id: mug, quantity: 2 },
    ];
    const body = bodyOf(items, { payment_method: 'offline', total: 1 });

    const previewed = await preview(body);
    const { order_id: _, receipt_number: __, ...created } = await orders.create(body);

    expect(previewed).toEqual({ ...created, problems: [] });
    expect(created).toMatchObject({ total: 66.63, payment_method: 'OFFLINE' });
  });

  it('names every problem by path, lines by number, and prices the lines that are available', async () => {
    const mug = await api.store.product({ price: 500, stock: 5 });
    const draft = await api.store.product({ status: 'DRAFT', stock: 5 });
    const theirs = await (await StoreFixture.create(api.database)).product({ stock: 5 });
    const shirt = await api.store.product({ price: 100 });
    await api.store.variant(shirt, { stock: 5 });
    await orders.create({ ...anOrderBody(mug), external_reference: 'PO 1' });
    const plain = (product_id: number, quantity = 1) => ({ product_id, quantity });
    const filler = await api.store.product({ price: 1, stock: 9 });
    const items = [
      plain(mug, 3),
      plain(draft),
      { product_id: mug, variant_id: 2_000_000_000, quantity: 1 },
      plain(theirs),
      plain(shirt),
      ...Array.from({ length: 5 }, () => plain(filler)),
      plain(mug, 2),
    ];

    const previewed = await preview(bodyOf(items, { external_reference: 'PO 1' }));

    const unavailable = (path: string) => ({ code: 'item_unavailable', path, requested: null, available: null });
    const short = (line: number, requested: number, available: number) => {
      return { code: 'out_of_stock', path: `items[${line}]`, requested, available };
    };
    expect(previewed.problems).toEqual([
      { code: 'external_reference_taken', path: 'external_reference', requested: null, available: null },
      short(0, 5, 4),
      unavailable('items[1].product_id'),
      unavailable('items[2].variant_id'),
      unavailable('items[3].product_id'),
      short(4, 1, 0),
      short(10, 5, 4),
    ]);
    expect(previewed).toMatchObject({ subtotal: 26.05, total: 26.05 });
    const { items: priced } = previewed as unknown as { items: { productId: string }[] };
    expect(priced.map(({ productId }) => Number(productId))).toEqual([
      mug,
      shirt,
      ...Array<number>(5).fill(filler),
      mug,
    ]);
  });

  it('returns totals of 0 when no line is available', async () => {
    expect(await preview(bodyOf([{ product_id: 2_000_000_000, quantity: 1 }]))).toEqual({
      subtotal: 0,
      total: 0,
      payment_method: 'COD',
      items: [],
      problems: [{ code: 'item_unavailable', path: 'items[0].product_id', requested: null, available: null }],
    });
  });

  it('counts only stock in active warehouses', async () => {
    const mug = await api.store.product({ stock: 1 });
    await api.store.stock(mug, null, 7, await api.store.warehouse({ active: false }));

    expect((await preview(anOrderBody(mug, 2))).problems).toMatchObject([{ requested: 2, available: 1 }]);
  });

  it('checks the reference in the mode of the key', async () => {
    const mug = await api.store.product({ stock: 5 });
    const body = { ...anOrderBody(mug), external_reference: 'PO of a mode' };
    await orders.create(body);
    const testKey = { authorization: `Bearer ${await api.store.createKey('test')}` };

    expect((await preview(body)).problems).toMatchObject([{ code: 'external_reference_taken' }]);
    expect((await preview(body, testKey)).problems).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['an array', [], 'The request body must be a JSON object'],
    ['an empty object', {}, 'items is required; customer.name is required'],
    [
      'a quantity of 0',
      { items: [{ product_id: 1, quantity: 0 }], customer: { name: 'Ada' } },
      'items[0].quantity must be an integer from 1 to 999',
    ],
  ])('returns 400, as for an order, for %s', async (_case, body, error) => {
    const response = await api.post(PATH, body);

    expect([response.statusCode, response.json()]).toEqual([400, { success: false, error }]);
  });

  it('accepts a key with the scope read, which may place no order', async () => {
    const headers = { authorization: `Bearer ${await api.store.createKey('live', 'read')}` };
    const body = anOrderBody(await api.store.product({ stock: 5 }));

    expect((await preview(body, headers)).problems).toEqual([]);
    expect((await orders.place(body, headers)).statusCode).toBe(403);
  });

  it('requires a key', async () => {
    const response = await api.inject({ method: 'POST', url: PATH, payload: anOrderBody(1) });

    expect(response.statusCode).toBe(401);
  });

  it('ignores the Idempotency-Key, whatever it is', async () => {
    const body = anOrderBody(await api.store.product({ stock: 5 }));
    const headers = { 'idempotency-key': 'not used up' };

    const previews = [await preview(body, headers), await preview(body, { 'idempotency-key': 'é'.repeat(300) })];
    const placed = await orders.place(body, headers);

    expect(previews.map(({ problems }) => problems)).toEqual([[], []]);
    expect([placed.statusCode, placed.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('runs no fraud rule: a blocked customer gets the preview, and the order is refused', async () => {
    const store = await StoreFixture.create(api.database);
    const headers = { authorization: `Bearer ${store.key}` };
    const body = {
      items: [{ product_id: await store.product({ stock: 5 }), quantity: 1 }],
      customer: { name: 'Eve', email: 'eve@example.com' },
    };
    await api.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [
      store.id,
      { blocked_emails: ['eve@example.com'] },
    ]);

    expect((await preview(body, headers)).problems).toEqual([]);
    expect((await orders.place(body, headers)).headers['x-error-code']).toBe('fraud_rejected');
  });

  it('waits for no lock: it answers while another transaction holds the stock and the product', async () => {
    const mug = await api.store.product({ stock: 5 });
    const locker = new pg.Client({ connectionString: api.database.url });
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('SELECT FROM stock WHERE product_id = $1 FOR UPDATE', [mug]);
    await locker.query('SELECT FROM products WHERE id = $1 FOR UPDATE', [mug]);

    const previewed = await preview(anOrderBody(mug, 6));
    const { rows } = await locker.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );

    await locker.end();
    expect(previewed.problems).toMatchObject([{ requested: 6, available: 5 }]);
    expect(rows).toEqual([{ count: 0 }]);
  });
});
