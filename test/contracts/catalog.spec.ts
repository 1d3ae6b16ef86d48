import {
  BrandRepository,
  CategoryRepository,
  ProductRepository,
  SkuRepository,
  StockLedger,
  StockService,
  StoreRepository,
  type BrandFilter,
  type BrandRecord,
  type CategoryFilter,
  type CategoryRecord,
  type ProductFilter,
  type ProductRecord,
  type SkuFilter,
  type SkuRecord,
} from '@app/application';
import { NotFound } from '@app/domain';
import pg from 'pg';
import { aBrand, aCategory, aProduct } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

let store: StoreFixture;
let other: StoreFixture;

/** Each suite has two stores of its own. */
async function openStores(): Promise<void> {
  store = await StoreFixture.create(application.database);
  other = await StoreFixture.create(application.database);
}

describe('BrandRepository', () => {
  let brands: BrandRepository;

  const give = async (to: StoreFixture, brand: Omit<BrandRecord, 'id'>, options?: { active: boolean }) => ({
    id: await to.brand({ ...brand, ...options }),
    ...brand,
  });

  beforeAll(async () => {
    brands = application.app.get(BrandRepository, { strict: false });
    await openStores();
    const logo = 'https://x.test/globex.png';
    await give(store, aBrand({ name: 'Élan', description: 'first of two' }));
    await give(store, aBrand({ name: 'globex', slug: 'globex', logo, description: 'Runs' }));
    await give(store, aBrand({ name: 'Élan', description: 'second of two' }));
    await give(store, aBrand({ name: 'Hooli 100%' }));
    await give(store, aBrand({ name: 'Acme' }));
    await give(store, aBrand({ name: 'Gone', slug: 'gone' }), { active: false });
    await give(other, aBrand({ name: 'Theirs', slug: 'theirs' }));
  });

  const names = async (filter: BrandFilter, page = 1, limit = 50) => {
    const { rows, total } = await brands.list(store.id, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's active brands by name in any letter case", async () => {
    expect(await names({})).toEqual([5, 'Acme', 'globex', 'Hooli 100%', 'Élan', 'Élan']);
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
});

describe('CategoryRepository', () => {
  let categories: CategoryRepository;
  let shoes: CategoryRecord;

  const give = async (to: StoreFixture, category: Omit<CategoryRecord, 'id'>, options?: { active: boolean }) => {
    const { displayOrder, parentId, ...values } = category;
    const parent = parentId === null ? {} : { parent_id: parentId };
    return { id: await to.category({ ...values, ...parent, ...options, display_order: displayOrder }), ...category };
  };

  beforeAll(async () => {
    categories = application.app.get(CategoryRepository, { strict: false });
    await openStores();
    const image = 'https://x.test/winter.png';
    shoes = await give(store, aCategory({ name: 'Shoes', slug: 'shoes', displayOrder: 2 }));
    await give(store, aCategory({ name: 'Bags', description: 'first of two', displayOrder: 2 }));
    await give(store, aCategory({ name: 'Bags', description: 'second of two', displayOrder: 2 }));
    await give(store, aCategory({ name: 'Sale 100%', displayOrder: -1 }));
    await give(
      store,
      aCategory({
        name: 'Winter Été',
        slug: 'winter',
        displayOrder: 1,
        parentId: shoes.id,
        image,
        description: 'Runs',
      }),
    );
    await give(store, aCategory({ name: 'Gone', slug: 'gone', parentId: shoes.id }), {
      active: false,
    });
    await give(other, aCategory({ name: 'Theirs', slug: 'theirs' }));
  });

  const names = async (filter: CategoryFilter, page = 1, limit = 50) => {
    const { rows, total } = await categories.list(store.id, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's active categories by display order, then by name", async () => {
    expect(await names({})).toEqual([5, 'Sale 100%', 'Winter Été', 'Bags', 'Bags', 'Shoes']);
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
});

describe('ProductRepository', () => {
  let products: ProductRepository;
  let shoes: ProductRecord['categories'][number];

  const named = (name: string) => ({ name, slug: name.toLowerCase() });
  /** Adds a product with its stock in one bin. */
  const give = async (to: StoreFixture, product: Omit<ProductRecord, 'id'>): Promise<ProductRecord> => {
    const { name, slug, sku, price, status, featured, quantity, createdAt, brand, categories } = product;
    const id = await to.product({
      ...{ name, slug, sku, price, status, featured },
      createdAt: createdAt.toISOString(),
      stock: quantity,
      categoryIds: categories.map((category) => category.id),
      ...(brand ? { brandId: brand.id } : {}),
      columns: {
        description: product.description,
        images: JSON.stringify(product.images),
        specifications: JSON.stringify(product.specifications),
        updated_at: product.updatedAt,
      },
    });
    return { id, ...product };
  };

  beforeAll(async () => {
    products = application.app.get(ProductRepository, { strict: false });
    await openStores();
    const createdAt = new Date('2026-01-01T00:00:00.001Z');
    shoes = { id: await store.category(named('Shoes')), ...named('Shoes') };
    await give(store, aProduct({ name: 'Lamp', createdAt, categories: [shoes] }));
    await give(store, aProduct({ name: 'Mug 100%', createdAt, featured: true, quantity: 3 }));
    await give(
      store,
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
        brand: { id: await store.brand(named('Globex')), ...named('Globex') },
      }),
    );
    await give(store, aProduct({ name: 'Draft', slug: 'draft', status: 'DRAFT', quantity: 9 }));
    await give(other, aProduct({ name: 'Theirs', slug: 'theirs' }));
  });

  const names = async (filter: ProductFilter, page = 1, limit = 50) => {
    const { rows, total } = await products.list(store.id, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's active products, newest first, then by id", async () => {
    expect(await names({})).toEqual([3, 'Runner', 'Mug 100%', 'Lamp']);
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
});

describe('SkuRepository', () => {
  let skus: SkuRepository;
  let size42: SkuRecord;
  let twins: SkuRecord[];
  let serial = 0;

  /** Adds a unit with a product of its own; one with attributes is a variant. */
  const give = async (
    to: StoreFixture,
    unit: { sku: string; name?: string; price?: number; quantity?: number; attributes?: Record<string, string> },
  ): Promise<SkuRecord> => {
    const { sku, name = 'Lamp', price = 1000, quantity = 0, attributes } = unit;
    const productSlug = `unit-${++serial}`;
    const product = attributes ? { sku: 'unused', price: 1 } : { sku, price, stock: quantity };
    const productId = await to.product({ name, slug: productSlug, ...product });
    const variantId = attributes ? await to.variant(productId, { sku, price, attributes, stock: quantity }) : null;
    return {
      sku,
      productId,
      variantId,
      productSlug,
      name,
      attributes: attributes ?? {},
      price,
      quantity,
      status: 'ACTIVE',
    };
  };

  beforeAll(async () => {
    skus = application.app.get(SkuRepository, { strict: false });
    await openStores();
    await give(store, { sku: 'a-1', name: 'Vase 100%' });
    await give(store, { sku: 'B-2', quantity: 3 });
    twins = [await give(store, { sku: 'A-9' }), await give(store, { sku: 'A-9' })];
    await give(store, { sku: 'A-10', quantity: 1 });
    size42 = await give(store, {
      sku: 'Ä_42',
      name: 'Runner',
      price: 5_000_000_000,
      quantity: 7,
      attributes: { Size: '42', Color: 'Blue' },
    });
    await give(store, { sku: '' });
    await give(other, { sku: 'A-9', name: 'Theirs' });
  });

  const skusOf = async (filter: SkuFilter, page = 1, limit = 50) => {
    const { rows, total } = await skus.list(store.id, filter, { page, limit });
    return [total, ...rows.map(({ sku }) => sku)];
  };

  it("lists a store's units by the code points of their SKUs, without a SKU first", async () => {
    expect(await skusOf({})).toEqual([7, '', 'A-10', 'A-9', 'A-9', 'B-2', 'a-1', 'Ä_42']);
  });

  it('lists units with the same SKU by id', async () => {
    const { rows } = await skus.list(store.id, { skus: ['A-9'] }, { page: 1, limit: 50 });

    expect(rows).toEqual(twins);
  });

  it('lists the fields of a variant', async () => {
    const { rows } = await skus.list(store.id, { search: 'runner' }, { page: 1, limit: 1 });

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
    const [twin] = twins as [SkuRecord];
    const unknown = { productId: size42.productId, variantId: null };

    const found = await skus.findByIds(store.id, [size42, unknown, twin, { productId: 0, variantId: 1 }]);

    expect([...found].sort((a, b) => b.price - a.price)).toEqual([size42, twin]);
    expect(await skus.findByIds(other.id, [size42, twin])).toEqual([]);
  });
});

describe('a list that changes while it is read', () => {
  const ROWS = 5;
  const READS = 150;

  it.each([
    ['categories', () => CategoryRepository],
    ['brands', () => BrandRepository],
  ] as const)('has rows and a total of one snapshot: %s', async (table, repository) => {
    await openStores();
    for (let n = 0; n < ROWS; n++) {
      await store.category();
      await store.brand();
    }
    const lists = application.app.get<CategoryRepository | BrandRepository>(repository(), { strict: false });
    const writer = new pg.Client({ connectionString: application.database.url });
    await writer.connect();
    let changing = true;
    const changes = (async () => {
      while (changing) await writer.query(`UPDATE ${table} SET active = NOT active WHERE store_id = $1`, [store.id]);
    })();
    const seen = new Set<number>();

    try {
      for (let read = 0; read < READS; read++) {
        const { rows, total } = await lists.list(store.id, {}, { page: 1, limit: 50 });
        expect(total).toBe(rows.length);
        seen.add(rows.length);
      }
    } finally {
      changing = false;
      await changes;
      await writer.end();
    }
    expect([...seen].sort()).toEqual([0, ROWS]);
  });
});

/** A product, or one of its variants, in a bin, by names. */
interface StockPlace {
  readonly product: string;
  readonly variant: string | null;
  readonly bin: string;
}

const CLERK = { type: 'operator', id: '', name: 'clerk' } as const;
const MUG: StockPlace = { product: 'mug', variant: null, bin: 'MAIN/A-1' };
const RED_MUG: StockPlace = { ...MUG, variant: 'mug-red' };
const CUP: StockPlace = { ...MUG, product: 'cup' };

const AT = `
  JOIN products ON products.store_id = place.store_id AND products.id = place.product_id
  JOIN bins ON bins.store_id = place.store_id AND bins.id = place.bin_id
  JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
  LEFT JOIN product_variants AS variants ON variants.store_id = place.store_id AND variants.id = place.variant_key
  WHERE place.store_id = $1 AND products.slug = $2 AND variants.sku IS NOT DISTINCT FROM $3
    AND warehouses.code || '/' || bins.code = $4`;
const valuesOf = (storeId: number, { product, variant, bin }: StockPlace) => [storeId, product, variant, bin];

/**
 * In each test, two new stores with product `mug` and its variant `mug-red`, product `cup` without variants, and bins
 * `MAIN/A-1` and `MAIN/A-2`. The second store also has a product `plate`.
 */
describe('StockLedger', () => {
  let ledger: StockLedger;
  let stores: StoreRepository;
  let [first, second] = [0, 0];
  beforeAll(() => {
    ledger = application.app.get(StockLedger, { strict: false });
    stores = application.app.get(StoreRepository, { strict: false });
  });
  beforeEach(async () => {
    // A check of all stores counts what earlier tests left.
    // Without the triggers that keep the ledger.
    await application.database.query(
      'BEGIN; SET LOCAL session_replication_role = replica; TRUNCATE stores CASCADE; COMMIT',
    );
    first = await create('first', ['mug', 'cup']);
    second = await create('second', ['mug', 'cup', 'plate']);
  });

  const create = async (subdomain: string, slugs: string[]) => {
    const { id } = await stores.create({ subdomain, name: subdomain, currency: 'USD' });
    const add = async (text: string, ...values: unknown[]) =>
      (await application.database.query<{ id: number }>(`${text} RETURNING id`, [id, ...values]))[0]?.id;
    for (const slug of slugs) {
      const product = await add('INSERT INTO products (store_id, slug, name, price) VALUES ($1, $2, $2, 100)', slug);
      if (slug !== 'mug') continue;
      await add(
        `INSERT INTO product_variants (store_id, product_id, sku, name, price) VALUES ($1, $2, 'mug-red', 'Red', 100)`,
        product,
      );
    }
    const warehouse = await add(`INSERT INTO warehouses (store_id, code, name) VALUES ($1, 'MAIN', 'Main')`);
    for (const bin of ['A-1', 'A-2']) {
      await add('INSERT INTO bins (store_id, warehouse_id, code) VALUES ($1, $2, $3)', warehouse, bin);
    }
    return id;
  };
  /** Kind and quantity of each movement, oldest first. */
  const movements = async (storeId: number, place: StockPlace): Promise<string[]> => {
    const rows = await application.database.query<{ movement: string }>(
      `SELECT place.kind || ' ' || place.quantity AS movement FROM stock_movements AS place ${AT} ORDER BY place.id`,
      valuesOf(storeId, place),
    );
    return rows.map(({ movement }) => movement);
  };
  const put = async (storeId: number, place: StockPlace, to: number): Promise<void> => {
    const [ids] = await application.database.query<{ productId: number; variantId: number | null }>(
      `SELECT products.id AS "productId", variants.id AS "variantId" FROM products
       LEFT JOIN product_variants AS variants ON variants.product_id = products.id AND variants.sku = $3
       WHERE products.store_id = $1 AND slug = $2`,
      [storeId, place.product, place.variant],
    );
    const [warehouse = '', bin = ''] = place.bin.split('/');
    const line = { sku: null, productId: null, variantId: null, ...ids, warehouse, bin, asOf: null };
    const write = { kind: 'set', to, expected: null } as const;
    await application.app.get(StockService, { strict: false }).change({
      ...{ storeId, actor: CLERK, lines: [{ ...line, write }], reference: null, reason: 'counted', idempotency: null },
      ...{ isAtomic: true, createsBins: false },
    });
  };
  /** Changes a quantity without a movement. */
  const corrupt = (storeId: number, place: StockPlace, quantity: number) =>
    application.database.query(
      `UPDATE stock SET quantity = $5 WHERE (store_id, product_id, variant_key, bin_id) IN (
         SELECT place.store_id, place.product_id, place.variant_key, place.bin_id FROM stock AS place ${AT})`,
      [...valuesOf(storeId, place), quantity],
    );

  it('keeps a variant, its product, other bins and other stores apart', async () => {
    for (const [quantity, storeId, place] of [
      [1, first, MUG],
      [2, first, RED_MUG],
      [3, first, { ...MUG, bin: 'MAIN/A-2' }],
      [4, second, MUG],
    ] as const) {
      await put(storeId, place, quantity);
      expect(await movements(storeId, place)).toEqual([`SET ${quantity}`]);
    }
  });

  it('names in each movement who changed the stock, and why', async () => {
    await put(first, MUG, 7);

    const text = 'SELECT actor_type, actor_id, actor_name, reason FROM stock_movements WHERE store_id = $1';
    expect(await application.database.query(text, [first])).toEqual([
      { actor_type: 'operator', actor_id: '', actor_name: 'clerk', reason: 'counted' },
    ]);
  });

  it('accepts the largest quantity', async () => {
    await put(first, MUG, 2_147_483_647);
    await put(first, MUG, 1);

    expect(await movements(first, MUG)).toEqual(['SET 2147483647', 'SET -2147483646']);
  });

  it('finds the bins that differ from the ledger, in one store or in all', async () => {
    await put(first, MUG, 1);
    await put(first, RED_MUG, 2);
    await put(second, CUP, 3);
    expect(await ledger.verify(null)).toEqual({ checked: 3, differences: [] });

    await corrupt(first, RED_MUG, 9);
    await corrupt(second, CUP, 0);

    const red = { ...RED_MUG, store: 'first', quantity: 9, ledger: 2 };
    const cup = { ...CUP, store: 'second', quantity: 0, ledger: 3 };
    expect(await ledger.verify(first)).toEqual({ checked: 2, differences: [red] });
    expect(await ledger.verify(second)).toEqual({ checked: 1, differences: [cup] });
    expect(await ledger.verify(null)).toEqual({ checked: 3, differences: [red, cup] });
  });

  it('verifies by the use case, which names the store by its subdomain', async () => {
    const service = application.app.get(StockService, { strict: false });
    await put(second, MUG, 6);

    expect(await service.verify('second')).toEqual({ checked: 1, differences: [] });
    expect(await service.verify('first')).toEqual({ checked: 0, differences: [] });
    expect(await service.verify(null)).toEqual({ checked: 1, differences: [] });
    await expect(service.verify('third')).rejects.toThrow(new NotFound('Store third'));
  });
});
