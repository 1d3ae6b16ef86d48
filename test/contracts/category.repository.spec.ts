import { CategoryRepository, type CategoryFilter, type CategoryRecord } from '@app/application';
import { aCategory } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryCategoryRepository } from '../support/in-memory/in-memory-category.repository.js';
import { startApi } from '../support/start-api.js';

/** The repository with two stores and a method that adds categories to them. */
interface Subject {
  readonly categories: CategoryRepository;
  readonly storeId: number;
  readonly otherStoreId: number;
  give(storeId: number, category: Omit<CategoryRecord, 'id'>, options?: { active: boolean }): Promise<CategoryRecord>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const categories = new InMemoryCategoryRepository();
  let serial = 0;
  return Promise.resolve({
    categories,
    storeId: 1,
    otherStoreId: 2,
    give: (storeId, category, { active } = { active: true }) => {
      const record = { id: ++serial, ...category };
      categories.add(storeId, record, active);
      return Promise.resolve(record);
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  return {
    categories: api.app.get(CategoryRepository, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    give: async (storeId, category, options) => {
      const { displayOrder, parentId, ...values } = category;
      const parent = parentId === null ? {} : { parent_id: parentId };
      const row = { ...values, ...parent, ...options, display_order: displayOrder };
      return { id: await (storeId === other.id ? other : api.store).category(row), ...category };
    },
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('CategoryRepository %s', (_name, open) => {
  let subject: Subject;
  let shoes: CategoryRecord;
  let winter: CategoryRecord;
  let gone: CategoryRecord;

  beforeAll(async () => {
    subject = await open();
    const { storeId, otherStoreId } = subject;
    const image = 'https://x.test/winter.png';
    shoes = await subject.give(storeId, aCategory({ name: 'Shoes', slug: 'shoes', displayOrder: 2 }));
    await subject.give(storeId, aCategory({ name: 'Bags', description: 'first of two', displayOrder: 2 }));
    await subject.give(storeId, aCategory({ name: 'Bags', description: 'second of two', displayOrder: 2 }));
    await subject.give(storeId, aCategory({ name: 'Sale 100%', displayOrder: -1 }));
    winter = await subject.give(
      storeId,
      aCategory({
        name: 'Winter Été',
        slug: 'winter',
        displayOrder: 1,
        parentId: shoes.id,
        image,
        description: 'Runs',
      }),
    );
    gone = await subject.give(storeId, aCategory({ name: 'Gone', slug: 'gone', parentId: shoes.id }), {
      active: false,
    });
    await subject.give(otherStoreId, aCategory({ name: 'Theirs', slug: 'theirs' }));
  });
  afterAll(() => subject.close());

  const names = async (filter: CategoryFilter, page = 1, limit = 50) => {
    const { rows, total } = await subject.categories.list(subject.storeId, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's active categories by display order, then by name", async () => {
    expect(await names({})).toEqual([5, 'Sale 100%', 'Winter Été', 'Bags', 'Bags', 'Shoes']);
  });

  it('lists categories with the same display order and name by id', async () => {
    const { rows } = await subject.categories.list(subject.storeId, { search: 'Bags' }, { page: 1, limit: 50 });

    expect(rows.map(({ description }) => description)).toEqual(['first of two', 'second of two']);
  });

  it('lists a page with the total of all pages', async () => {
    expect(await names({}, 2, 2)).toEqual([5, 'Bags', 'Bags']);
    expect(await names({}, 4, 2)).toEqual([5]);
    expect(await names({}, 21_474_836, 100)).toEqual([5]);
  });

  it('lists full records', async () => {
    const { rows } = await subject.categories.list(subject.storeId, { search: 'Winter Été' }, { page: 1, limit: 1 });

    expect(rows).toEqual([winter]);
  });

  it.each<[CategoryFilter, ...string[]]>([
    [{ search: 'SHO' }, 'Shoes'],
    [{ search: 'éTÉ' }, 'Winter Été'],
    [{ search: '%' }, 'Sale 100%'],
    [{ search: '_' }],
    [{ search: '\\' }],
    [{ search: 'runs' }],
    [{ search: 'gone' }],
    [{ search: 'theirs' }],
    [{ search: 'Shoes\0' }],
    [{ search: '\ud800' }],
    [{ parentId: 0 }],
    [{ parentId: 2_147_483_647 }],
  ])('filters by %j', async (filter, ...expected) => {
    expect(await names(filter)).toEqual([expected.length, ...expected]);
  });

  it('filters by parent, and by all filters at once', async () => {
    expect(await names({ parentId: shoes.id })).toEqual([1, 'Winter Été']);
    expect(await names({ parentId: shoes.id, search: 't' })).toEqual([1, 'Winter Été']);
    expect(await names({ parentId: shoes.id, search: 'shoes' })).toEqual([0]);
  });

  it('finds a category by id and by slug', async () => {
    const { categories, storeId } = subject;

    expect(await categories.findById(storeId, winter.id)).toEqual(winter);
    expect(await categories.findBySlug(storeId, 'winter')).toEqual(winter);
    expect(await categories.findById(storeId, shoes.id)).toEqual(shoes);
  });

  it('finds a category that is not active', async () => {
    const { categories, storeId } = subject;

    expect(await categories.findById(storeId, gone.id)).toEqual(gone);
    expect(await categories.findBySlug(storeId, 'gone')).toEqual(gone);
  });

  it('finds no category of another store, and none by a slug in another letter case', async () => {
    const { categories, storeId, otherStoreId } = subject;

    expect(await categories.findById(otherStoreId, shoes.id)).toBeNull();
    expect(await categories.findBySlug(storeId, 'theirs')).toBeNull();
    expect(await categories.findBySlug(storeId, 'SHOES')).toBeNull();
  });
});
