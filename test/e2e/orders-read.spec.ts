import type { LightMyRequestResponse } from 'fastify';
import type pg from 'pg';
import { counterValue } from '../support/counter-value.js';
import { eventually } from '../support/eventually.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const written: string[] = [];
const NO_ADDRESS = { company: '', vat_id: '', address: '', address2: '', city: '', zip: '', region: '', country: '' };

let application: RunningApi;
beforeAll(async () => {
  application = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' }, written);
});
afterAll(() => application.stop());

describe('GET /v1/orders', () => {
  let api: RunningApi;
  let ids: { web: string; pos: string; twin: string; old: string };
  let foreign: string;

  beforeAll(async () => {
    api = await application.withStore();
    foreign = await application.store.order({ receipt_number: 'FOREIGN-1', customer_email: 'ada@example.test' });

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
      ...{ tax_amount: 400, shipping_amount: 100, discount_amount: 200 },
      customer_name: 'Ada Lovelace',
      customer_email: 'Ada@Example.test',
      customer_phone: '+44 20 1',
      shipping_address: { address: '1 Main St', city: 'London', zip: 'N1' },
      billing_address: { city: 'Leeds' },
      notes: 'Ring twice',
      external_reference: 'PO 117/é',
      is_test: true,
      held_reasons: ['amount_over_limit'],
      created_at: '2026-01-02T03:04:05.006Z',
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
      { stage: 'notify-merchant', state: 'dead', attempts: 25, outcome: 'failed', last_error: 'ECONNREFUSED' },
      { stage: 'notify-customer', state: 'held', attempts: 0 },
    ]) {
      await store.row('order_stages', { order_id: web, updated_at: at, ...stage });
    }
    ids = { web, pos, twin, old };
  });

  // Version 7 UUIDs grow. When two orders have the same date, the higher id comes first.
  const inOrder = () => [ids.web, ids.twin, ids.pos, ids.old];

  itBehavesAsList(() => ({ api, path: '/v1/orders', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    api,
    path: '/v1/orders',
    what: 'Order',
    known: ids.web,
    alias: 'web-261120-7k3m9q',
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

  it.each(['limit=2', 'status=PENDING', 'held=true', 'search=WEB-'])(
    'lists live and test orders apart, with exact totals, and with %s',
    async (query) => {
      const [all, live, test] = await Promise.all(
        ['', '&is_test=false', '&is_test=TRUE'].map((mode) => idsIn(api, `/v1/orders?${query}${mode}`)),
      );

      expect(test?.ids).toEqual([ids.web]);
      expect(live?.ids).not.toContain(ids.web);
      expect(Number(live?.total) + Number(test?.total)).toBe(all?.total);
    },
  );

  it('returns the fields of an order in a list', async () => {
    const { data } = await readList(api, '/v1/orders?source=website');

    expect(data).toEqual([listItem()]);
  });

  it('returns the full order', async () => {
    const response = await api.get(`/v1/orders/${ids.web}`);

    expect(response.json<{ data: object }>().data).toEqual({
      ...listItem(),
      ...{ tax_amount: 400, shipping_amount: 100, discount_amount: 200, adjustment_amount: 50 },
      ...{ tax_lines: [], shipping_tax: [] },
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
          ...{
            ...{ tax: [], discount_amount: 0, price_source: null },
            line: 1,
            shipped_quantity: 0,
            cancelled_quantity: 0,
            returned_quantity: 0,
            allocations: [],
            metadata: {},
          },
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
          ...{
            ...{ tax: [], discount_amount: 0, price_source: null },
            line: 2,
            shipped_quantity: 0,
            cancelled_quantity: 0,
            returned_quantity: 0,
            allocations: [],
            metadata: {},
          },
        },
      ],
      customer: { id: null, name: 'Ada Lovelace', email: 'Ada@Example.test', phone: '+44 20 1' },
      shipping_address: { ...NO_ADDRESS, address: '1 Main St', city: 'London', zip: 'N1' },
      billing_address: { name: '', ...NO_ADDRESS, city: 'Leeds' },
      notes: 'Ring twice',
      metadata: {},
      external_reference: 'PO 117/é',
      is_test: true,
      placed_by: { type: 'system', id: '', name: '' },
      held: true,
      held_reasons: ['amount_over_limit'],
      fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] },
      pipeline: [
        {
          stage: 'notify-customer',
          reference: '',
          state: 'held',
          attempts: 0,
          last_error: '',
          outcome: 'waiting',
          at: '2026-01-02T03:04:07.008Z',
        },
        {
          stage: 'notify-merchant',
          reference: '',
          state: 'dead',
          attempts: 25,
          last_error: 'ECONNREFUSED',
          outcome: 'failed',
          at: '2026-01-02T03:04:07.008Z',
        },
      ],
      ...{ shipments: [], payments: [], refunds: [], amount_owed: 2350, amount_paid: 0, refund_due: 0 },
      ...{ amount_credited: 0, amount_refunded: 0, amount_open: 2350, cancellation_fee: 0 },
      ...{ payment_terms_days: null, due_at: null },
      updated_at: expect.stringMatching(/Z$/) as string,
    });
  });

  it('returns amounts beyond 32 bits exactly', async () => {
    const { store, get } = await application.withStore();
    const amount = 9_007_199_254_740_991;
    const id = await store.order({ amount, total_amount: amount });
    await store.orderLine(id, { unit_price: amount, quantity: 1, line_total: amount });

    const response = await get(`/v1/orders/${id}`);

    expect(response.json()).toMatchObject({
      data: { amount, total_amount: amount, line_items: [{ unit_price: amount, line_total: amount }] },
    });
  });
});

describe('GET /v1/statistics/orders', () => {
  it('returns a row for each day of the last 30, with today', async () => {
    const api = await application.withStore();
    const product = await api.store.product({ price: 500, stock: 9 });
    await api.place({ items: [{ product_id: product, quantity: 3 }], customer: { name: 'Ada' } });

    const { data } = (await api.get('/v1/statistics/orders')).json<{ data: object[] }>();

    const none = {
      orders: 0,
      cancelled: 0,
      units: 0,
      amount: 0,
      tax: 0,
      shipping: 0,
      discount: 0,
      refunded: 0,
      paid: 0,
      credited: 0,
      given_up: 0,
    };
    expect(data).toHaveLength(30);
    expect(data[0]).toEqual({ period: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string, ...none });
    expect(data.at(-1)).toMatchObject({ ...none, orders: 1, units: 3, amount: 1500 });
  });

  it.each([
    ['from=2026-02-30', 'from must be a date such as 2026-03-29'],
    ['to=', 'to must be a date such as 2026-03-29'],
    ['by=year', 'by must be one of day, month'],
    ['from=2026-03-29&to=2026-03-29', 'to must be a date after from, at most 400 days later'],
    ['from=2025-01-01&to=2026-02-06', 'to must be a date after from, at most 400 days later'],
    ['from=9999-12-03', 'from must be 9999-12-02 or earlier when to is absent'],
    ['to=0001-01-30', 'to must be 0001-01-31 or later when from is absent'],
  ])('refuses %s', async (query, error) => {
    const response = await application.get(`/v1/statistics/orders?${query}`);

    expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
  });

  it.each([
    ['from=9999-12-02', '9999-12-02', '9999-12-31'],
    ['to=0001-01-31', '0001-01-01', '0001-01-30'],
  ])('sums the days at an end of the calendar for %s', async (query, first, last) => {
    const { data } = (await application.get(`/v1/statistics/orders?${query}`)).json<{ data: { period: string }[] }>();

    expect([data.length, data[0]?.period, data.at(-1)?.period]).toEqual([30, first, last]);
  });

  it('sums 400 days by month', async () => {
    const response = await application.get('/v1/statistics/orders?from=2025-01-01&to=2026-02-05&by=month&source=pos');

    expect(response.json<{ data: object[] }>().data).toHaveLength(14);
  });
});

describe('GET /v1/customers', () => {
  let api: RunningApi;
  let ids: { ada: string; grace: string; blank: string; percent: string };
  let foreign: string;

  beforeAll(async () => {
    api = await application.withStore();
    foreign = await application.store.customer({ email: 'ada@example.test' });

    const ada = await api.store.customer({
      name: 'Ada Lovelace',
      email: 'Ada@Example.test',
      phone: '+44 20 1',
      email_verified: true,
      loyalty_points: 10,
      total_spent: 12990,
      tags: ['vip', 'wholesale'],
      city: 'London',
      created_at: '2026-01-02T03:04:05.006Z',
      last_login: '2026-02-03T04:05:06.007Z',
    });
    await api.store.row('customer_secrets', {
      customer_id: ada,
      password_hash: 'hash-of-password',
      verification_token: 'verify-me',
      national_id: Buffer.from('encrypted'),
    });
    const grace = await api.store.customer({ name: 'Grace Höpper', status: 'BLOCKED', created_at: '2026-03-01' });
    const percent = await api.store.customer({ name: '100%_\\', status: 'active', created_at: '2026-03-01' });
    const blank = await api.store.customer({ name: '', created_at: '2025-12-31' });
    ids = { ada, grace, blank, percent };
  });

  // Version 7 UUIDs grow. When two customers have the same date, the higher id comes first.
  const inOrder = () => [ids.percent, ids.grace, ids.ada, ids.blank];

  itBehavesAsList(() => ({ api, path: '/v1/customers', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    ...{ api, path: '/v1/customers', what: 'Customer' },
    ...{ known: ids.ada, alias: ids.ada.toUpperCase(), foreign: [foreign] },
  }));

  it('returns the fields of a customer and no others, in the list and alone', async () => {
    const { data } = await readList(api, '/v1/customers?search=lovelace');

    expect((await api.get(`/v1/customers/${ids.ada}`)).json()).toEqual({
      success: true,
      data: { ...data[0], addresses: [], contacts: [], metadata: {} },
    });
    expect(data).toEqual([
      {
        id: ids.ada,
        name: 'Ada Lovelace',
        email: 'Ada@Example.test',
        phone: '+44 20 1',
        status: 'Active',
        email_verified: true,
        loyalty_points: 10,
        total_spent: 12990,
        tags: ['vip', 'wholesale'],
        city: 'London',
        ...{ company: '', vat_id: '', groups: [], price_list: null, payment_terms_days: null },
        created_at: '2026-01-02T03:04:05.006Z',
        last_login: '2026-02-03T04:05:06.007Z',
      },
    ]);
  });
});

describe('GET /v1/store', () => {
  let api: RunningApi;

  beforeAll(async () => {
    api = await application.withStore();
    await api.database.query(
      `UPDATE stores SET name = 'Acme', custom_domain = 'shop.acme.test', time_zone = 'Asia/Tokyo', logo_url = 'https://x.test/l.png',
         primary_color = '#112233', seo_title = 'Acme shop', contact = $2, theme = $3, payment_settings = $4,
         ecommerce_settings = $5
       WHERE id = $1`,
      [
        api.store.id,
        { email: 'hello@acme.test', phone: '1', address: 'Main St' },
        { font: 'Inter', token: 'theme-token' },
        {
          methods: [
            { methodId: 'cod', enabled: true },
            { methodId: 'stripe', enabled: true, isSandbox: true, secret_key: 'in-settings' },
            { methodId: 'paypal', enabled: false },
          ],
          webhook_secret: 'beside-methods',
        },
        { template_id: 'modern', checkout: { api_key: 'nested-key', steps: 2 }, notes: 'postgres://u:pw@db/x' },
      ],
    );
    await api.store.row('gateway_credentials', { method_id: 'stripe', credentials: Buffer.from('sealed') });
    await application.store.row('gateway_credentials', { method_id: 'paypal', credentials: Buffer.from('sealed') });
  });

  it('returns the profile of the store that the key belongs to', async () => {
    const response = await api.get('/v1/store');

    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        success: true,
        data: {
          id: api.store.id,
          name: 'Acme',
          subdomain: api.store.subdomain,
          customDomain: 'shop.acme.test',
          currency: 'USD',
          time_zone: 'Asia/Tokyo',
          logo_url: 'https://x.test/l.png',
          primary_color: '#112233',
          seo_title: 'Acme shop',
          theme: { font: 'Inter' },
          contact: { email: 'hello@acme.test', phone: '1', address: 'Main St' },
          payment_settings: {
            methods: [
              { methodId: 'cod', enabled: true, hasCredentials: false },
              { methodId: 'stripe', enabled: true, isSandbox: true, hasCredentials: true },
              { methodId: 'paypal', enabled: false, isSandbox: false, hasCredentials: false },
            ],
          },
          ecommerce_settings: { template_id: 'modern', checkout: { steps: 2 } },
        },
      },
    ]);
  });

  it('gives requests that arrive together the profiles of their own stores, by fewer look-ups than requests', async () => {
    const senders = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? api : application));
    const lookUps = () => counterValue(api.app, 'database_statements_total', { statement: 'stores.profile' });
    const before = await lookUps();

    const answers = await Promise.all(senders.map(({ get }) => get('/v1/store')));

    const ids = answers.map((answer) => answer.json<{ data: { id: number } }>().data.id);
    expect(ids).toEqual(senders.map(({ store }) => store.id));
    expect((await lookUps()) - before).toBeLessThan(senders.length / 2);
  });

  it('returns a change that was committed before the request, also beside other requests', async () => {
    for (let round = 1; round <= 20; round++) {
      const name = `Name ${round}`;
      const earlier = Array.from({ length: 5 }, () => api.get('/v1/store'));
      await api.database.query('UPDATE stores SET name = $2 WHERE id = $1', [api.store.id, name]);

      expect((await api.get('/v1/store')).json()).toMatchObject({ data: { name } });
      await Promise.all(earlier);
    }
  });
});

const COSTLY = ['orders?search=ada', 'customers?search=ada', 'orders?page=2000', 'customers?page=2000'];

describe('searches and deep pages', () => {
  let api: RunningApi;
  let blocker: pg.Client;
  beforeAll(async () => {
    api = await application.withStore();
    await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store'))); // opens the pool's connections
  });
  beforeEach(async () => {
    blocker = await openTransaction(api.database, 'LOCK TABLE customers, orders IN ACCESS EXCLUSIVE MODE');
  });

  it('use at most 4 of 10 connections, over all lists together', async () => {
    const crowd = Promise.all(Array.from({ length: 20 }, (_, n) => api.get(`/v1/${COSTLY[n % COSTLY.length]}`)));
    const waiting = () => lockWaits(api.database);
    await eventually(async () => expect(await waiting()).toBeGreaterThanOrEqual(4));
    // A request after all searches gets a connection, so they hold all the connections that they can get.
    const { statusCode } = await api.get('/v1/store');
    const most = await waiting();
    await blocker.end();
    await crowd;

    expect([statusCode, most]).toEqual([200, 4]);
  });

  it('of one store are refused at once while 64 wait, and leave slots to other requests', async () => {
    const crowd = Array.from({ length: 250 }, () => api.get('/v1/customers?search=ada'));
    const refused = await overloaded(Promise.any(crowd.map(overloaded)));
    const others = await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store')));
    await blocker.end();
    const answers = await Promise.all(crowd);

    expect(refused.headers['retry-after']).toBe('1');
    expect(others.map(({ statusCode }) => statusCode)).toEqual(others.map(() => 200));
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4 + 64);
    expect(statuses.filter((status) => status === 503)).toHaveLength(250 - 68);
  });

  it('return 503 overloaded after waiting 2 s for a connection, and log no database failure', async () => {
    written.length = 0;
    // Four wait for the lock until their lock timeout of 2 s, then the next four. The others get no connection in 2 s.
    const searches = Array.from({ length: 12 }, () => api.get('/v1/customers?search=ada'));
    const late = await Promise.any(searches.map(overloaded));
    await blocker.end();
    await Promise.all(searches);

    expect(late.statusCode).toBe(503);
    const id = String(late.headers['x-request-id']);
    const lines = written.filter((text) => text.includes(`"${id}"`));
    expect(lines).toEqual([expect.stringContaining('"error_code":"overloaded"')]);
  });
});

async function overloaded(answer: Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse> {
  const response = await answer;
  if (response.headers['x-error-code'] !== 'overloaded') throw new Error(`Answered ${response.statusCode}`);
  return response;
}
