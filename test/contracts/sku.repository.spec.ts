import { SkuRepository, type SkuFilter, type SkuRecord } from '@app/application';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemorySkuRepository } from '../support/in-memory/in-memory-sku.repository.js';
import { startApi } from '../support/start-api.js';

interface NewUnit {
  readonly sku: string;
  readonly name?: string;
  readonly price?: number;
  readonly quantity?: number;
  /** Given for a variant. */
  readonly attributes?: Record<string, string>;
}

/** The repository with two stores and a method that adds units to them, each with a product of its own. */
interface Subject {
  readonly skus: SkuRepository;
  readonly storeId: number;
  readonly otherStoreId: number;
  give(storeId: number, unit: NewUnit): Promise<SkuRecord>;
  close(): Promise<void>;
}

let serial = 0;

function recordOf(unit: NewUnit, productId: number, variantId: number | null, productSlug: string): SkuRecord {
  const { sku, name = 'Lamp', price = 1000, quantity = 0, attributes = {} } = unit;
  return { sku, productId, variantId, productSlug, name, attributes, price, quantity, status: 'ACTIVE' };
}

function inMemory(): Promise<Subject> {
  const skus = new InMemorySkuRepository();
  return Promise.resolve({
    skus,
    storeId: 1,
    otherStoreId: 2,
    give: (storeId, unit) => {
      const record = recordOf(unit, ++serial, unit.attributes ? ++serial : null, `unit-${serial}`);
      skus.add(storeId, record);
      return Promise.resolve(record);
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  return {
    skus: api.app.get(SkuRepository, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    give: async (storeId, unit) => {
      const store = storeId === other.id ? other : api.store;
      const { sku, name = 'Lamp', price = 1000, quantity = 0, attributes } = unit;
      const slug = `unit-${++serial}`;
      if (!attributes) {
        const id = await store.product({ sku, name, slug, price, stock: quantity });
        return recordOf(unit, id, null, slug);
      }
      const id = await store.product({ sku: 'unused', name, slug, price: 1 });
      return recordOf(unit, id, await store.variant(id, { sku, price, attributes, stock: quantity }), slug);
    },
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('SkuRepository %s', (_name, open) => {
  let subject: Subject;
  let size42: SkuRecord;
  let twins: SkuRecord[];

  beforeAll(async () => {
    subject = await open();
    const { storeId, otherStoreId } = subject;
    const give = (unit: NewUnit) => subject.give(storeId, unit);
    await give({ sku: 'a-1', name: 'Vase 100%' });
    await give({ sku: 'B-2', quantity: 3 });
    twins = [await give({ sku: 'A-9' }), await give({ sku: 'A-9' })];
    await give({ sku: 'A-10', quantity: 1 });
    size42 = await give({
      sku: 'Ä_42',
      name: 'Runner',
      price: 5_000_000_000,
      quantity: 7,
      attributes: { Size: '42', Color: 'Blue' },
    });
    await give({ sku: '' });
    await subject.give(otherStoreId, { sku: 'A-9', name: 'Theirs' });
  });
  afterAll(() => subject.close());

  const skusOf = async (filter: SkuFilter, page = 1, limit = 50) => {
    const { rows, total } = await subject.skus.list(subject.storeId, filter, { page, limit });
    return [total, ...rows.map(({ sku }) => sku)];
  };

  it("lists a store's units by the code points of their SKUs, without a SKU first", async () => {
    expect(await skusOf({})).toEqual([7, '', 'A-10', 'A-9', 'A-9', 'B-2', 'a-1', 'Ä_42']);
  });

  it('lists units with the same SKU by id', async () => {
    const { rows } = await subject.skus.list(subject.storeId, { skus: ['A-9'] }, { page: 1, limit: 50 });

    expect(rows).toEqual(twins);
  });

  it('lists a page with the total of all pages', async () => {
    expect(await skusOf({}, 2, 3)).toEqual([7, 'A-9', 'B-2', 'a-1']);
    expect(await skusOf({}, 4, 3)).toEqual([7]);
    expect(await skusOf({}, 21_474_836, 100)).toEqual([7]);
    expect(await skusOf({ search: 'A-' }, 2, 3)).toEqual([4, 'a-1']);
    expect(await skusOf({ search: 'A-' }, 3, 3)).toEqual([4]);
  });

  it('lists the fields of a variant', async () => {
    const { rows } = await subject.skus.list(subject.storeId, { search: 'runner' }, { page: 1, limit: 1 });

    expect(rows).toEqual([size42]);
    expect(Object.keys(rows[0]?.attributes ?? {})).toEqual(['Size', 'Color']);
  });

  it.each<[SkuFilter, ...string[]]>([
    [{ inStock: true }, 'A-10', 'B-2', 'Ä_42'],
    [{ skus: ['b-2', 'ä_42', 'unknown'] }, 'B-2', 'Ä_42'],
    [{ skus: ['A-1'] }, 'a-1'],
    [{ skus: ['%'] }],
    [{ skus: ['a\0', '\ud800'] }],
    [{ skus: ['a\0', 'A-10'] }, 'A-10'],
    [{ skus: ['A-9', 'B-2'], inStock: true }, 'B-2'],
    [{ search: 'B-' }, 'B-2'],
    [{ search: 'VASE' }, 'a-1'],
    [{ search: '%' }, 'a-1'],
    [{ search: '_' }, 'Ä_42'],
    [{ search: '\\' }],
    [{ search: 'theirs' }],
    [{ search: 'a-\0' }],
    [{ search: '\ud800' }],
    [{ productId: 0 }],
    [{ productId: 2_147_483_647 }],
  ])('filters by %j', async (filter, ...expected) => {
    expect(await skusOf(filter)).toEqual([expected.length, ...expected]);
  });

  it("finds a store's units by product and variant", async () => {
    const { storeId, otherStoreId, skus } = subject;
    const [twin] = twins as [SkuRecord];
    const unknown = { productId: size42.productId, variantId: null };

    const found = await skus.findByIds(storeId, [size42, unknown, twin, { productId: 0, variantId: 1 }]);

    expect([...found].sort((a, b) => b.price - a.price)).toEqual([size42, twin]);
    expect(await skus.findByIds(otherStoreId, [size42, twin])).toEqual([]);
  });

  it('filters by product, and by all filters at once', async () => {
    const { productId } = size42;
    expect(await skusOf({ productId })).toEqual([1, 'Ä_42']);
    expect(await skusOf({ productId, skus: ['Ä_42'], inStock: true, search: 'run' })).toEqual([1, 'Ä_42']);
    expect(await skusOf({ productId, skus: ['A-9'] })).toEqual([0]);
  });
});
