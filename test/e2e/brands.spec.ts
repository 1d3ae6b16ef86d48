import { StoreFixture } from '../builders/store-fixture.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/brands', () => {
  let api: RunningApi;
  let other: StoreFixture;
  let ids: { acme: number; bolt: number; boltAgain: number; globex: number; percent: number; digits: number };
  let inactive: number;
  let foreign: number;

  beforeAll(async () => {
    api = await startApi();
    other = await StoreFixture.create(api.database);
    foreign = await other.brand({ name: 'Acme', slug: 'foreign-acme' });
    const globex = await api.store.brand({ name: 'globex Öl', slug: 'globex', logo: 'https://x.test/g.png' });
    const bolt = await api.store.brand({ name: 'bolt', slug: 'bolt' });
    const boltAgain = await api.store.brand({ name: 'Bolt', slug: 'bolt-2', description: 'Again' });
    const acme = await api.store.brand({ name: 'Acme', slug: 'acme' });
    const percent = await api.store.brand({ name: 'x 100%_\\ wool', slug: 'wool' });
    const digits = await api.store.brand({ name: 'y', slug: String(globex) });
    inactive = await api.store.brand({ name: 'Aaa', slug: 'gone', active: false });
    ids = { acme, bolt, boltAgain, globex, percent, digits };
  });
  afterAll(() => api.stop());

  const inOrder = () => [ids.acme, ids.bolt, ids.boltAgain, ids.globex, ids.percent, ids.digits];

  itBehavesAsList(() => ({ api, path: '/v1/brands', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    api,
    path: '/v1/brands',
    what: 'Brand',
    known: ids.acme,
    foreign: [foreign, 'foreign-acme'],
  }));

  it('returns the fields of a brand', async () => {
    const { data } = await readList(api, '/v1/brands?search=globex');

    expect(data).toEqual([
      { id: ids.globex, name: 'globex Öl', slug: 'globex', logo: 'https://x.test/g.png', description: '' },
    ]);
  });

  it('sorts by name in any letter case, then by id', async () => {
    expect((await idsIn(api, '/v1/brands')).ids).toEqual(inOrder());
  });

  it.each([
    ['ACME', ['acme']],
    ['bol', ['bolt', 'boltAgain']],
    ['%25', ['percent']],
    ['_', ['percent']],
    ['%5C', ['percent']],
    ['100%25_', ['percent']],
    ['%C3%B6l', ['globex']],
    ['%20acme%20', ['acme']],
  ] as const)('searches for %s literally and in any letter case', async (search, names) => {
    const found = await idsIn(api, `/v1/brands?search=${search}`);

    expect(found).toEqual({ ids: names.map((name) => ids[name]), total: names.length });
  });

  it('retrieves by id and by slug', async () => {
    const byId = await api.get(`/v1/brands/${ids.acme}`);
    const bySlug = await api.get('/v1/brands/acme');

    expect(byId.json()).toMatchObject({ data: { id: ids.acme, slug: 'acme' } });
    expect(bySlug.payload).toBe(byId.payload);
  });

  it('reads digits as an id first, then as a slug', async () => {
    const number = await api.store.brand({ slug: '123456789', active: false });

    expect((await api.get(`/v1/brands/${ids.globex}`)).json()).toMatchObject({ data: { slug: 'globex' } });
    expect((await api.get('/v1/brands/123456789')).json()).toMatchObject({ data: { id: number } });
  });

  it.each([() => inactive, () => 'gone'])('retrieves a brand that is no longer listed', async (reference) => {
    const response = await api.get(`/v1/brands/${reference()}`);

    expect([response.statusCode, response.json<{ data: object }>().data]).toMatchObject([200, { name: 'Aaa' }]);
  });
});
