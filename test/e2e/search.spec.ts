import { startApi, type RunningApi } from '../support/start-api.js';

interface Result {
  readonly kind: 'order' | 'customer' | 'product' | 'sku';
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

let application: RunningApi;
beforeAll(async () => {
  application = await startApi({ THROTTLE_PER_10S: '0' });
});
afterAll(() => application.stop());

const searchIn = async (api: RunningApi, q: string, more = '') => {
  const response = await api.get(`/v1/search?q=${encodeURIComponent(q)}${more}`);
  expect(response.statusCode).toBe(200);
  return response.json<{ data: Result[] }>().data;
};
const idsIn = async (api: RunningApi, q: string, more?: string) => (await searchIn(api, q, more)).map(({ id }) => id);

describe('GET /v1/search', () => {
  let api: RunningApi;
  let order: string;
  let customer: string;
  let product: number;
  let variant: number;
  beforeAll(async () => {
    api = await application.withStore();
    const { store } = api;
    order = await store.order({
      ...{ receipt_number: 'WEB-261120-7K3M9Q', source: 'WEBSITE', external_reference: 'PO 117/é' },
      ...{ customer_name: 'Grace Hopper', customer_email: 'Grace@Navy.example', customer_phone: '+1 (202) 555-0143' },
      shipping_address: { address: '12 Chapel Row', city: 'Arlington', company: 'Compilers Ltd' },
      billing_address: { address: '9 Harbour View', vat_id: 'GB999' },
      created_at: '2026-11-20T23:30:00Z',
    });
    await api.database.query(
      `WITH event AS (
         INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
         SELECT $1, $2, 'system', event, reference
         FROM (VALUES ('shipment_created', 'S-1'), ('payment_recorded', 'pi_3Nq8')) AS given (event, reference)
       ), shipped AS (
         INSERT INTO shipments (store_id, order_id, reference, number, status, tracking_number)
         VALUES ($1, $2, 'S-1', 1, 'shipped', '1Z999AA1')
       )
       INSERT INTO payments (store_id, order_id, reference, number, amount) VALUES ($1, $2, 'pi_3Nq8', 1, 1000)`,
      [store.id, order],
    );
    customer = await store.customer({
      ...{ name: 'Edsger Dijkstra', email: 'edsger@tue.example', phone: '040 247 9111', company: 'Semaphore BV' },
      addresses: JSON.stringify([{ label: 'home', address: 'Plataanstraat 5' }]),
      contacts: JSON.stringify([{ name: 'Ria', email: 'ria@tue.example', phone: '+31 40 555 77 88' }]),
    });
    product = await store.product({ name: 'Trail runner', sku: 'TR-900' });
    variant = await store.variant(product, { sku: 'TR-900-42-BLU' });
  });

  it.each([
    ['receipt number', 'web-261120-7k3m9q'],
    ['part of the receipt number', '7K3M9'],
    ['own number', 'PO 117/é'],
    ['decomposed own number', 'po 117/é'.normalize('NFD')],
    ['name', 'grace hopper'],
    ['part of the name', 'opper'],
    ['company', 'compilers'],
    ['VAT id', 'GB999'],
    ['e-mail', 'grace@navy.example'],
    ['start of the e-mail', 'grace@'],
    ['phone', '+1 (202) 555-0143'],
    ['phone without its prefix', '202.555.0143'],
    ['phone with another prefix', '001 202 5550143'],
    ['last digits of the phone', '550143'],
    ['street of the delivery', '12 chapel'],
    ['street of the invoice', 'harbour view'],
    ['tracking number', '1z999aa1'],
    ['reference of a payment', 'pi_3Nq8'],
  ])('finds an order by its %s', async (_field, q) => {
    expect(await searchIn(api, q)).toEqual([
      { kind: 'order', id: order, title: 'WEB-261120-7K3M9Q', detail: 'Grace Hopper, 2026-11-20' },
    ]);
  });

  it('finds an order of a till by its phone', async () => {
    const till = await application.withStore();
    const id = await till.store.order({ source: 'POS', customer_phone: '0151 23456789' });

    expect(await idsIn(till, '+49 151 23456789')).toEqual([id]);
    expect(await idsIn(till, '+49 151 23456780')).toEqual([]);
  });

  it.each([
    ['name', 'dijkstra'],
    ['company', 'Semaphore BV'],
    ['e-mail', 'EDSGER@tue.example'],
    ['phone', '0402479111'],
    ['phone with another prefix', '+31 40 247 91 11'],
    ['street', 'plataanstraat'],
    ['e-mail of a contact', 'ria@tue.example'],
    ['phone of a contact', '040-5557788'],
  ])('finds a customer by the %s', async (_field, q) => {
    expect(await searchIn(api, q)).toEqual([
      { kind: 'customer', id: customer, title: 'Edsger Dijkstra', detail: 'Semaphore BV, edsger@tue.example' },
    ]);
  });

  it('finds a product by its name and by its own SKU, and a unit by half of its SKU', async () => {
    const runner = { kind: 'product', id: String(product), title: 'Trail runner', detail: 'TR-900' };
    const unit = { kind: 'sku', id: `${product}-${variant}`, title: 'TR-900-42-BLU', detail: 'Trail runner' };

    expect(await searchIn(api, 'runn')).toEqual([runner]);
    expect(await searchIn(api, 'tr-900')).toEqual([runner, unit]);
    expect(await searchIn(api, '42-b')).toEqual([unit]);
    expect(await searchIn(api, 'tr-900-42-blu')).toEqual([runner, unit]);
  });

  it('finds no drafts', async () => {
    await api.store.product({ name: 'Secret boot', sku: 'SB-1', status: 'DRAFT' });

    expect(await searchIn(api, 'Secret')).toEqual([]);
    expect(await searchIn(api, 'SB-1')).toEqual([]);
  });

  it('finds nothing of another store', async () => {
    const other = await application.withStore();

    for (const q of ['WEB-261120-7K3M9Q', 'grace', 'grace@navy.example', '2025550143', 'dijkstra', 'runner', 'TR-900'])
      expect([q, await searchIn(other, q)]).toEqual([q, []]);
  });

  it.each(['', '   ', '%', '_____', '\\', '\0', 'a\0', '\ud800', '‹›', 'x'.repeat(300), 'zz '.repeat(100), `' OR 1=1`])(
    'finds nothing with the text %j',
    async (q) => {
      const response = await api.get(`/v1/search?q=${q === '\ud800' ? '%ED%A0%80' : encodeURIComponent(q)}`);

      expect([response.statusCode, response.json()]).toEqual([200, { success: true, data: [] }]);
    },
  );

  it('finds nothing without a text, and refuses a mode that it does not know', async () => {
    expect((await api.get('/v1/search')).json()).toEqual({ success: true, data: [] });
    const refused = await api.get('/v1/search?q=a&is_test=maybe');
    expect(refused.statusCode).toBe(400);
    expect(refused.json<{ error: string }>().error).toContain('is_test');
  });

  it('finds no person whose data was erased', async () => {
    const id = await api.store.customer({
      ...{ name: 'Erasmus Gone', email: 'gone@erased.example', phone: '0170 99887766' },
      addresses: JSON.stringify([{ address: 'Vanished Lane 1' }]),
    });
    await api.store.order({
      ...{ customer_id: id, customer_name: 'Erasmus Gone', customer_email: 'gone@erased.example' },
      ...{ customer_phone: '0170 99887766', shipping_address: { address: 'Vanished Lane 1' } },
    });
    const texts = ['Erasmus', 'gone@erased.example', '017099887766', 'Vanished Lane'];
    for (const q of texts) expect([q, await idsIn(api, q)]).toEqual([q, expect.arrayContaining([id])]);

    expect((await api.post(`/v1/customers/${id}/erase`, {})).statusCode).toBe(200);

    for (const q of texts) expect([q, await searchIn(api, q)]).toEqual([q, []]);
  });
});
