import {
  BrandRepository,
  CategoryRepository,
  CustomerRepository,
  Deadline,
  ERASED_NAME,
  OrderCharges,
  PersonalData,
  PriceChanges,
  PriceListRepository,
  ProductRepository,
  SkuRepository,
  StoreRepository,
  type BrandFilter,
  type CategoryFilter,
  type CustomerFilter,
  type Page,
  type PageOf,
  type PriceListFilter,
  type ProductFilter,
  type ResolvedSku,
  type SkuFilter,
} from '@app/application';
import { NO_CHARGES, PriceListInUse, ReferenceTaken, TooManyPriceLists, type ChargeableOrder } from '@app/domain';
import pg from 'pg';
import { BY_OPERATOR } from '../builders/change-origin.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

let store: StoreFixture;
let other: StoreFixture;

async function openStores(): Promise<void> {
  store = await StoreFixture.create(application.database);
  other = await StoreFixture.create(application.database);
}

interface List<Filter, Row> {
  list(storeId: number, filter: Filter, page: Page): Promise<PageOf<Row>>;
}

async function listed<Filter, Row>(of: List<Filter, Row>, filter: Filter, field: keyof Row): Promise<unknown[]> {
  const { rows, total } = await of.list(store.id, filter, { page: 1, limit: 50 });
  return [total, ...rows.map((row) => row[field])];
}

const OLDEST = '2025-12-01T00:00:00.000Z';
const OLD = '2026-01-01T00:00:00.001Z';
const NEW = '2026-02-01T00:00:00.002Z';

describe('BrandRepository', () => {
  let brands: BrandRepository;
  beforeAll(async () => {
    brands = application.app.get(BrandRepository, { strict: false });
    await openStores();
    for (const name of ['Élan', 'globex', 'Élan', 'Hooli 100%', 'Acme'])
      await store.brand({ name, description: 'Runs' });
    await store.brand({ name: 'Gone', active: false });
    await other.brand({ name: 'Theirs' });
  });

  it.each<[BrandFilter, ...string[]]>([
    [{}, 'Acme', 'globex', 'Hooli 100%', 'Élan', 'Élan'],
    [{ search: 'GLOB' }, 'globex'],
    [{ search: 'éLAN' }, 'Élan', 'Élan'],
    [{ search: 'e\u0301LAN' }, 'Élan', 'Élan'],
    [{ search: '%' }, 'Hooli 100%'],
    [{ search: '_' }],
    [{ search: '\\' }],
    [{ search: 'runs' }],
    [{ search: 'gone' }],
    [{ search: 'theirs' }],
    [{ search: 'globex\0' }],
    [{ search: '\ud800' }],
  ])("lists a store's active brands by name in any letter case, and filters by %j", async (filter, ...expected) => {
    expect(await listed(brands, filter, 'name')).toEqual([expected.length, ...expected]);
  });
});

describe('CategoryRepository', () => {
  let categories: CategoryRepository;
  let shoes: number;
  beforeAll(async () => {
    categories = application.app.get(CategoryRepository, { strict: false });
    await openStores();
    shoes = await store.category({ name: 'Shoes', display_order: 2 });
    for (const name of ['Bags', 'Bags']) await store.category({ name, display_order: 2, description: 'Runs' });
    await store.category({ name: 'Sale 100%', display_order: -1 });
    await store.category({ name: 'Winter Été', display_order: 1, parent_id: shoes });
    await store.category({ name: 'Gone', parent_id: shoes, active: false });
    await other.category({ name: 'Theirs' });
  });

  it.each<[CategoryFilter, ...string[]]>([
    [{}, 'Sale 100%', 'Winter Été', 'Bags', 'Bags', 'Shoes'],
    [{ search: 'SHO' }, 'Shoes'],
    [{ search: 'éTÉ' }, 'Winter Été'],
    [{ search: 'e\u0301Te\u0301' }, 'Winter Été'],
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
  ])("lists a store's active categories by display order, and filters by %j", async (filter, ...expected) => {
    expect(await listed(categories, filter, 'name')).toEqual([expected.length, ...expected]);
  });

  it('filters by parent, and by all filters at once', async () => {
    expect(await listed(categories, { parentId: shoes }, 'name')).toEqual([1, 'Winter Été']);
    expect(await listed(categories, { parentId: shoes, search: 't' }, 'name')).toEqual([1, 'Winter Été']);
    expect(await listed(categories, { parentId: shoes, search: 'shoes' }, 'name')).toEqual([0]);
  });
});

describe('ProductRepository', () => {
  let products: ProductRepository;
  let shoes: number;
  beforeAll(async () => {
    products = application.app.get(ProductRepository, { strict: false });
    await openStores();
    shoes = await store.category();
    await store.product({ name: 'Cafe\u0301', createdAt: OLD, categoryIds: [shoes] });
    await store.product({ name: 'Mug 100%', createdAt: OLD, featured: true, stock: 3 });
    await store.product({ name: 'Runner', createdAt: NEW, categoryIds: [shoes], stock: 8 });
    await store.product({ name: 'Draft', status: 'DRAFT', stock: 9 });
    await other.product({ name: 'Theirs' });
  });

  it.each<[ProductFilter, ...string[]]>([
    [{}, 'Runner', 'Mug 100%', 'Cafe\u0301'],
    [{ featured: true }, 'Mug 100%'],
    [{ inStock: true }, 'Runner', 'Mug 100%'],
    [{ search: 'RUN' }, 'Runner'],
    [{ search: 'CAFÉ' }, 'Cafe\u0301'],
    [{ search: 'cafe' }],
    [{ search: '%' }, 'Mug 100%'],
    [{ search: '_' }],
    [{ search: '\\' }],
    [{ search: 'draft' }],
    [{ search: 'theirs' }],
    [{ search: 'Mug\0' }],
    [{ search: '\ud800' }],
    [{ categoryId: 0 }],
    [{ categoryId: 2_147_483_647 }],
    [{ statuses: ['DRAFT', 'ARCHIVED'] }, 'Draft'],
    [{ statuses: ['ACTIVE', 'DRAFT'], inStock: true }, 'Draft', 'Runner', 'Mug 100%'],
    [{ statuses: [] }],
  ])("lists a store's active products, newest first, then by id, and filters by %j", async (filter, ...expected) => {
    expect(await listed(products, filter, 'name')).toEqual([expected.length, ...expected]);
  });

  it('filters by category, and by all filters at once', async () => {
    expect(await listed(products, { categoryId: shoes }, 'name')).toEqual([2, 'Runner', 'Cafe\u0301']);
    expect(await listed(products, { categoryId: shoes, inStock: true, search: 'n' }, 'name')).toEqual([1, 'Runner']);
  });
});

describe('SkuRepository', () => {
  let skus: SkuRepository;
  let twins: number[];
  beforeAll(async () => {
    skus = application.app.get(SkuRepository, { strict: false });
    await openStores();
    await store.product({ sku: 'a-1', name: 'Vase\u0301 100%' });
    await store.product({ sku: 'B-2', name: 'Lamp', stock: 3 });
    twins = [await store.product({ sku: 'A-9', name: 'Lamp' }), await store.product({ sku: 'A-9', name: 'Lamp' })];
    await store.product({ sku: 'A-10', name: 'Lamp', stock: 1 });
    await store.variant(await store.product({ sku: 'unused', name: 'Runner' }), { sku: 'Ä_42', stock: 7 });
    await store.product({ sku: '', name: 'Lamp' });
    await other.product({ sku: 'A-9', name: 'Theirs' });
  });

  it.each<[SkuFilter, ...string[]]>([
    [{}, '', 'A-10', 'A-9', 'A-9', 'B-2', 'a-1', 'Ä_42'],
    [{ inStock: true }, 'A-10', 'B-2', 'Ä_42'],
    [{ skus: ['b-2', 'ä_42', 'unknown'] }, 'B-2', 'Ä_42'],
    [{ skus: ['A-1'] }, 'a-1'],
    [{ skus: ['%'] }],
    [{ skus: ['a\0', '\ud800'] }],
    [{ skus: ['a\0', 'A-10'] }, 'A-10'],
    [{ skus: ['A-9', 'B-2'], inStock: true }, 'B-2'],
    [{ search: 'B-' }, 'B-2'],
    [{ search: 'VASÉ' }, 'a-1'],
    [{ search: 'a\u0308_' }, 'Ä_42'],
    [{ search: '%' }, 'a-1'],
    [{ search: '_' }, 'Ä_42'],
    [{ search: '\\' }],
    [{ search: 'theirs' }],
    [{ search: 'a-\0' }],
    [{ search: '\ud800' }],
    [{ productId: 0 }],
    [{ productId: 2_147_483_647 }],
  ])("lists a store's units by the code points of their SKUs, and filters by %j", async (filter, ...expected) => {
    expect(await listed(skus, filter, 'sku')).toEqual([expected.length, ...expected]);
  });

  it('finds what each SKU means, in their order, also a unit that is not for sale', async () => {
    const product = await store.product({ sku: 'a-9', status: 'DRAFT' });
    const asked = ['A-9', 'a-9', 'ä_42', 'theirs', '', 'UNUSED'];

    const [twin, draft, variant, ...rest] = await skus.resolve(store.id, asked);

    expect([twin, draft]).toEqual(['ambiguous', { productId: product, variantId: null }]);
    expect(variant).toEqual({ productId: expect.any(Number) as number, variantId: expect.any(Number) as number });
    expect(rest).toEqual(['unknown', 'unknown', { productId: expect.any(Number) as number, variantId: null }]);
    expect(await skus.resolve(store.id, [])).toEqual([]);
  });

  it('finds one of 100 units whose SKUs differ in letter case, and none of more', async () => {
    const letters = [...'abcdefg'];
    const skuOf = (n: number) =>
      letters.map((letter, bit) => ((n >> bit) & 1 ? letter.toUpperCase() : letter)).join('');
    const product = await store.product({ sku: '' });
    const add = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, n) =>
          store.variant(product, { sku: skuOf(from + n), name: `${from + n}` }),
        ),
      );
    await add(0, 100);

    expect(await skus.resolve(store.id, ['abcdefg', 'ABCDEFG'])).toEqual([
      { productId: product, variantId: expect.any(Number) as number },
      'ambiguous',
    ]);
    await add(100, 128);
    expect(await skus.resolve(store.id, ['abcdefg'])).toEqual(['ambiguous']);
  });

  it('lists units with the same SKU by id', async () => {
    expect(await listed(skus, { skus: ['A-9'] }, 'productId')).toEqual([2, ...twins]);
  });
});

describe('OrderCharges', () => {
  it('are none without settings of the store', async () => {
    const charges = application.app.get(OrderCharges, { strict: false });

    expect(await charges.chargesOf(1, {} as ChargeableOrder)).toEqual(NO_CHARGES);
  });
});

describe('CustomerRepository', () => {
  let customers: CustomerRepository;
  beforeAll(async () => {
    customers = application.app.get(CustomerRepository, { strict: false });
    await openStores();
    await store.customer({ name: 'E\u0301lodie', created_at: OLD, status: 'Blocked' });
    await store.customer({ name: 'Bob 100%', created_at: OLD });
    const ada = { email: 'Ada_L@Example.test', phone: '+1 555 0100', city: 'London' };
    await store.customer({ name: 'Ada Lovelace', ...ada, created_at: NEW, status: 'Inactive' });
    for (const each of [store, other]) {
      await application.database.query('INSERT INTO price_lists (store_id, code, name) VALUES ($1, $2, $2)', [
        ...[each.id, 'WHOLESALE'],
      ]);
    }
    await store.customer({
      ...{ name: 'Zuse KG', created_at: OLDEST, company: 'Zuse @ Import', vat_id: 'DE811', groups: ['b2b', 'eu'] },
      ...{
        price_list: 'WHOLESALE',
        contacts: JSON.stringify([{ email: 'Buyer@Zuse.test' }, { email: 'jörg@zuse.test' }]),
      },
    });
    await other.customer({
      ...{ name: 'Theirs', email: 'theirs@example.test', status: 'Theirs', company: 'Theirs', vat_id: 'DE811' },
      ...{ groups: ['b2b'], price_list: 'WHOLESALE', contacts: JSON.stringify([{ email: 'buyer@zuse.test' }]) },
    });
  });

  it.each<[CustomerFilter, ...string[]]>([
    [{}, 'Ada Lovelace', 'Bob 100%', 'E\u0301lodie', 'Zuse KG'],
    [{ status: 'iNACTIVE' }, 'Ada Lovelace'],
    [{ status: 'active' }, 'Bob 100%', 'Zuse KG'],
    [{ group: 'b2b' }, 'Zuse KG'],
    [{ group: 'eu', status: 'active', search: 'zuse' }, 'Zuse KG'],
    [{ group: 'B2B' }],
    [{ group: '' }],
    [{ priceList: 'WHOLESALE' }, 'Zuse KG'],
    [{ priceList: 'RETAIL' }],
    [{ priceList: '' }],
    [{ vatId: 'de811' }, 'Zuse KG'],
    [{ vatId: 'de81' }],
    [{ vatId: '' }],
    [{ search: 'USE @ im' }, 'Zuse KG'],
    [{ search: 'e811' }, 'Zuse KG'],
    [{ search: 'buyer' }, 'Zuse KG'],
    [{ search: 'BUYER@zuse' }, 'Zuse KG'],
    [{ search: 'yer@z' }, 'Zuse KG'],
    [{ search: 'jörg@' }, 'Zuse KG'],
    [{ search: 'jörg@zuse.test' }, 'Zuse KG'],
    [{ search: 'org@zuse' }],
    [{ search: 'rg@zuse.te' }, 'Zuse KG'],
    [{ search: '"' }],
    [{ search: '[]' }],
    [{ status: 'act%' }],
    [{ status: 'theirs' }],
    [{ status: 'Active\0' }],
    [{ search: 'LOVE' }, 'Ada Lovelace'],
    [{ search: 'ada_l@EXAMPLE' }, 'Ada Lovelace'],
    [{ search: 'éLO' }, 'E\u0301lodie'],
    [{ search: 'e\u0301lo' }, 'E\u0301lodie'],
    [{ search: 'elo' }],
    [{ search: 'lo' }, 'Ada Lovelace', 'E\u0301lodie'],
    [{ search: '_' }, 'Ada Lovelace'],
    [{ search: '%' }, 'Bob 100%'],
    [{ search: '\\' }],
    [{ search: 'london' }],
    [{ search: '555' }, 'Ada Lovelace'],
    [{ search: 'theirs' }],
    [{ search: 'Bob\0' }],
    [{ search: '\ud800' }],
    [{ search: 'lo', status: 'BLOCKED' }, 'E\u0301lodie'],
  ])("lists a store's customers, newest first, then by id, and filters by %j", async (filter, ...expected) => {
    expect(await listed(customers, filter, 'name')).toEqual([expected.length, ...expected]);
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

describe('StoreRepository', () => {
  let stores: StoreRepository;
  beforeAll(() => {
    stores = application.app.get(StoreRepository, { strict: false });
  });

  it('lists all stores by id, even after a change', async () => {
    const create = (subdomain: string) => stores.create({ subdomain, name: 'Acme', currency: 'JPY' });
    const [zeta, eta] = [await create('zeta'), await create('eta')];

    expect(await stores.setStatus('zeta', 'INACTIVE')).toEqual({ ...zeta, status: 'INACTIVE' });

    const all = await stores.list();
    expect(all.slice(-2)).toEqual([{ ...zeta, status: 'INACTIVE' }, eta]);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
  });

  it('returns null for an unknown store', async () => {
    expect(await stores.findBySubdomain('nobody')).toBeNull();
    expect(await stores.setStatus('nobody', 'INACTIVE')).toBeNull();
    expect(await stores.findProfile(999_999_999)).toBeNull();
  });
});

// test/e2e/erase-customer.spec.ts has only one store.
describe('PersonalData', () => {
  const contents = async (storeId: number): Promise<string[]> => {
    const rows = await application.database.query<{ text: string }>(
      `SELECT name || ' ' || email AS text FROM customers WHERE store_id = $1
       UNION ALL SELECT receipt_number || ' ' || customer_name || ' ' || customer_email FROM orders WHERE store_id = $1
       UNION ALL SELECT jsonb_array_elements_text(fraud_settings -> 'blocked_emails') FROM stores WHERE id = $1`,
      [storeId],
    );
    return rows.map(({ text }) => text).sort();
  };

  it('erases the customer, the orders with the e-mail and the linked orders of one store', async () => {
    await openStores();
    const emails = ['\tADA@example.com\u00a0', 'ada@example.com', 'Older@example.com', 'bob@example.com'];
    for (const each of [store, other]) {
      const customer_id = await each.customer({ name: 'Ada', email: 'Ada@Example.com' });
      const ada = { customer_name: 'Ada' };
      await each.order({ ...ada, receipt_number: 'A', customer_email: '\u00a0ADA@example.com\t' });
      await each.order({ ...ada, receipt_number: 'B', customer_email: 'older@example.com', customer_id });
      await each.order({ receipt_number: 'C', customer_name: 'Bob', customer_email: 'bob@example.com' });
      const settings = { blocked_emails: emails };
      await application.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [each.id, settings]);
    }
    const people = application.app.get(PersonalData, { strict: false });
    const before = await contents(other.id);

    const erasure = await people.erase(store.id, 'ada@EXAMPLE.com', null, BY_OPERATOR, () => undefined);

    expect(erasure).toEqual({ customers: 1, contacts: 0, orders: 2, blockedContacts: 3, isMember: false });
    const erased = [`${ERASED_NAME} `, `A ${ERASED_NAME} `, `B ${ERASED_NAME} `];
    expect(await contents(store.id)).toEqual([...erased, 'C Bob bob@example.com', 'bob@example.com'].sort());
    expect(await contents(other.id)).toEqual(before);
  });
});

describe('a person who is a contact', () => {
  it('is collected, and removed from the contacts of the companies of one store', async () => {
    await openStores();
    const buyer = { name: 'Grace', email: 'Grace@buyer.test', phone: '+49 301', role: 'buyer' };
    const bob = { name: 'Bob', email: 'bob@buyer.test', phone: '+49 302' };
    const contacts = JSON.stringify([buyer, bob, { name: 'Carl' }]);
    const company = { email: 'main@buyer.test', company: 'Acme', vat_id: 'GB811', contacts };
    const ids = [await store.customer(company), await other.customer(company)];
    const settings = { blocked_phones: ['+49 301', '+49 302'] };
    await application.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [store.id, settings]);
    const people = application.app.get(PersonalData, { strict: false });
    const customers = application.app.get(CustomerRepository, { strict: false });

    const found = await people.collect(store.id, 'grace@BUYER.test', null, BY_OPERATOR, (data) =>
      Promise.resolve(data),
    );
    expect([found.customer, found.contacts]).toEqual([null, [{ customer_id: ids[0], company: 'Acme', ...buyer }]]);
    const erasure = await people.erase(store.id, 'grace@BUYER.test', null, BY_OPERATOR, () => undefined);

    expect(erasure).toMatchObject({ customers: 0, contacts: 1, orders: 0, blockedContacts: 1 });
    const [mine, theirs] = await Promise.all([store, other].map(({ id }, n) => customers.findById(id, ids[n] ?? '')));
    expect(mine).toMatchObject({ email: 'main@buyer.test', company: 'Acme', vatId: 'GB811' });
    expect(mine?.contacts.map(({ name }) => name)).toEqual(['Bob', 'Carl']);
    expect(theirs?.contacts).toHaveLength(3);
    expect((await customers.list(store.id, { search: 'grace@buyer' }, { page: 1, limit: 1 })).total).toBe(0);
  });

  it('stays in the other companies when the account of one is erased', async () => {
    await openStores();
    const contacts = JSON.stringify([{ name: 'Grace', email: 'grace@two.test' }]);
    const erased = await store.customer({ email: 'one@two.test', company: 'One', vat_id: 'GB1', contacts });
    const kept = await store.customer({ email: 'two@two.test', contacts });
    const people = application.app.get(PersonalData, { strict: false });
    const customers = application.app.get(CustomerRepository, { strict: false });

    await people.erase(store.id, 'one@two.test', null, BY_OPERATOR, () => undefined);

    const nothing = { name: ERASED_NAME, email: '', company: '', vatId: '', addresses: [], contacts: [], groups: [] };
    expect(await customers.findById(store.id, erased)).toMatchObject({ ...nothing, priceList: null });
    expect((await customers.findById(store.id, kept))?.contacts).toHaveLength(1);
    const found = await customers.list(store.id, { search: 'grace@two' }, { page: 1, limit: 5 });
    expect(found.rows.map(({ id }) => id)).toEqual([kept]);
  });
});

describe('PriceChanges', () => {
  it('applies each line or refuses it, and a repeated reference gets the same answer', async () => {
    await openStores();
    const changes = application.app.get(PriceChanges, { strict: false });
    const [mug, theirs] = [await store.product({ price: 100 }), await other.product({ price: 100 })];
    const lineOf = (unit: ResolvedSku, expected: string | null) => ({
      ...{ sku: 'S', productId: null, variantId: null, price: '2.00', expected, unit, invalid: null },
      ...{ fromQuantity: 1, rule: undefined },
    });
    const lines = [
      lineOf({ productId: mug, variantId: null }, '1'),
      lineOf({ productId: theirs, variantId: null }, null),
      lineOf('unknown', null),
      lineOf('ambiguous', null),
      lineOf({ productId: mug, variantId: null }, '1'),
    ];
    const apply = (requestHash = Buffer.from('hash')) =>
      changes.apply({
        ...{ storeId: store.id, currency: 'USD', list: null, lines, reference: 'R', isAtomic: false, requestHash },
        ...{ idempotency: null, deadline: Deadline.in(2_000), origin: BY_OPERATOR },
      });

    const [first, second] = [await apply(), await apply()];

    expect(first.lines.map(({ code, before, after }) => [code, before, after])).toEqual([
      [null, 100, 200],
      ['unknown_sku', null, null],
      ['unknown_sku', null, null],
      ['ambiguous_sku', null, null],
      ['stale', 200, 200],
    ]);
    expect([first.isReplay, second]).toEqual([false, { ...first, isReplay: true }]);
    await expect(apply(Buffer.from('another'))).rejects.toThrow(ReferenceTaken);
    const prices = await application.database.query('SELECT price::int FROM products WHERE id = ANY ($1) ORDER BY id', [
      [mug, theirs],
    ]);
    expect(prices).toEqual([{ price: 200 }, { price: 100 }]);
  });
});

describe('PriceListRepository', () => {
  let lists: PriceListRepository;
  const list = (code: string) => ({
    ...{ code, name: 'x', priority: 0, validFrom: null, validTo: null, customerGroups: [] },
  });
  beforeEach(async () => {
    await openStores();
    lists = application.app.get(PriceListRepository, { strict: false });
    const terms = { validFrom: '2026-01-01', validTo: '2026-01-31', customerGroups: ['vip', 'staff'] };
    await lists.save(store.id, { ...list('b'), ...terms }, BY_OPERATOR);
    await lists.save(store.id, { ...list('A'), name: 'Old', priority: 3 }, BY_OPERATOR);
    await lists.save(store.id, { ...list('A'), name: 'New', validFrom: '2026-01-31' }, BY_OPERATOR);
    await lists.save(other.id, { ...list('theirs'), customerGroups: ['vip'] }, BY_OPERATOR);
  });

  it.each<[PriceListFilter, ...string[]]>([
    [{}, 'A', 'b'],
    [{ code: 'b' }, 'b'],
    [{ code: 'B' }],
    [{ code: 'theirs' }],
    [{ customerGroup: 'vip' }, 'b'],
    [{ customerGroup: 'vi' }],
    [{ customerGroup: 'vip\0' }],
    [{ validOn: '2025-12-31' }],
    [{ validOn: '2026-01-01' }, 'b'],
    [{ validOn: '2026-01-31' }, 'A', 'b'],
    [{ validOn: '2026-02-01' }, 'A'],
  ])("lists a store's price lists by code, and filters by %j", async (filter, ...expected) => {
    expect(await listed(lists, filter, 'code')).toEqual([expected.length, ...expected]);
  });

  it('finds lists of the store, as they were saved last', async () => {
    const found = await lists.findByCodes(store.id, ['A', 'theirs', 'C']);

    expect(found).toEqual([{ ...list('A'), name: 'New', validFrom: '2026-01-31' }]);
  });

  it('returns the prices and rules of the catalog and of a list, page by page', async () => {
    const mug = await store.product({ sku: 'MUG', price: 900 });
    const small = await store.variant(mug, { sku: 'MUG-S', price: 800 });
    await store.listPrice('b', { productId: mug, variantId: small, from: 10, price: 600 });
    await store.listPrice('b', { productId: mug, variantId: small, price: 700 });
    await application.database.query(
      `INSERT INTO quantity_rules (store_id, list, product_id, variant_key, min_quantity, step) VALUES ($1, '', $2, 0, 6, 3)`,
      [store.id, mug],
    );
    const theirs = await other.product({ sku: 'MUG' });
    await other.listPrice('theirs', { productId: theirs, price: 1 });
    const product = { productId: mug, variantId: null, sku: 'MUG', rule: { minQuantity: 6, step: 3 } };
    const variant = { productId: mug, variantId: small, sku: 'MUG-S', rule: null };
    const read = (filter: object, after?: object) =>
      lists.prices(store.id, filter, { limit: 1, ...(after && { after: after as typeof product }) });

    const [first, second] = [await read({}), await read({}, product)];

    expect(first).toEqual({ rows: [{ ...product, priceBreaks: [{ fromQuantity: 1, price: 900 }] }], hasMore: true });
    expect(second).toEqual({ rows: [{ ...variant, priceBreaks: [{ fromQuantity: 1, price: 800 }] }], hasMore: false });
    const priceBreaks = [
      { fromQuantity: 1, price: 700 },
      { fromQuantity: 10, price: 600 },
    ];
    const ofList = { rows: [{ ...variant, priceBreaks }], hasMore: false };
    expect([await read({ list: 'b' }), await read({ list: 'b', skus: ['mug', 'mug-s'] })]).toEqual([ofList, ofList]);
    expect(await read({ list: 'theirs' })).toEqual({ rows: [], hasMore: false });
  });

  it('deletes a list unless a customer has it, and makes no list beyond the limit', async () => {
    const remove = (code: string) => lists.delete(store.id, code, Deadline.in(2_000), BY_OPERATOR);
    const customer = await store.customer();
    await application.database.query(`UPDATE customers SET price_list = 'b' WHERE id = $1`, [customer]);

    await expect(remove('b')).rejects.toThrow(PriceListInUse);
    expect([await remove('A'), await remove('A'), await remove('theirs')]).toEqual([true, false, false]);
    expect(await listed(lists, {}, 'code')).toEqual([1, 'b']);

    await application.database.query(
      `INSERT INTO price_lists (store_id, code, name) SELECT $1, n, 'x' FROM generate_series(1, 999) AS n`,
      [store.id],
    );
    await expect(lists.save(store.id, list('one more'), BY_OPERATOR)).rejects.toThrow(TooManyPriceLists);
    await lists.save(store.id, { ...list('b'), name: 'kept' }, BY_OPERATOR);
  });
});
