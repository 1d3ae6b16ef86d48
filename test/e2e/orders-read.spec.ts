import { StoreFixture } from '../builders/store-fixture.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/orders', () => {
  let api: RunningApi;
  let ids: { web: string; pos: string; twin: string; old: string };
  let foreign: string;

  beforeAll(async () => {
    api = await startApi();
    const other = await StoreFixture.create(api.database);
    foreign = await other.order({ receipt_number: 'FOREIGN-1', customer_email: 'ada@example.test' });

    const { store } = api;
    const old = await store.order({
      receipt_number: 'POS-OLD',
      fulfillment_status: 'RETURNED',
      created_at: '2025-01-01T00:00:00.000Z',
      customer_email: '100%_\\@x.test',
    });
    const pos = await store.order({ receipt_number: 'POS-7', status: 'FAILED', created_at: '2026-01-01T00:00:00Z' });
    const twin = await store.order({ receipt_number: 'POS-8', created_at: '2026-01-01T00:00:00Z' });
    const web = await store.order({
      receipt_number: 'WEB-261120-7K3M9Q',
      source: 'WEBSITE',
      status: 'PENDING',
      fulfillment_status: 'PENDING',
      payment_method: 'COD',
      amount: 2000,
      total_amount: 2350,
      customer_name: 'Ada Lovelace',
      customer_email: 'Ada@Example.test',
      customer_phone: '+44 20 1',
      shipping_address: { address: '1 Main St', city: 'London', zip: 'N1' },
      billing_address: { city: 'Leeds' },
      notes: 'Ring twice',
      external_reference: 'PO 117/é',
      is_test: true,
      created_at: '2026-01-02T03:04:05.006Z',
      updated_at: '2026-01-02T03:04:06.007Z',
    });
    await store.orderLine(web, {
      product_id: 77,
      variant_id: 5,
      sku: 'R-1-42',
      name: 'Runner',
      attributes: { Size: '42' },
      unit_price: 500,
      quantity: 2,
      line_total: 1000,
    });
    await store.orderLine(web, { name: 'Gift wrap', unit_price: 1000, quantity: 1, line_total: 1000 });
    await store.row('fraud_assessments', {
      order_id: web,
      verdict: 'REVIEW',
      score: 50,
      reasons: JSON.stringify([{ rule: 'amount_over_limit', score: 50 }]),
    });
    const at = '2026-01-02T03:04:07.008Z';
    for (const stage of [
      { stage: 'notify-merchant', state: 'dead', attempts: 25, last_error: 'ECONNREFUSED', position: 2 },
      { stage: 'notify-customer', state: 'held', attempts: 0, position: 1 },
    ]) {
      await store.row('order_stages', { order_id: web, updated_at: at, ...stage });
    }
    ids = { web, pos, twin, old };
  });
  afterAll(() => api.stop());

  // Version 7 UUIDs grow. When two orders have the same date, the higher id comes first.
  const inOrder = () => [ids.web, ids.twin, ids.pos, ids.old];

  itBehavesAsList(() => ({ api, path: '/v1/orders', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    api,
    path: '/v1/orders',
    what: 'Order',
    known: ids.web,
    foreign: [foreign, 'FOREIGN-1'],
  }));

  const listItem = () => ({
    id: ids.web,
    receipt_number: 'WEB-261120-7K3M9Q',
    status: 'PENDING',
    fulfillment_status: 'PENDING',
    payment_method: 'COD',
    amount: 2000,
    total_amount: 2350,
    currency: 'USD',
    customer_name: 'Ada Lovelace',
    source: 'WEBSITE',
    created_at: '2026-01-02T03:04:05.006Z',
  });

  it.each([
    ['held=true', () => [ids.web]],
    ['held=FALSE&source=pos', () => [ids.pos, ids.twin, ids.old].sort().reverse()],
  ])('lists with %s the orders under review, or the others', async (query, expected) => {
    const found = await idsIn(api, `/v1/orders?${query}`);

    expect({ ...found, ids: found.ids.sort().reverse() }).toEqual({ ids: expected(), total: expected().length });
  });

  it.each(['', '1', 'yes', 'truee', '%00', 'null'])('returns 400 that names the field to held=%s', async (value) => {
    const response = await api.get(`/v1/orders?held=${value}`);

    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ success: false, error: 'held must be true or false' });
  });

  it('returns the fields of an order in a list', async () => {
    const { data } = await readList(api, '/v1/orders?source=website');

    expect(data).toEqual([listItem()]);
  });

  it('returns the full order', async () => {
    const response = await api.get(`/v1/orders/${ids.web}`);

    expect(response.json<{ data: object }>().data).toEqual({
      ...listItem(),
      line_items: [
        {
          product_id: 77,
          variant_id: 5,
          sku: 'R-1-42',
          name: 'Runner',
          attributes: { Size: '42' },
          unit_price: 500,
          quantity: 2,
          line_total: 1000,
        },
        {
          product_id: null,
          variant_id: null,
          sku: '',
          name: 'Gift wrap',
          attributes: {},
          unit_price: 1000,
          quantity: 1,
          line_total: 1000,
        },
      ],
      customer: { id: null, name: 'Ada Lovelace', email: 'Ada@Example.test', phone: '+44 20 1' },
      shipping_address: { address: '1 Main St', city: 'London', zip: 'N1' },
      billing_address: { address: '', city: 'Leeds', zip: '' },
      notes: 'Ring twice',
      external_reference: 'PO 117/é',
      is_test: true,
      fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] },
      pipeline: [
        { stage: 'notify-customer', state: 'held', attempts: 0, last_error: '', at: '2026-01-02T03:04:07.008Z' },
        {
          stage: 'notify-merchant',
          state: 'dead',
          attempts: 25,
          last_error: 'ECONNREFUSED',
          at: '2026-01-02T03:04:07.008Z',
        },
      ],
      updated_at: '2026-01-02T03:04:06.007Z',
    });
  });

  it('returns the same fields for an order that was never screened', async () => {
    const response = await api.get(`/v1/orders/${ids.pos}`);

    expect(response.json()).toMatchObject({
      data: {
        line_items: [],
        customer: { email: '', phone: '' },
        shipping_address: { address: '', city: '', zip: '' },
        billing_address: { address: '', city: '', zip: '' },
        notes: '',
        external_reference: '',
        is_test: false,
        fraud: { verdict: '', score: 0, reasons: [] },
        pipeline: [],
      },
    });
  });

  it('returns a credit note with its negative amounts', async () => {
    const id = await api.store.order({
      receipt_number: 'CN-1',
      amount: -500,
      total_amount: -550,
      created_at: '2020-01-01',
    });
    await api.store.orderLine(id, { unit_price: -500, line_total: -500 });

    const { data } = (await api.get(`/v1/orders/${id}`)).json<{ data: { line_items: object[] } }>();

    expect(data).toMatchObject({ amount: -500, total_amount: -550 });
    expect(data.line_items).toMatchObject([{ unit_price: -500, line_total: -500 }]);
    await api.database.query('DELETE FROM orders WHERE id = $1', [id]);
  });

  it('returns amounts beyond 32 bits exactly', async () => {
    const store = await StoreFixture.create(api.database);
    const amount = 9_007_199_254_740_991;
    const id = await store.order({ amount, total_amount: amount });
    await store.orderLine(id, { unit_price: amount, quantity: 1, line_total: amount });

    const response = await api.get(`/v1/orders/${id}`, { authorization: `Bearer ${store.key}` });

    expect(response.json()).toMatchObject({
      data: { amount, total_amount: amount, line_items: [{ unit_price: amount, line_total: amount }] },
    });
  });

  it.each([() => ids.web, () => ids.web.toUpperCase(), () => 'WEB-261120-7K3M9Q', () => 'web-261120-7k3m9q'])(
    'retrieves by id or receipt number, in any letter case',
    async (reference) => {
      const response = await api.get(`/v1/orders/${reference()}`);

      expect(response.json()).toMatchObject({ data: { id: ids.web } });
    },
  );

  it.each(['WEB-261120-7K3M9', 'WEB-261120-7K3M9QQ', '%25', 'POS-_', 'POS%207'])(
    'returns 404 for the receipt number %s',
    async (reference) => {
      expect((await api.get(`/v1/orders/${reference}`)).statusCode).toBe(404);
    },
  );

  it.each([
    ['status=PENDING', ['web']],
    ['status=pending', ['web']],
    ['status=%20Pending%20', ['web']],
    ['status=SUCCEEDED', ['twin', 'old']],
    ['status=FAILED&status=PENDING', ['web']],
    ['fulfillment_status=returned', ['old']],
    ['fulfillment_status=DELIVERED', ['twin', 'pos']],
    ['source=POS', ['twin', 'pos', 'old']],
    ['source=Website', ['web']],
    ['source=POS&status=succeeded&fulfillment_status=DELIVERED', ['twin']],
    ['source=POS&search=7', ['pos']],
  ] as const)('filters by ?%s', async (query, names) => {
    expect(await idsIn(api, `/v1/orders?${query}`)).toEqual({
      ids: names.map((name) => ids[name]),
      total: names.length,
    });
  });

  it.each([
    'status=FOO',
    'status=PEND',
    'status=%25',
    'status=PENDING%00',
    'fulfillment_status=1',
    'source=WEB',
    'source=%00',
    'source=',
    'status=',
    'status=%20&source=POS',
    'status=PENDING&status=',
    'fulfillment_status=',
    'external_reference=',
  ])('lists nothing for ?%s', async (query) => {
    expect(await idsIn(api, `/v1/orders?${query}`)).toEqual({ ids: [], total: 0 });
  });

  it('returns the exact total of a filtered list on every page', async () => {
    const page = (n: number) => idsIn(api, `/v1/orders?source=POS&limit=1&page=${n}`);

    expect(await page(2)).toEqual({ ids: [ids.pos], total: 3 });
    expect(await page(4)).toEqual({ ids: [], total: 3 });
  });

  it.each([
    ['7k3m9q', ['web']],
    ['pos-', ['twin', 'pos', 'old']],
    ['ADA@', ['web']],
    ['example.TEST', ['web']],
    ['x.test', ['old']],
    ['%25', ['old']],
    ['_', ['old']],
    ['%5C', ['old']],
    ['Lovelace', []],
  ] as const)('searches receipt numbers and e-mails for %s literally and in any letter case', async (search, names) => {
    const found = await idsIn(api, `/v1/orders?search=${search}`);

    expect(found).toEqual({ ids: names.map((name) => ids[name]), total: names.length });
  });

  it.each([
    'source',
    'status',
    'fulfillment_status',
    'source, status',
    'source, fulfillment_status',
    'status, fulfillment_status',
    'source, status, fulfillment_status',
  ])('has an index in the order of the list for the filters %s', async (filters) => {
    const indexes = await api.database.query<{ columns: string }>(
      `SELECT substring(indexdef FROM 'USING btree \\((.*)\\)$') AS columns FROM pg_indexes WHERE tablename = 'orders'`,
    );

    expect(indexes.map(({ columns }) => columns)).toContain(`store_id, ${filters}, created_at DESC, id DESC`);
  });
});
