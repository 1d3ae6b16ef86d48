import { StoreFixture } from '../builders/store-fixture.js';
import { idsIn, itBehavesAsList, readList } from '../support/list-behaviour.js';
import { itBehavesAsRetrieval } from '../support/retrieval-behaviour.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/categories', () => {
  let api: RunningApi;
  let ids: { shoes: number; boots: number; bags: number; bagsAgain: number; sandals: number };
  let inactive: number;
  let foreign: { parent: number; child: number };

  beforeAll(async () => {
    api = await startApi();
    const other = await StoreFixture.create(api.database);
    const parent = await other.category({ name: 'Shoes', slug: 'foreign-shoes' });
    foreign = { parent, child: await other.category({ name: 'Boots', parent_id: parent }) };

    const sandals = await api.store.category({ name: 'Sandals & 50%_\\ Öfen', display_order: 9, slug: 'sandals' });
    const bags = await api.store.category({ name: 'Bags', display_order: 2, image: 'https://x.test/b.png' });
    const bagsAgain = await api.store.category({ name: 'Bags', display_order: 2, description: 'More' });
    const boots = await api.store.category({ name: 'Ankle boots', display_order: 2, parent_id: sandals });
    const shoes = await api.store.category({ name: 'Shoes', display_order: -1, slug: 'shoes', parent_id: sandals });
    inactive = await api.store.category({ name: 'Gone', slug: 'gone', active: false, parent_id: sandals });
    ids = { shoes, boots, bags, bagsAgain, sandals };
  });
  afterAll(() => api.stop());

  const inOrder = () => [ids.shoes, ids.boots, ids.bags, ids.bagsAgain, ids.sandals];

  itBehavesAsList(() => ({ api, path: '/v1/categories', ids: inOrder() }));
  itBehavesAsRetrieval(() => ({
    api,
    path: '/v1/categories',
    what: 'Category',
    known: 'shoes',
    foreign: [foreign.parent, 'foreign-shoes'],
  }));

  it('returns the fields of a category', async () => {
    const { data } = await readList(api, '/v1/categories?search=shoes');

    expect(data).toEqual([
      { id: ids.shoes, name: 'Shoes', slug: 'shoes', image: '', description: '', order: -1, parent_id: ids.sandals },
    ]);
  });

  it('returns no parent for a category at the top level', async () => {
    const { data } = await readList(api, '/v1/categories?search=sandals');

    expect(data).toMatchObject([{ parent_id: null, order: 9 }]);
  });

  it('sorts by display order, then name, then id', async () => {
    expect((await idsIn(api, '/v1/categories')).ids).toEqual(inOrder());
  });

  it('lists the active sub-categories of a parent', async () => {
    const found = await idsIn(api, `/v1/categories?parent_id=${ids.sandals}`);

    expect(found).toEqual({ ids: [ids.shoes, ids.boots], total: 2 });
  });

  it('combines the filters', async () => {
    const found = await idsIn(api, `/v1/categories?parent_id=${ids.sandals}&search=boot&limit=1`);

    expect(found).toEqual({ ids: [ids.boots], total: 1 });
  });

  it.each(['abc', '0', '-1', '1.5', 'null', '999999999', '2147483648', '99999999999999999999', '1%00'])(
    'lists nothing for parent_id=%s',
    async (parent) => {
      expect(await idsIn(api, `/v1/categories?parent_id=${parent}`)).toEqual({ ids: [], total: 0 });
    },
  );

  it("lists nothing for another store's parent", async () => {
    expect(await idsIn(api, `/v1/categories?parent_id=${foreign.parent}`)).toEqual({ ids: [], total: 0 });
  });

  it('lists nothing for an empty parent_id', async () => {
    expect(await idsIn(api, '/v1/categories?parent_id=')).toEqual({ ids: [], total: 0 });
  });

  it.each([
    ['SANDALS', 'sandals'],
    ['%25', 'sandals'],
    ['_', 'sandals'],
    ['%5C', 'sandals'],
    ['%C3%B6F', 'sandals'],
    ['kle%20b', 'boots'],
  ] as const)('searches for %s literally and in any letter case', async (search, name) => {
    expect(await idsIn(api, `/v1/categories?search=${search}`)).toEqual({ ids: [ids[name]], total: 1 });
  });

  it('retrieves by id and by slug', async () => {
    const byId = await api.get(`/v1/categories/${ids.shoes}`);

    expect(byId.json()).toMatchObject({ data: { id: ids.shoes, slug: 'shoes' } });
    expect((await api.get('/v1/categories/shoes')).payload).toBe(byId.payload);
  });

  it('reads digits as an id first, then as a slug', async () => {
    const hidden = await api.store.category({ slug: String(ids.shoes), active: false });
    const number = await api.store.category({ slug: '123456789', active: false });

    expect((await api.get(`/v1/categories/${ids.shoes}`)).json()).toMatchObject({ data: { slug: 'shoes' } });
    expect((await api.get(`/v1/categories/${hidden}`)).json()).toMatchObject({ data: { id: hidden } });
    expect((await api.get('/v1/categories/123456789')).json()).toMatchObject({ data: { id: number } });
  });

  it.each([() => inactive, () => 'gone'])('retrieves a category that is no longer listed', async (reference) => {
    expect((await api.get(`/v1/categories/${reference()}`)).json()).toMatchObject({ data: { name: 'Gone' } });
  });
});
