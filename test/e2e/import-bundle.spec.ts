import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleLine } from '@app/bundles';
import { aStoreBundle } from '../builders/store-bundle.js';
import { bundleImports, cipher } from '../support/bundle-imports.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { importLines, importText, count, ledger } = bundleImports(() => database);

const HISTORY = `
  SELECT orders.receipt_number, orders.amount::int, orders.total_amount::int, customers.name AS customer,
    line.position, product.slug, line.sku, line.attributes, line.line_total::int
  FROM orders JOIN stores ON stores.id = orders.store_id AND stores.subdomain = $1
  LEFT JOIN customers ON customers.store_id = orders.store_id AND customers.id = orders.customer_id
  LEFT JOIN order_lines line ON line.store_id = orders.store_id AND line.order_id = orders.id
  LEFT JOIN products product ON product.store_id = line.store_id AND product.id = line.product_id
  ORDER BY line.position`;

const VARIANTS = `
  SELECT sku, product_variants.status FROM product_variants JOIN stores ON stores.id = store_id
  WHERE subdomain = $1 ORDER BY position, sku`;

it('imports the example of docs/store-bundle.md', async () => {
  const documentation = readFileSync(join(__dirname, '../../docs/store-bundle.md'), 'utf8');
  const example = documentation.split('\n').filter((text) => text.startsWith('{"kind"'));

  const { counts } = await importText(example.join('\n'));

  const created = Object.values(counts).map((kind) => kind.created);
  expect([example.length, created.reduce((sum, n) => sum + n)]).toEqual([9, 9]);
});

describe('import of a store bundle', () => {
  it('writes every kind of line with its references', async () => {
    const { lines, counts } = await importLines(...aStoreBundle('every-kind'));

    expect(lines).toBe(10);
    expect(counts).toMatchObject({ category: { created: 2 }, product: { created: 1 }, order: { created: 1 } });
    const order = { receipt_number: 'POS-1', amount: 16_400, total_amount: 17_000, customer: 'Ada' };
    expect(await database.query(HISTORY, ['every-kind'])).toEqual([
      { ...order, position: 0, slug: 'runner', sku: 'R-42', attributes: { Size: '42' }, line_total: 16_400 },
      { ...order, position: 1, slug: null, sku: '', attributes: {}, line_total: 0 },
    ]);
    expect(await ledger('every-kind')).toEqual([{ kind: 'OPENING', quantity: 7 }]);
    expect(await count('product_categories', 'every-kind')).toBe(2);
    expect(await count('order_stages', 'every-kind')).toBe(0);
  });

  it('stores the options of a variant in the given order, also on its order lines', async () => {
    const store = 'options';
    const [acme, ...others] = aStoreBundle(store) as [BundleLine, ...BundleLine[]];
    const attributes = { Color: 'Blue', Size: '42', color: 'Azure' };
    const lines = others.map((line) =>
      line.kind === 'product' ? { ...line, variants: [{ sku: 'R-42', name: '42', price: '1', attributes }] } : line,
    );

    await importLines(acme, ...lines);

    const names = `SELECT attribute_names FROM product_variants JOIN stores ON stores.id = store_id
      WHERE subdomain = $1 UNION ALL SELECT attribute_names FROM order_lines JOIN stores ON stores.id = store_id
      WHERE subdomain = $1 AND sku = 'R-42'`;
    expect(await database.query(names, [store])).toEqual(Array(2).fill({ attribute_names: Object.keys(attributes) }));
  });

  it('writes nothing when a bundle is imported again', async () => {
    await importLines(...aStoreBundle('again'));
    const rowVersions = `SELECT products.xmin::text, products.ctid::text FROM products
      JOIN stores ON stores.id = store_id WHERE subdomain = 'again'`;
    const before = await database.query(rowVersions);

    const { counts } = await importLines(...aStoreBundle('again'));

    expect(Object.values(counts).map(({ created, updated }) => created + updated)).toEqual(Array(9).fill(0));
    expect(await database.query(rowVersions)).toEqual(before);
    expect(await count('order_lines', 'again')).toBe(2);
    expect(await count('stock_movements', 'again')).toBe(1);
  });

  it('updates only the fields that a line gives', async () => {
    const store = 'partial';
    await importLines(...aStoreBundle(store));

    const { counts } = await importLines(
      { kind: 'product', store, slug: 'runner', name: 'Runner II', price: '10', brand: null },
      { kind: 'customer', store, name: 'Ada L.', email: 'ada@example.COM', loyalty_points: 3 },
      { kind: 'customer', store, name: 'Ada L.', email: 'ada@example.COM', city: 'Turin' },
    );

    expect(counts).toMatchObject({ product: { updated: 1 }, customer: { updated: 2, created: 0 } });
    const query = `SELECT products.name, price::int, brand_id FROM products JOIN stores ON stores.id = store_id
      WHERE subdomain = $1`;
    expect(await database.query(query, [store])).toEqual([{ name: 'Runner II', price: 1_000, brand_id: null }]);
    expect(await count('product_variants', store)).toBe(2);
    const customers = `SELECT customers.name, city, loyalty_points, password_hash FROM customers
      JOIN customer_secrets ON customer_id = id AND customer_secrets.store_id = customers.store_id
      JOIN stores ON stores.id = customers.store_id WHERE subdomain = $1`;
    expect(await database.query(customers, [store])).toEqual([
      { name: 'Ada L.', city: 'Turin', loyalty_points: 3, password_hash: 'hash' },
    ]);
  });

  it('deactivates variants that a line no longer names, and activates them when it names them again', async () => {
    const store = 'variants';
    await importLines(...aStoreBundle(store));
    const product = { kind: 'product', store, slug: 'runner', name: 'Runner', price: '79.90' } as const;
    const variant = (sku: string) => ({ sku, name: sku, price: '82.00' });

    await importLines({ ...product, variants: [variant('R-44'), variant('R-43')], categories: ['shoes'] });

    expect(await database.query(VARIANTS, [store])).toEqual([
      { sku: 'R-42', status: 'INACTIVE' },
      { sku: 'R-44', status: 'ACTIVE' },
      { sku: 'R-43', status: 'ACTIVE' },
    ]);
    expect(await count('product_categories', store)).toBe(1);

    await importLines({ ...product, variants: [variant('R-42')] });

    expect(await database.query(VARIANTS, [store])).toContainEqual({ sku: 'R-42', status: 'ACTIVE' });
  });

  it('sells a variant without a price at the price of its product', async () => {
    const store = 'no-price';
    const variants = [{ sku: 'R-44', name: '44' }];
    const product = { kind: 'product', store, slug: 'runner', name: 'Runner', price: '79.90', variants } as BundleLine;

    await importLines({ kind: 'store', subdomain: store, name: 'Acme', currency: 'USD' }, product);

    const prices = `SELECT price::int FROM product_variants JOIN stores ON stores.id = store_id WHERE subdomain = $1`;
    expect(await database.query(prices, [store])).toEqual([{ price: 7_990 }]);
  });

  it('removes blanks around names and keys, and reports the fields', async () => {
    const store = 'trimmed';

    const { trimmed } = await importLines(
      { kind: 'store', subdomain: store, name: ' Acme', currency: 'USD' },
      { kind: 'brand', store, slug: 'globex ', name: 'Globex' },
      { kind: 'product', store, slug: 'runner', name: 'Runner', price: '1', brand: ' globex' },
    );

    expect(trimmed).toEqual(['line 1: store.name', 'line 2: brand.slug', 'line 3: product.brand']);
    expect([await count('brands', store), await count('products', store)]).toEqual([1, 1]);
  });

  it('imports a credit note, an order with a negative amount', async () => {
    const store = 'credit';
    const note = {
      ...(aStoreBundle(store).at(-1) as Extract<BundleLine, { kind: 'order' }>),
      ...{ receipt_number: 'CN-1', amount: -8_200, total_amount: -8_900 },
      line_items: [{ product: 'runner', variant: 'R-42', name: 'Runner', unit_price: -8_200, quantity: 1 }],
    };

    await importLines(...aStoreBundle(store).slice(0, -1), note);

    expect(await database.query(HISTORY, [store])).toMatchObject([
      { receipt_number: 'CN-1', amount: -8_200, total_amount: -8_900, line_total: -8_200 },
    ]);
  });

  it('never changes an order that exists with the same receipt number', async () => {
    const store = 'history';
    await importLines(...aStoreBundle(store));
    const order = aStoreBundle(store).at(-1) as Extract<BundleLine, { kind: 'order' }>;
    const [{ id } = { id: '' }] = await database.query<{ id: string }>(
      'SELECT orders.id FROM orders JOIN stores ON stores.id = store_id WHERE subdomain = $1',
      [store],
    );

    const { counts } = await importLines(
      { ...order, receipt_number: 'pos-1', amount: 1 },
      { ...order, id, amount: 2 },
      { ...order, id: '22222222-1111-4111-8111-111111111111', amount: 3 },
    );

    expect(counts.order).toEqual({ created: 0, updated: 0, unchanged: 3 });
    expect(await database.query(HISTORY, [store])).toHaveLength(2);
  });

  it('encrypts secrets and binds them to their rows', async () => {
    const store = 'secrets';
    await importLines(...aStoreBundle(store));
    const [row] = await database.query<{
      id: number;
      settings: string;
      credentials: Buffer;
      customer: string;
      nid: Buffer;
    }>(
      `SELECT stores.id, payment_settings::text AS settings, credentials, customer_id AS customer, national_id AS nid
       FROM stores JOIN gateway_credentials g ON g.store_id = stores.id JOIN customer_secrets s ON s.store_id = stores.id
       WHERE subdomain = $1`,
      [store],
    );
    if (!row) throw new Error('The store has no secrets');

    expect(row.settings).not.toMatch(/credentials|secret/);
    expect(row.credentials.includes('top-secret')).toBe(false);
    expect(row.nid.includes('NID-42')).toBe(false);
    expect(cipher.decrypt(row.credentials, `gateway_credentials/${row.id}/paylark`)).toBe(
      '{"secret_key":"top-secret"}',
    );
    expect(cipher.decrypt(row.nid, `customer_secrets/${row.id}/${row.customer}/national_id`)).toBe('NID-42');
  });

  it('removes credentials that are null, and keeps them when the field is missing', async () => {
    const subdomain = 'credentials';
    const line = (method: object) =>
      ({
        ...{ kind: 'store', subdomain, name: 'Acme', currency: 'USD' },
        payment_settings: { methods: [{ methodId: 'paylark', enabled: true, ...method }] },
      }) as BundleLine;

    await importLines(line({ credentials: { key: 'k' } }));
    await importLines(line({}));
    expect(await count('gateway_credentials', subdomain)).toBe(1);

    await importLines(line({ credentials: null }));
    expect(await count('gateway_credentials', subdomain)).toBe(0);
  });

  it.each([
    ['no values', 'blank-none', {}],
    ['blank values', 'blank-texts', { secret_key: ' ', live: { key: '', ids: [null] } }],
  ])('stores no credentials for an object with %s, and removes existing ones', async (_case, subdomain, blank) => {
    const line = (credentials: object) =>
      ({
        ...{ kind: 'store', subdomain, name: 'Acme', currency: 'USD' },
        payment_settings: { methods: [{ methodId: 'paylark', enabled: true, credentials }] },
      }) as BundleLine;

    await importLines(line(blank));
    expect(await count('gateway_credentials', subdomain)).toBe(0);

    await importLines(line({ key: 'k' }));
    await importLines(line(blank));
    expect(await count('gateway_credentials', subdomain)).toBe(0);
  });

  it('writes to the named store only when two stores have the same keys', async () => {
    await importLines(...aStoreBundle('left'));
    await importLines(...aStoreBundle('right'), { kind: 'brand', store: 'right', slug: 'globex', name: 'Changed' });

    const brands = `SELECT brands.name FROM brands JOIN stores ON stores.id = store_id WHERE subdomain = $1`;
    expect(await database.query(brands, ['left'])).toEqual([{ name: 'Globex' }]);
    expect(await count('orders', 'left')).toBe(1);
    expect(await count('orders', 'right')).toBe(1);
  });

  it('finds a customer without e-mail again when it is imported a second time', async () => {
    const [store] = aStoreBundle('tills');
    const customer = { kind: 'customer', store: 'tills', name: 'Walk-in', phone: '+1' } as BundleLine;

    await importLines(store as BundleLine, customer);
    await importLines(customer);

    expect(await count('customers', 'tills')).toBe(1);
  });

  it('imports one bundle in two concurrent imports without duplicates or a deadlock', async () => {
    const both = await Promise.all([importLines(...aStoreBundle('twins')), importLines(...aStoreBundle('twins'))]);

    expect(both.map(({ counts }) => counts.order.created).sort()).toEqual([0, 1]);
    expect(await count('order_lines', 'twins')).toBe(2);
    expect(await count('stock_movements', 'twins')).toBe(1);
  });
});
