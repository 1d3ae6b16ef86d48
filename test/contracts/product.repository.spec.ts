import { type ProductFilter, type ProductRecord, ProductRepository } from '@app/application';
import { aProduct } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryProductRepository } from '../support/in-memory/in-memory-product.repository.js';
import { startApi } from '../support/start-api.js';

type NewProduct = Omit<ProductRecord, 'id'>;

/** The repository with two stores and a method that adds products to them. */
interface Subject {
  readonly products: ProductRepository;
  readonly storeId: number;
  readonly otherStoreId: number;
  category(name: string): Promise<ProductRecord['categories'][number]>;
  brand(name: string): Promise<NonNullable<ProductRecord['brand']>>;
  /** Adds a product with its stock in one bin. */
  give(storeId: number, product: NewProduct): Promise<ProductRecord>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const products = new InMemoryProductRepository();
  let serial = 0;
  const named = (name: string) => Promise.resolve({ id: ++serial, name, slug: name.toLowerCase() });
  return Promise.resolve({
    products,
    storeId: 1,
    otherStoreId: 2,
    category: named,
    brand: named,
    give: (storeId, product) => {
      const record = { id: ++serial, ...product };
      products.add(storeId, record);
      return Promise.resolve(record);
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  const named = (name: string) => ({ name, slug: name.toLowerCase() });
  return {
    products: api.app.get(ProductRepository, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    category: async (name) => ({ id: await api.store.category(named(name)), ...named(name) }),
    brand: async (name) => ({ id: await api.store.brand(named(name)), ...named(name) }),
    give: async (storeId, product) => ({
      id: await insertProduct(storeId === other.id ? other : api.store, product),
      ...product,
    }),
    close: () => api.stop(),
  };
}

function insertProduct(store: StoreFixture, product: NewProduct): Promise<number> {
  const { name, slug, sku, price, status, featured, quantity, createdAt, brand, categories } = product;
  return store.product({
    ...{ name, slug, sku, price, status, featured },
    createdAt: createdAt.toISOString(),
    stock: quantity,
    categoryIds: categories.map(({ id }) => id),
    ...(brand ? { brandId: brand.id } : {}),
    columns: {
      description: product.description,
      images: JSON.stringify(product.images),
      specifications: JSON.stringify(product.specifications),
      updated_at: product.updatedAt,
    },
  });
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('ProductRepository %s', (_name, open) => {
  let subject: Subject;
  let shoes: ProductRecord['categories'][number];
  let runner: ProductRecord;
  let mug: ProductRecord;
  let draft: ProductRecord;

  beforeAll(async () => {
    subject = await open();
    const { storeId, otherStoreId } = subject;
    const createdAt = new Date('2026-01-01T00:00:00.001Z');
    shoes = await subject.category('Shoes');
    await subject.give(storeId, aProduct({ name: 'Lamp', createdAt, categories: [shoes] }));
    mug = await subject.give(storeId, aProduct({ name: 'Mug 100%', createdAt, featured: true, quantity: 3 }));
    runner = await subject.give(
      storeId,
      aProduct({
        name: 'Runner',
        slug: 'runner',
        price: 5_000_000_000,
        createdAt: new Date('2026-02-01T00:00:00.002Z'),
        updatedAt: new Date('2026-02-01T00:00:00.003Z'),
        quantity: 8,
        description: 'Runs',
        images: [{ url: 'https://x.test/1.png', alt: 'Side' }],
        specifications: [{ name: 'Weight', value: '240 g' }],
        categories: [shoes],
        brand: await subject.brand('Globex'),
      }),
    );
    draft = await subject.give(storeId, aProduct({ name: 'Draft', slug: 'draft', status: 'DRAFT', quantity: 9 }));
    await subject.give(otherStoreId, aProduct({ name: 'Theirs', slug: 'theirs' }));
  });
  afterAll(() => subject.close());

  const names = async (filter: ProductFilter, page = 1, limit = 50) => {
    const { rows, total } = await subject.products.list(subject.storeId, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's active products, newest first, then by id", async () => {
    expect(await names({})).toEqual([3, 'Runner', 'Mug 100%', 'Lamp']);
  });

  it('lists a page with the total of all pages', async () => {
    expect(await names({}, 2, 2)).toEqual([3, 'Lamp']);
    expect(await names({}, 3, 2)).toEqual([3]);
    expect(await names({}, 21_474_836, 100)).toEqual([3]);
  });

  it('lists summaries', async () => {
    const { rows } = await subject.products.list(subject.storeId, { search: 'run' }, { page: 1, limit: 1 });

    const { id, name, slug, price, quantity, status } = runner;
    expect(rows).toEqual([{ id, name, slug, price, quantity, status }]);
  });

  it.each<[ProductFilter, ...string[]]>([
    [{ featured: true }, 'Mug 100%'],
    [{ inStock: true }, 'Runner', 'Mug 100%'],
    [{ search: 'RUN' }, 'Runner'],
    [{ search: '%' }, 'Mug 100%'],
    [{ search: '_' }],
    [{ search: '\\' }],
    [{ search: 'draft' }],
    [{ search: 'theirs' }],
    [{ search: 'Mug\0' }],
    [{ search: '\ud800' }],
    [{ categoryId: 0 }],
    [{ categoryId: 2_147_483_647 }],
  ])('filters by %j', async (filter, ...expected) => {
    expect(await names(filter)).toEqual([expected.length, ...expected]);
  });

  it('filters by category, and by all filters at once', async () => {
    expect(await names({ categoryId: shoes.id })).toEqual([2, 'Runner', 'Lamp']);
    expect(await names({ categoryId: shoes.id, inStock: true, search: 'n' })).toEqual([1, 'Runner']);
  });

  it('finds the full record by id and by slug', async () => {
    const { products, storeId } = subject;

    expect(await products.findById(storeId, runner.id)).toEqual(runner);
    expect(await products.findBySlug(storeId, 'runner')).toEqual(runner);
    expect(await products.findById(storeId, mug.id)).toEqual(mug);
  });

  it('finds no inactive product and no product of another store', async () => {
    const { products, storeId, otherStoreId } = subject;

    expect(await products.findById(storeId, draft.id)).toBeNull();
    expect(await products.findBySlug(storeId, 'draft')).toBeNull();
    expect(await products.findById(otherStoreId, runner.id)).toBeNull();
    expect(await products.findBySlug(storeId, 'theirs')).toBeNull();
    expect(await products.findBySlug(storeId, 'RUNNER')).toBeNull();
  });
});
