import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type Settings = Readonly<Record<string, unknown>>;

// Secret scanners report a key that is written as one text.
const SECRET = ['sk_', 'live_', '4eC39HqLyjWDarjtT1zdp7dc'].join('');
const OTHER_SECRET = 'hunter2-of-the-gateway';
const STRIPE = { methodId: 'stripe', enabled: true, isSandbox: true };
const COD = { methodId: 'cod', enabled: true };

const logs: string[] = [];
let application: RunningApi;
beforeAll(
  async () => (application = await startApi({ LOG_LEVEL: 'debug', TRUST_PROXY: '1', DATABASE_POOL_SIZE: '10' }, logs)),
);
afterAll(() => application.stop());

let api: RunningApi;
let key: string;
beforeEach(async () => {
  api = await application.withStore();
  key = await api.store.createKey('live', 'read,settings');
});

async function send(method: 'GET' | 'PATCH', payload?: unknown, bearer = key) {
  const headers = { authorization: `Bearer ${bearer}` };
  const response = await api.inject({
    method,
    url: '/v1/settings',
    headers,
    ...(payload !== undefined && { payload: payload as object }),
  });
  const { data, error, faults } = response.json<{ data: Settings; error?: string; faults?: object[] }>();
  return { status: response.statusCode, code: response.headers['x-error-code'], data, error, faults };
}

async function change(settings: object): Promise<Settings> {
  const { status, data, error } = await send('PATCH', settings);
  expect([status, error]).toEqual([200, undefined]);
  return data;
}

const read = async () => (await send('GET')).data;

const stored = async (column: string) =>
  (
    await api.database.query<{ value: unknown }>(`SELECT ${column} AS value FROM stores WHERE id = $1`, [api.store.id])
  )[0]?.value;

const held = async () =>
  (
    await api.database.query<{ id: string; encrypted: Buffer }>(
      'SELECT method_id AS id, credentials AS encrypted FROM gateway_credentials WHERE store_id = $1 ORDER BY 1',
      [api.store.id],
    )
  ).map(({ id, encrypted }) => [id, encrypted.toString('hex')] as const);

describe('the settings of a store', () => {
  it('are all shown, with their defaults', async () => {
    expect(await read()).toEqual({
      name: expect.stringMatching(/^Store \d+$/) as unknown,
      ...{ custom_domain: '', time_zone: 'UTC', logo_url: '', primary_color: '', seo_title: '' },
      ...{
        contact: {},
        theme: {},
        payment_settings: {},
        ecommerce_settings: {},
        fraud_settings: {},
        charge_settings: {},
      },
    });
  });

  it('change where the request names them, and the others stay', async () => {
    const first = await change({
      ...{
        name: ' Acme ',
        custom_domain: 'shop.acme.test',
        primary_color: '#112233',
        seo_title: 'Acme',
        logo_url: 'l',
      },
      contact: { email: 'hello@acme.test', phone: '1' },
      theme: { font: 'Inter', dark: { on: true } },
      fraud_settings: { review_amount: 5_000, review_orders_per_email: null },
    });

    const second = await change({ contact: { phone: '2' }, time_zone: 'Europe/Berlin' });

    expect(first).toMatchObject({ name: 'Acme', time_zone: 'UTC', contact: { email: 'hello@acme.test', phone: '1' } });
    expect(second).toEqual({ ...first, contact: { phone: '2' }, time_zone: 'Europe/Berlin' });
    expect(await read()).toEqual(second);
    const profile = (await api.get('/v1/store')).json<{ data: object }>().data;
    expect(profile).toMatchObject({ name: 'Acme', customDomain: 'shop.acme.test', time_zone: 'Europe/Berlin' });
  });

  it('return to their defaults by null', async () => {
    const begin = await read();
    await change({
      custom_domain: 'a',
      time_zone: 'Europe/Berlin',
      seo_title: 'a',
      theme: { a: 1 },
      fraud_settings: { review_amount: 1 },
    });

    const after = await change({
      custom_domain: null,
      time_zone: null,
      seo_title: null,
      theme: null,
      fraud_settings: null,
    });

    expect(after).toEqual(begin);
  });

  it('are the same after a request without settings, and after the same request again', async () => {
    const settings = { name: 'Acme', theme: { font: 'Inter' }, charge_settings: { shipping: { amount: 490 } } };
    const first = await change(settings);
    const [row] = await api.database.query('SELECT xmin FROM stores WHERE id = $1', [api.store.id]);

    expect(await change({})).toEqual(first);
    expect(await change(settings)).toEqual(first);
    expect(await api.database.query('SELECT xmin FROM stores WHERE id = $1', [api.store.id])).toEqual([row]);
  });

  it('can be sent back as they were read', async () => {
    await change({
      ...{ name: 'Acme', contact: { email: 'a@b.test' }, theme: { api_key: SECRET, font: 'Inter' } },
      payment_settings: { methods: [COD, { ...STRIPE, credentials: { secret_key: SECRET } }], note: 'a' },
      ecommerce_settings: { notifications: { refund: false }, hooks: [{ token: OTHER_SECRET }] },
      charge_settings: { rates: [{ country: 'DE', name: 'VAT', rate: 19 }], shipping: { amount: 1, free_from: null } },
    });
    const [before, theme, credentials] = [await read(), await stored('theme'), await held()];

    expect(await change(before)).toEqual(before);
    expect([await stored('theme'), await held()]).toEqual([theme, credentials]);
  });

  it('apply to the next order within a second', async () => {
    const product_id = await api.store.product({ price: 1_000, stock: 50 });
    const order = () => ({ customer: { name: 'Ada', country: 'DE' }, items: [{ product_id, quantity: 1 }] });
    expect((await api.place(order())).total).toBe(10);

    await change({ charge_settings: { rates: [{ country: 'de', name: 'VAT', rate: 19 }], shipping: { amount: 500 } } });

    await eventually(async () => expect((await api.place(order())).total).toBe(17.85));
  });

  it.each<[string, object, string]>([
    ['a blank name', { name: ' ' }, 'name must not be empty'],
    ['no name', { name: null }, 'name is required'],
    ['an unknown field', { nmae: 'Acme' }, 'nmae is not a field of this request'],
    ['the currency', { currency: 'EUR' }, 'currency is not a field of this request'],
    ['the subdomain', { subdomain: 'other' }, 'subdomain is not a field of this request'],
    ['the status', { status: 'INACTIVE' }, 'status is not a field of this request'],
    ['the id', { id: 7 }, 'id is not a field of this request'],
    ['a zone', { time_zone: 'Mars' }, 'time_zone must be UTC or an IANA time zone such as "Europe/Berlin"'],
    [
      'an address',
      { contact: { email: 'none' } },
      'contact.email must be one e-mail address (name@domain) of at most 254 bytes, or empty',
    ],
    ['a part', { contact: { fax: '1' } }, 'contact has no field "fax"'],
    ['a list', { theme: [] }, 'theme must be an object'],
    [
      'a rate',
      { charge_settings: { rates: [{ country: 'DE', name: 'VAT', rate: 2000 }] } },
      'charge_settings.rates[0].rate must be a number from 0 to 1000',
    ],
    [
      'a method twice',
      { payment_settings: { methods: [COD, COD] } },
      'payment_settings.methods[1].methodId "cod" is listed twice',
    ],
    [
      'credentials',
      { payment_settings: { methods: [{ ...STRIPE, credentials: 'other' }] } },
      'payment_settings.methods[0].credentials must be an object, null or "set"',
    ],
    [
      'another field of a method',
      { payment_settings: { methods: [{ ...STRIPE, secret: 'x' }] } },
      'payment_settings.methods[0] has no field "secret"',
    ],
    ['what is expected', { expected: [] }, 'expected must be an object'],
    ['an unknown expected field', { expected: { nmae: 1 } }, 'expected.nmae is not a field of this request'],
    [
      'several faults',
      { name: '', theme: 1, x: 1 },
      'name must not be empty; theme must be an object; x is not a field of this request',
    ],
  ])('are refused with %s', async (_what, body, error) => {
    const before = await read();

    const answer = await send('PATCH', { seo_title: 'not kept', ...body });

    expect([answer.status, answer.code, answer.error]).toEqual([400, 'invalid_request', error]);
    expect(answer.faults).toHaveLength(error.split('; ').length);
    expect(await read()).toEqual(before);
  });

  it('are refused without a body, and with a body that is not an object', async () => {
    expect(await send('PATCH')).toMatchObject({ status: 400, error: 'Request body is empty' });
    expect(await send('PATCH', [])).toMatchObject({ status: 400, error: 'The request body must be a JSON object' });
  });
});

describe('two people at once', () => {
  it('are told what changed since they read it, and change nothing', async () => {
    const expected = { name: (await read())['name'], time_zone: 'UTC' };
    await change({ time_zone: 'Europe/Berlin' });

    const answer = await send('PATCH', { time_zone: 'Asia/Tokyo', name: 'Acme', expected });

    expect(answer).toMatchObject({
      ...{ status: 422, code: 'stale', faults: [{ path: 'time_zone', message: 'is not as expected' }] },
      error: 'Nothing was changed: time_zone changed since you read the settings',
    });
    expect(await read()).toMatchObject({ time_zone: 'Europe/Berlin', name: expected.name });
    expect(await change({ name: 'Acme', expected: { name: expected.name } })).toMatchObject({ name: 'Acme' });
  });

  it('compare settings with secrets as they read them', async () => {
    await change({
      theme: { api_key: SECRET, font: 'Inter' },
      payment_settings: { methods: [{ ...STRIPE, credentials: { k: SECRET } }] },
    });
    const { theme, payment_settings } = await read();

    await change({ theme: { font: 'Arial', api_key: 'set' }, expected: { theme, payment_settings } });

    expect(await send('PATCH', { theme: {}, expected: { theme } })).toMatchObject({ status: 422, code: 'stale' });
    expect(await stored('theme')).toEqual({ font: 'Arial', api_key: SECRET });
  });

  it('change one after the other', async () => {
    const other = await openTransaction(api.database);
    await other.query('SELECT FROM stores WHERE id = $1 FOR NO KEY UPDATE', [api.store.id]);
    const expected = { seo_title: '' };
    const answers = Promise.all(['a', 'b'].map((seo_title) => send('PATCH', { seo_title, expected })));
    await eventually(async () => expect(await lockWaits(api.database, '%settings.lock%')).toBe(2));
    await other.query('ROLLBACK');

    expect((await answers).map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });
});

describe('secrets', () => {
  const payment = (...methods: object[]) => ({ payment_settings: { methods } });

  it('are written, shown as "set", and kept by "set" and by absent credentials', async () => {
    const first = await change(payment(COD, { ...STRIPE, credentials: { secret_key: SECRET } }));
    const credentials = await held();
    expect(first['payment_settings']).toEqual({ methods: [COD, { ...STRIPE, credentials: 'set' }] });
    expect(credentials).toEqual([['stripe', expect.not.stringContaining(Buffer.from(SECRET).toString('hex'))]]);

    await change(payment({ ...STRIPE, enabled: false, credentials: 'set' }, COD));
    await change(payment({ ...STRIPE, enabled: false }, COD));

    expect(await held()).toEqual(credentials);
    expect((await read())['payment_settings']).toEqual(
      payment({ ...STRIPE, enabled: false, credentials: 'set' }, COD).payment_settings,
    );
    await change(payment({ ...STRIPE, credentials: { secret_key: OTHER_SECRET } }));
    expect(await held()).not.toEqual(credentials);
    expect(await stored('payment_settings')).toEqual({ methods: [STRIPE] });
  });

  it.each([null, {}, { secret_key: ' ' }])('are removed by %j', async (credentials) => {
    await change(payment({ ...STRIPE, credentials: { secret_key: SECRET } }));

    expect((await change(payment({ ...STRIPE, credentials })))['payment_settings']).toEqual({ methods: [STRIPE] });
    expect(await held()).toEqual([]);
  });

  it('of a payment method are deleted with it', async () => {
    const adyen = { methodId: 'adyen', enabled: true, isSandbox: false };
    const both = [STRIPE, adyen].map((method) => ({ ...method, credentials: { secret_key: SECRET } }));
    await change(payment(...both));

    await change(payment(adyen));
    expect((await held()).map(([id]) => id)).toEqual(['adyen']);
    await change({ seo_title: 'a' });
    expect((await held()).map(([id]) => id)).toEqual(['adyen']);
    await change({ payment_settings: null });
    expect(await held()).toEqual([]);
  });

  it('cannot be kept where none are stored', async () => {
    const answer = await send('PATCH', {
      ...payment(COD, { ...STRIPE, credentials: 'set' }),
      theme: { a: { api_key: 'set' } },
    });

    expect(answer).toMatchObject({ status: 422, code: 'settings_refused' });
    expect(answer.faults).toEqual(
      ['payment_settings.methods[1].credentials', 'theme.a.api_key'].map((path) => ({
        path,
        message: 'has no stored secret to keep, or several: send the secret itself',
      })),
    );
    expect(await read()).toMatchObject({ theme: {}, payment_settings: {} });
  });

  it('in other settings are shown as "set" and kept by it, also in a list with a new order', async () => {
    const hooks = [
      { name: 'a', token: SECRET },
      { name: 'b', token: OTHER_SECRET },
    ];
    const { ecommerce_settings: shown } = await change({ ecommerce_settings: { hooks, template_id: 'set' } });
    expect(shown).toEqual({ hooks: hooks.map(({ name }) => ({ name, token: 'set' })), template_id: 'set' });

    await change({
      ecommerce_settings: {
        hooks: [
          { name: 'b', token: 'set' },
          { name: 'c', token: 'x' },
          { name: 'a', token: 'set' },
        ],
      },
    });

    expect(await stored('ecommerce_settings')).toEqual({ hooks: [hooks[1], { name: 'c', token: 'x' }, hooks[0]] });
    await change({ ecommerce_settings: { hooks: [] } });
    expect(await stored('ecommerce_settings')).toEqual({ hooks: [] });
  });

  it('are in no answer, no log and no change of the feed', async () => {
    const secret = ['whsec', '_Zx81canaryCANARYcanary'].join('');
    const body = {
      ...payment({ ...STRIPE, credentials: { secret_key: secret } }),
      theme: { api_key: secret },
      ecommerce_settings: { note: `Bearer ${secret}` },
    };
    const answers = [await send('PATCH', body), await send('PATCH', { ...body, nmae: 1 }), await send('GET')];
    const manager = await api.store.createKey('live', 'full');
    for (const url of ['/v1/store', '/v1/key', '/v1/changes', '/v1/attention', '/v1/audit']) {
      const bearer = url === '/v1/audit' ? key : manager;
      const response = await api.inject({ url, headers: { authorization: `Bearer ${bearer}` } });
      answers.push({ status: response.statusCode, body: response.body } as never);
    }

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200, 200, 200, 200]);
    expect(logs.length).toBeGreaterThan(0);
    expect(JSON.stringify([answers, logs])).not.toContain('canaryCANARY');
  });
});

describe('the audit', () => {
  const entries = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await api.inject({ url: '/v1/audit?action=settings.changed', headers });
    return response.json<{ data: { actor: object; address: string; changes: object }[] }>().data;
  };

  it('has what was before and after each change, and who made it, without secrets and blocked contacts', async () => {
    await change({
      name: 'Acme',
      time_zone: 'UTC',
      fraud_settings: { blocked_emails: ['a@b.test'], review_amount: 1 },
    });
    await change({ theme: { api_key: SECRET } });
    await change({ theme: { api_key: OTHER_SECRET }, fraud_settings: { blocked_emails: ['c@d.test'] } });

    const [third, second, first] = await entries();

    expect(first).toMatchObject({ actor: { type: 'key' }, address: '127.0.0.1' });
    expect([first, second, third].map((entry) => entry?.changes)).toEqual([
      {
        name: [expect.stringMatching(/^Store/), 'Acme'],
        fraud_settings: [{}, { blocked_emails: '1 blocked', review_amount: 1 }],
      },
      { theme: [{}, { api_key: 'set' }] },
      {
        theme: [{ api_key: 'set' }, { api_key: 'set' }],
        fraud_settings: [{ blocked_emails: '1 blocked', review_amount: 1 }, { blocked_emails: '1 blocked' }],
      },
    ]);
  });

  it('has new credentials, and no request that changes nothing or is refused', async () => {
    const methods = [{ ...STRIPE, credentials: { secret_key: SECRET } }];
    await change({ payment_settings: { methods } });
    await change({ payment_settings: { methods: [{ ...STRIPE, credentials: 'set' }] } });
    await send('PATCH', { name: 'Acme', expected: { seo_title: 'other' } });
    await change({ payment_settings: { methods } });

    const shown = { methods: [{ ...STRIPE, credentials: 'set' }] };
    expect((await entries()).map(({ changes }) => changes)).toEqual([
      { payment_settings: [shown, shown] },
      { payment_settings: [{}, shown] },
    ]);
  });
});

describe('who may read and change settings', () => {
  it.each([
    ['owner', 200],
    ['manager', 200],
    ['warehouse', 403],
    ['support', 403],
    ['developer', 403],
    ['viewer', 403],
  ] as const)('a %s gets %i', async (role, status) => {
    const { secret } = await api.store.session(role);

    const headers = {
      ...{ host: 'shop.example', 'x-forwarded-proto': 'https', origin: 'https://shop.example' },
      ...{ 'sec-fetch-site': 'same-origin', 'x-dashboard': 'live', cookie: `__Host-store-live=${secret}` },
    };
    const ask = (method: 'GET' | 'PATCH', payload?: object) =>
      api.inject({ method, url: '/v1/settings', headers, ...(payload && { payload }) });
    const [get, patch] = [await ask('GET'), await ask('PATCH', { seo_title: role })];

    expect([get.statusCode, patch.statusCode]).toEqual([status, status]);
  });

  it('is not a full key, and not a read key', async () => {
    for (const scope of ['full', 'read'] as const) {
      const weak = await api.store.createKey('live', scope);
      expect(await send('GET', undefined, weak)).toMatchObject({ status: 403, code: 'insufficient_scope' });
      expect(await send('PATCH', { name: 'x' }, weak)).toMatchObject({ status: 403, code: 'insufficient_scope' });
    }
  });

  it('is a key of the store, whose settings alone change', async () => {
    const other = await application.withStore();
    const otherKey = await other.store.createKey('live', 'read,settings');
    await send(
      'PATCH',
      { ...{ name: 'Other' }, payment_settings: { methods: [{ ...STRIPE, credentials: { k: SECRET } }] } },
      otherKey,
    );
    const before = (await send('GET', undefined, otherKey)).data;

    await change({ name: 'Mine', payment_settings: { methods: [] } });

    expect((await send('GET', undefined, otherKey)).data).toEqual(before);
    expect(before).toMatchObject({ name: 'Other' });
  });

  it('changes nothing in a store that moves to another cluster', async () => {
    const before = await read();
    await api.database.query(`UPDATE stores SET status = 'MOVING' WHERE id = $1`, [api.store.id]);

    const answer = await send('PATCH', { name: 'Moved', ...{ payment_settings: { methods: [] } } });

    expect(answer).toMatchObject({ status: 503, code: 'store_moved' });
    await api.database.query(`UPDATE stores SET status = 'ACTIVE' WHERE id = $1`, [api.store.id]);
    expect(await read()).toEqual(before);
  });
});
