import { counterValue } from '../support/counter-value.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { StoreFixture } from '../builders/store-fixture.js';

describe('GET /v1/store', () => {
  let api: RunningApi;

  beforeAll(async () => {
    api = await startApi();
    await api.database.query(
      `UPDATE stores SET name = 'Acme', custom_domain = 'shop.acme.test', logo_url = 'https://x.test/l.png',
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
    const other = await StoreFixture.create(api.database);
    await other.row('gateway_credentials', { method_id: 'paypal', credentials: Buffer.from('sealed') });
  });
  afterAll(() => api.stop());

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

  it.each(['theme-token', 'in-settings', 'beside-methods', 'nested-key', 'pw@db', 'sealed'])(
    'never returns %s',
    async (secret) => {
      expect((await api.get('/v1/store')).payload).not.toContain(secret);
    },
  );

  it('returns every field for a store without settings', async () => {
    const store = await StoreFixture.create(api.database, { currency: 'JPY' });

    const response = await api.get('/v1/store', { authorization: `Bearer ${store.key}` });

    expect(response.json<{ data: object }>().data).toEqual({
      id: store.id,
      name: expect.any(String) as string,
      subdomain: store.subdomain,
      customDomain: '',
      currency: 'JPY',
      logo_url: '',
      primary_color: '',
      seo_title: '',
      theme: {},
      contact: {},
      payment_settings: { methods: [] },
      ecommerce_settings: { template_id: '' },
    });
  });

  it('names ignored parameters, because it accepts none', async () => {
    const response = await api.get('/v1/store?page=2');

    expect([response.statusCode, response.headers['x-ignored-parameters']]).toEqual([200, 'page']);
  });

  it('returns 400 for a parameter when the client prefers strict handling', async () => {
    const response = await api.get('/v1/store?page=2', { prefer: 'handling=strict' });

    expect([response.statusCode, response.json()]).toEqual([
      400,
      { success: false, error: 'Unknown query parameter: page' },
    ]);
  });

  it('returns 401 without a key', async () => {
    expect((await api.inject({ method: 'GET', url: '/v1/store' })).statusCode).toBe(401);
  });

  it('gives requests that arrive together the profiles of their own stores, by fewer look-ups than requests', async () => {
    const other = await StoreFixture.create(api.database);
    const keys = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? api.store.key : other.key));
    const lookUps = () => counterValue(api.app, 'database_statements_total', { statement: 'stores.profile' });
    const before = await lookUps();

    const answers = await Promise.all(keys.map((key) => api.get('/v1/store', { authorization: `Bearer ${key}` })));

    const ids = answers.map((answer) => answer.json<{ data: { id: number } }>().data.id);
    expect(ids).toEqual(keys.map((key) => (key === other.key ? other.id : api.store.id)));
    expect((await lookUps()) - before).toBeLessThan(keys.length / 2);
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
