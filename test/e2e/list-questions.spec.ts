import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
beforeAll(async () => (application = await startApi({ THROTTLE_PER_10S: '0' })));
afterAll(() => application.stop());

interface Listed {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly updated_at: string })[];
  readonly pagination: { readonly total: number };
}

const readerOf = (api: RunningApi) => async (path: string) => {
  const response = await api.get(path);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<Listed>();
};

const idsOf = ({ data }: Listed) => data.map(({ id }) => id);

describe('a parameter of a list', () => {
  const TIME = 'must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z';

  it.each([
    ['/v1/orders?created_from=2026-03-29', `created_from ${TIME}`],
    ['/v1/orders?created_to=2026-02-30T00:00:00Z', `created_to ${TIME}`],
    ['/v1/orders?updated_from=yesterday', `updated_from ${TIME}`],
    ['/v1/customers?created_from=2026-03-29T00:00:00', `created_from ${TIME}`],
    ['/v1/products?updated_to=', `updated_to ${TIME}`],
    ['/v1/skus?updated_from=1', `updated_from ${TIME}`],
    ['/v1/orders?sort=total', 'sort must be one of created_at, -created_at, updated_at, -updated_at'],
    ['/v1/orders?sort=constructor', 'sort must be one of created_at, -created_at, updated_at, -updated_at'],
    ['/v1/customers?sort=name', 'sort must be one of created_at, -created_at, updated_at, -updated_at'],
    [
      '/v1/products?include=updated_at,stock',
      'include must be one or more of updated_at, sku, metadata, separated by commas',
    ],
    ['/v1/customers?include=orders', 'include must be one or more of updated_at, metadata, separated by commas'],
    ['/v1/orders?refund_due=false', 'refund_due must be true'],
    ['/v1/orders?mail_failed=', 'mail_failed must be true'],
    ['/v1/skus?out_of_stock=false', 'out_of_stock must be true'],
    [`/v1/orders?status=${'PENDING,'.repeat(21)}`, 'status must have at most 20 values'],
    [`/v1/orders?ids=${'x,'.repeat(101)}`, 'ids must have at most 100 values'],
  ])('is refused by its name: %s', async (path, error) => {
    const response = await application.get(path);

    expect([response.statusCode, response.json()]).toEqual([400, { success: false, error }]);
  });

  it.each([
    ['/v1/orders?status=PAID', 'status must be one of PENDING, SUCCEEDED, FAILED, REFUNDED, CANCELLED'],
    ['/v1/orders?source=POS,SHOP', 'source must be one of POS, WEBSITE'],
  ])('is refused in strict handling when no row can have its word: %s', async (path, error) => {
    const strict = await application.get(path, { prefer: 'handling=strict' });
    const lenient = await application.get(path);

    expect([strict.statusCode, strict.json()]).toEqual([400, { success: false, error }]);
    expect(lenient.statusCode).toBe(200);
  });

  it.each(['status=pending&status=FAILED', 'status=PENDING,failed', 'status=failed,PENDING,,UNKNOWN'])(
    'means one of its values: %s',
    async (query) => {
      const { store, get } = await application.withStore();
      await store.order({ status: 'SUCCEEDED' });
      const ids = [await store.order({ status: 'PENDING' }), await store.order({ status: 'FAILED' })];

      const { data } = (await get(`/v1/orders?${query}`)).json<Listed>();

      expect(data.map(({ id }) => id).sort()).toEqual(ids.sort());
    },
  );

  it('does not accept the name of another list', async () => {
    const response = await application.get('/v1/skus?created_from=2026-03-29T00:00:00Z&sort=created_at');

    expect(response.headers['x-ignored-parameters']).toBe('created_from, sort');
  });
});

describe('include', () => {
  it('adds the fields that it names to the rows of orders, and no others', async () => {
    const api = await application.withStore();
    const product = await api.store.product({ stock: 5 });
    const body = { ...anOrderBody(product), items: [{ product_id: product, quantity: 3 }], external_reference: 'PO-1' };
    const placed = (await api.post('/v1/orders', body)).json<{ data: { order_id: string; total: number } }>().data;
    const money = { reference: 'P-1', amount: Math.round(placed.total * 100), currency: 'USD' };
    await api.post(`/v1/orders/${placed.order_id}/payments`, money);
    await api.post(`/v1/orders/${placed.order_id}/cancel`, {});
    const words = 'updated_at,is_test,held,units,refund_due,external_reference,customer_id,line_items';

    const [plain, full] = [await readerOf(api)('/v1/orders'), await readerOf(api)(`/v1/orders?include=${words}`)];
    const order = (await api.get(`/v1/orders/${placed.order_id}`)).json<{ data: Record<string, unknown> }>().data;

    expect(full.data).toEqual([
      {
        ...plain.data[0],
        ...{ updated_at: order['updated_at'], is_test: false, held: false, units: 3, refund_due: money.amount },
        ...{ external_reference: 'PO-1', customer_id: null, line_items: order['line_items'] },
      },
    ]);
    expect((await readerOf(api)('/v1/orders?include=units')).data).toEqual([{ ...plain.data[0], units: 3 }]);
    expect(idsOf(await readerOf(api)('/v1/orders?refund_due=true'))).toEqual([placed.order_id]);
  });

  it.each([
    ['/v1/products', 'updated_at,sku', ['sku', 'updated_at']],
    ['/v1/customers', 'updated_at', ['updated_at']],
    ['/v1/skus', 'updated_at', ['updated_at']],
  ])('adds to %s: %s', async (path, words, names) => {
    const api = await application.withStore();
    await api.store.product({ stock: 1 });
    await api.store.customer();

    const [plain] = (await readerOf(api)(path)).data;
    const [row] = (await readerOf(api)(`${path}?include=${words}`)).data;

    expect(
      Object.keys(row ?? {})
        .filter((name) => !(name in (plain ?? {})))
        .sort(),
    ).toEqual(names);
    expect(row).toMatchObject({ ...plain, updated_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string });
  });
});

describe('a product or customer', () => {
  it('is found by each of its keys, and by no other', async () => {
    const api = await application.withStore();
    const read = readerOf(api);
    const brand = await api.store.brand();
    const mug = await api.store.product({ slug: 'mug', sku: 'M-1', brandId: brand });
    const shoe = await api.store.product({ slug: 'shoe', sku: 'S-0' });
    await api.store.variant(shoe, { sku: 'S-42' });
    const ada = await api.store.customer({ email: 'Ada@example.com' });
    await api.store.customer({ email: 'bada@example.com' });

    expect(idsOf(await read('/v1/products?sku=m-1'))).toEqual([String(mug)]);
    expect(idsOf(await read('/v1/products?sku=s-42'))).toEqual([String(shoe)]);
    expect(idsOf(await read('/v1/products?sku=S-4'))).toEqual([]);
    expect(idsOf(await read('/v1/products?sku='))).toEqual([]);
    expect(idsOf(await read('/v1/products?slug=shoe'))).toEqual([String(shoe)]);
    expect(idsOf(await read(`/v1/products?brand_id=${brand}`))).toEqual([String(mug)]);
    expect(idsOf(await read(`/v1/products?ids=${mug},x,${shoe}&sort=created_at`))).toEqual([String(mug), String(shoe)]);
    expect(idsOf(await read('/v1/customers?email=ada@EXAMPLE.com'))).toEqual([ada]);
    expect(idsOf(await read(`/v1/customers?ids=${ada.toUpperCase()},x`))).toEqual([ada]);
    expect(idsOf(await read('/v1/customers?email='))).toEqual([]);
  });
});

describe('a connector that knows only a time and pages', () => {
  it('misses no change, also of rows that change while it pages', async () => {
    const api = await application.withStore();
    const copy = new Map<string, unknown>();
    let from = '2000-01-01T00:00:00Z';
    const run = async (whilePaging: () => Promise<unknown>) => {
      const query = `updated_from=${from}&sort=-updated_at&include=updated_at&limit=7`;
      for (let page = 1, more = true; more; page++) {
        const { data } = await readerOf(api)(`/v1/orders?${query}&page=${page}`);
        for (const row of data) copy.set(row.id, row['customer_name']);
        if (page === 1) from = data[0]?.updated_at ?? from;
        more = data.length === 7;
        await whilePaging();
      }
    };
    const ids = await Promise.all(Array.from({ length: 40 }, () => api.store.order()));
    let serial = 0;
    const rename = () =>
      api.database.query('UPDATE orders SET customer_name = $2 WHERE id = $1', [ids[(serial * 7) % 40], `${++serial}`]);

    for (let n = 0; n < 5; n++) await run(rename);
    await run(() => Promise.resolve());

    const stored = await api.database.query<{ id: string; customer_name: string }>(
      'SELECT id, customer_name FROM orders WHERE store_id = $1',
      [api.store.id],
    );
    expect(serial).toBeGreaterThan(10);
    expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(stored.map((row) => [row.id, row.customer_name])));
  });
});

describe('the questions of accounting and of a warehouse', () => {
  it('are answered by a month in Berlin, which begins in winter and ends in summer', async () => {
    const api = await application.withStore();
    const times = ['2026-02-28T22:59:59.999Z', '2026-02-28T23:00:00Z', '2026-03-29T01:00:00Z'];
    const ids: string[] = [];
    for (const created_at of [...times, '2026-03-31T21:59:59.999Z', '2026-03-31T22:00:00Z']) {
      ids.push(await api.store.order({ created_at }));
    }
    const range = 'created_from=2026-03-01T00:00:00%2B01:00&created_to=2026-04-01T00:00:00%2B02:00';

    const { data, pagination } = await readerOf(api)(`/v1/orders?${range}&sort=created_at`);

    expect(pagination.total).toBe(3);
    expect(data.map(({ id }) => id)).toEqual(ids.slice(1, 4));
  });

  it('are answered by one request for what is to ship, oldest first, with lines', async () => {
    const api = await application.withStore();
    const [old, young] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const second = await api.store.order({ fulfillment_status: 'PROCESSING', created_at: young });
    const first = await api.store.order({ fulfillment_status: 'PENDING', units: 2, created_at: old });
    const held = await api.store.order({ fulfillment_status: 'PENDING', created_at: old });
    await api.store.order({ fulfillment_status: 'SHIPPED', created_at: old });
    await api.store.row('order_stages', { order_id: held, stage: 'notify-customer', state: 'held', position: 3 });
    await api.store.orderLine(first, { name: 'Mug', quantity: 2 });

    const { data, pagination } = await readerOf(api)(
      '/v1/orders?fulfillment_status=PENDING,CONFIRMED,PROCESSING&held=false&sort=created_at&include=line_items,units',
    );

    expect(pagination.total).toBe(2);
    expect(data).toMatchObject([
      { id: first, units: 2, line_items: [{ name: 'Mug', quantity: 2 }] },
      { id: second, units: 0, line_items: [] },
    ]);
  });
});
