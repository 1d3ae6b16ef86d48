import { BrandRepository, type BrandFilter, type BrandRecord } from '@app/application';
import { aBrand } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryBrandRepository } from '../support/in-memory/in-memory-brand.repository.js';
import { startApi } from '../support/start-api.js';

/** The repository with two stores and a method that adds brands to them. */
interface Subject {
  readonly brands: BrandRepository;
  readonly storeId: number;
  readonly otherStoreId: number;
  give(storeId: number, brand: Omit<BrandRecord, 'id'>, options?: { active: boolean }): Promise<BrandRecord>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const brands = new InMemoryBrandRepository();
  let serial = 0;
  return Promise.resolve({
    brands,
    storeId: 1,
    otherStoreId: 2,
    give: (storeId, brand, { active } = { active: true }) => {
      const record = { id: ++serial, ...brand };
      brands.add(storeId, record, active);
      return Promise.resolve(record);
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  return {
    brands: api.app.get(BrandRepository, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    give: async (storeId, brand, options) => ({
      id: await (storeId === other.id ? other : api.store).brand({ ...brand, ...options }),
      ...brand,
    }),
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('BrandRepository %s', (_name, open) => {
  let subject: Subject;
  let globex: BrandRecord;
  let gone: BrandRecord;

  beforeAll(async () => {
    subject = await open();
    const { storeId, otherStoreId } = subject;
    const logo = 'https://x.test/globex.png';
    await subject.give(storeId, aBrand({ name: 'Élan', description: 'first of two' }));
    globex = await subject.give(storeId, aBrand({ name: 'globex', slug: 'globex', logo, description: 'Runs' }));
    await subject.give(storeId, aBrand({ name: 'Élan', description: 'second of two' }));
    await subject.give(storeId, aBrand({ name: 'Hooli 100%' }));
    await subject.give(storeId, aBrand({ name: 'Acme' }));
    gone = await subject.give(storeId, aBrand({ name: 'Gone', slug: 'gone' }), { active: false });
    await subject.give(otherStoreId, aBrand({ name: 'Theirs', slug: 'theirs' }));
  });
  afterAll(() => subject.close());

  const names = async (filter: BrandFilter, page = 1, limit = 50) => {
    const { rows, total } = await subject.brands.list(subject.storeId, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's active brands by name in any letter case", async () => {
    expect(await names({})).toEqual([5, 'Acme', 'globex', 'Hooli 100%', 'Élan', 'Élan']);
  });

  it('lists brands with the same name by id', async () => {
    const { rows } = await subject.brands.list(subject.storeId, { search: 'Élan' }, { page: 1, limit: 50 });

    expect(rows.map(({ description }) => description)).toEqual(['first of two', 'second of two']);
  });

  it('lists a page with the total of all pages', async () => {
    expect(await names({}, 2, 2)).toEqual([5, 'Hooli 100%', 'Élan']);
    expect(await names({}, 4, 2)).toEqual([5]);
    expect(await names({}, 21_474_836, 100)).toEqual([5]);
  });

  it('lists full records', async () => {
    const { rows } = await subject.brands.list(subject.storeId, { search: 'globex' }, { page: 1, limit: 1 });

    expect(rows).toEqual([globex]);
  });

  it.each<[BrandFilter, ...string[]]>([
    [{ search: 'GLOB' }, 'globex'],
    [{ search: 'éLAN' }, 'Élan', 'Élan'],
    [{ search: '%' }, 'Hooli 100%'],
    [{ search: '_' }],
    [{ search: '\\' }],
    [{ search: 'runs' }],
    [{ search: 'gone' }],
    [{ search: 'theirs' }],
    [{ search: 'globex\0' }],
    [{ search: '\ud800' }],
  ])('filters by %j', async (filter, ...expected) => {
    expect(await names(filter)).toEqual([expected.length, ...expected]);
  });

  it('finds a brand by id and by slug', async () => {
    const { brands, storeId } = subject;

    expect(await brands.findById(storeId, globex.id)).toEqual(globex);
    expect(await brands.findBySlug(storeId, 'globex')).toEqual(globex);
  });

  it('finds a brand that is not active', async () => {
    const { brands, storeId } = subject;

    expect(await brands.findById(storeId, gone.id)).toEqual(gone);
    expect(await brands.findBySlug(storeId, 'gone')).toEqual(gone);
  });

  it('finds no brand of another store, and none by a slug in another letter case', async () => {
    const { brands, storeId, otherStoreId } = subject;

    expect(await brands.findById(otherStoreId, globex.id)).toBeNull();
    expect(await brands.findBySlug(storeId, 'theirs')).toBeNull();
    expect(await brands.findBySlug(storeId, 'GLOBEX')).toBeNull();
  });
});
