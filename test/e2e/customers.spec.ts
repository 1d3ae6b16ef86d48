import { StoreFixture } from '../builders/store-fixture.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/customers', () => {
  let api: RunningApi;
  let ids: { ada: string; grace: string; blank: string; percent: string };
  let foreign: string;

  beforeAll(async () => {
    api = await startApi();
    const other = await StoreFixture.create(api.database);
    foreign = await other.customer({ email: 'ada@example.test' });

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
  afterAll(() => api.stop());

  // Version 7 UUIDs grow. When two customers have the same date, the higher id comes first.
  const inOrder = () => [ids.percent, ids.grace, ids.ada, ids.blank];

  itBehavesAsList(() => ({ api, path: '/v1/customers', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({ api, path: '/v1/customers', what: 'Customer', known: ids.ada, foreign: [foreign] }));

  it('returns the fields of a customer and no others', async () => {
    const { data } = await readList(api, '/v1/customers?search=lovelace');

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
        created_at: '2026-01-02T03:04:05.006Z',
        last_login: '2026-02-03T04:05:06.007Z',
      },
    ]);
  });

  it('returns the same fields by id, in any letter case', async () => {
    const { data } = await readList(api, '/v1/customers?search=lovelace');

    const lower = await api.get(`/v1/customers/${ids.ada}`);
    const upper = await api.get(`/v1/customers/${ids.ada.toUpperCase()}`);

    expect(lower.json()).toEqual({ success: true, data: data[0] });
    expect(upper.payload).toBe(lower.payload);
  });

  it('returns empty text for missing fields, and null for a missing last login', async () => {
    const response = await api.get(`/v1/customers/${ids.blank}`);

    expect(response.json()).toMatchObject({
      data: { name: '', email: '', phone: '', city: '', tags: [], last_login: null, total_spent: 0 },
    });
  });

  it.each(['hash-of-password', 'verify-me', 'encrypted', 'password', 'token', 'national'])(
    'never returns %s',
    async (secret) => {
      const list = await api.get('/v1/customers');
      const one = await api.get(`/v1/customers/${ids.ada}`);

      expect(list.payload + one.payload).not.toContain(secret);
    },
  );

  it.each([
    ['Active', ['percent', 'ada', 'blank']],
    ['ACTIVE', ['percent', 'ada', 'blank']],
    ['blocked', ['grace']],
    ['act', []],
    ['%25', []],
    ['Active%00', []],
    ['', []],
    ['%20', []],
  ] as const)('filters by the status %s in any letter case', async (status, names) => {
    const found = await idsIn(api, `/v1/customers?status=${status}`);

    expect(found).toEqual({ ids: names.map((name) => ids[name]), total: names.length });
  });

  it.each([
    ['LOVE', 'ada'],
    ['ada@example', 'ada'],
    ['EXAMPLE.TEST', 'ada'],
    ['h%C3%96pp', 'grace'],
    ['%25', 'percent'],
    ['_', 'percent'],
    ['%5C', 'percent'],
  ] as const)('searches names and e-mails for %s literally and in any letter case', async (search, name) => {
    expect(await idsIn(api, `/v1/customers?search=${search}`)).toEqual({ ids: [ids[name]], total: 1 });
  });

  it('combines the filters and returns the exact total', async () => {
    expect(await idsIn(api, '/v1/customers?status=active&search=a&limit=1')).toEqual({ ids: [ids.ada], total: 1 });
  });
});
