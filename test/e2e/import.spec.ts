import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { DataCipher } from '@app/infrastructure';
import { demoStore } from '@app/demo-store';
import { type BundleLine, type ImportOptions, type ImportReport, ImportStopped, withBundleImporter } from '@app/import';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const cipher = new DataCipher([Buffer.alloc(32, 7)]);
let database: TestDatabase;
let serial = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

const importLines = (...lines: BundleLine[]) =>
  withBundleImporter(database.url, cipher, (importer) => importer.importObjects(lines));

const importText = (text: string, options?: ImportOptions) =>
  withBundleImporter(database.url, cipher, (importer) => importer.importText(bytesOf(text), options));

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

async function stopped(importing: Promise<ImportReport>): Promise<ImportStopped> {
  return importing.then(
    () => Promise.reject(new Error('The import did not stop')),
    (error: unknown) => error as ImportStopped,
  );
}

async function count(table: string, store: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} JOIN stores ON stores.id = ${table}.store_id WHERE subdomain = $1`,
    [store],
  );
  return row?.count ?? 0;
}

it('takes the example of the documentation as it stands there', async () => {
  const documentation = readFileSync(join(__dirname, '../../docs/store-bundle.md'), 'utf8');
  const example = documentation.split('\n').filter((text) => text.startsWith('{"kind"'));

  const { counts } = await importText(example.join('\n'));

  const created = Object.values(counts).map((kind) => kind.created);
  expect([example.length, created.reduce((sum, n) => sum + n)]).toEqual([9, 9]);
});

/** A small store: two variants of a runner in a bin, a customer, an order. */
function bundle(store: string): BundleLine[] {
  const settings = { methods: [{ methodId: 'paylark', enabled: true, credentials: { secret_key: 'top-secret' } }] };
  const price = '82.00';
  return [
    { kind: 'store', subdomain: store, name: 'Acme', currency: 'USD', payment_settings: settings },
    { kind: 'warehouse', store, code: 'MAIN', name: 'Main' },
    { kind: 'bin', store, warehouse: 'MAIN', code: 'A-1' },
    { kind: 'brand', store, slug: 'globex', name: 'Globex' },
    { kind: 'category', store, slug: 'clothing', name: 'Clothing' },
    { kind: 'category', store, slug: 'shoes', name: 'Shoes', parent: 'clothing' },
    {
      ...{ kind: 'product', store, slug: 'runner', name: 'Runner', price: '79.90', brand: 'globex' },
      categories: ['shoes', 'clothing'],
      variants: [
        { sku: 'R-42', name: '42', price, attributes: { Size: '42' } },
        { sku: 'R-43', name: '43', price },
      ],
    },
    { kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', variant: 'R-42', quantity: 7 },
    { kind: 'customer', store, name: 'Ada', email: 'Ada@Example.com', national_id: 'NID-42', password_hash: 'hash' },
    {
      ...{ kind: 'order', store, receipt_number: 'POS-1', source: 'POS', payment_method: 'CASH', currency: 'USD' },
      ...{ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', amount: 16_400, total_amount: 17_000 },
      ...{ customer_email: 'ADA@example.com', created_at: '2026-01-02T03:04:05.000Z' },
      line_items: [
        { product: 'runner', variant: 'R-42', name: 'Runner', unit_price: 8_200, quantity: 2 },
        { product: null, name: 'Gift wrap', unit_price: 0, quantity: 1 },
      ],
    },
  ];
}

const HISTORY = `
  SELECT orders.receipt_number, orders.amount::int, orders.total_amount::int, customers.name AS customer,
    line.position, product.slug, line.sku, line.attributes, line.line_total::int
  FROM orders JOIN stores ON stores.id = orders.store_id AND stores.subdomain = $1
  LEFT JOIN customers ON customers.store_id = orders.store_id AND customers.id = orders.customer_id
  LEFT JOIN order_lines line ON line.store_id = orders.store_id AND line.order_id = orders.id
  LEFT JOIN products product ON product.store_id = line.store_id AND product.id = line.product_id
  ORDER BY line.position`;

const LEDGER = `
  SELECT kind, stock_movements.quantity FROM stock_movements JOIN stores ON stores.id = stock_movements.store_id
  WHERE subdomain = $1 ORDER BY stock_movements.id`;

const VARIANTS = `
  SELECT sku, product_variants.status FROM product_variants JOIN stores ON stores.id = store_id
  WHERE subdomain = $1 ORDER BY position, sku`;

describe('import of a store bundle', () => {
  it('writes every kind, with its references', async () => {
    const { lines, counts } = await importLines(...bundle('every-kind'));

    expect(lines).toBe(10);
    expect(counts).toMatchObject({ category: { created: 2 }, product: { created: 1 }, order: { created: 1 } });
    const order = { receipt_number: 'POS-1', amount: 16_400, total_amount: 17_000, customer: 'Ada' };
    expect(await database.query(HISTORY, ['every-kind'])).toEqual([
      { ...order, position: 0, slug: 'runner', sku: 'R-42', attributes: { Size: '42' }, line_total: 16_400 },
      { ...order, position: 1, slug: null, sku: '', attributes: {}, line_total: 0 },
    ]);
    expect(await database.query(LEDGER, ['every-kind'])).toEqual([{ kind: 'OPENING', quantity: 7 }]);
    expect(await count('product_categories', 'every-kind')).toBe(2);
    expect(await count('order_stages', 'every-kind')).toBe(0);
  });

  it('keeps the order of the options, of a variant and of the order lines that name it', async () => {
    const store = 'options';
    const [acme, ...others] = bundle(store) as [BundleLine, ...BundleLine[]];
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

  it('changes nothing when it is imported again', async () => {
    await importLines(...bundle('again'));
    const rowVersions = `SELECT products.xmin::text, products.ctid::text FROM products
      JOIN stores ON stores.id = store_id WHERE subdomain = 'again'`;
    const before = await database.query(rowVersions);

    const { counts } = await importLines(...bundle('again'));

    expect(Object.values(counts).map(({ created, updated }) => created + updated)).toEqual(Array(9).fill(0));
    expect(await database.query(rowVersions)).toEqual(before);
    expect(await count('order_lines', 'again')).toBe(2);
    expect(await count('stock_movements', 'again')).toBe(1);
  });

  it('updates the fields that are given and leaves the others', async () => {
    const store = 'partial';
    await importLines(...bundle(store));

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

  it('retires variants that are no longer named, and takes them back', async () => {
    const store = 'variants';
    await importLines(...bundle(store));
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

  it('removes the blanks around names and keys, and says which', async () => {
    const store = 'trimmed';

    const { trimmed } = await importLines(
      { kind: 'store', subdomain: store, name: ' Acme', currency: 'USD' },
      { kind: 'brand', store, slug: 'globex ', name: 'Globex' },
      { kind: 'product', store, slug: 'runner', name: 'Runner', price: '1', brand: ' globex' },
    );

    expect(trimmed).toEqual(['line 1: store.name', 'line 2: brand.slug', 'line 3: product.brand']);
    expect([await count('brands', store), await count('products', store)]).toEqual([1, 1]);
  });

  it('takes a credit note: an order with a negative amount', async () => {
    const store = 'credit';
    const note = {
      ...(bundle(store).at(-1) as Extract<BundleLine, { kind: 'order' }>),
      ...{ receipt_number: 'CN-1', amount: -8_200, total_amount: -8_900 },
      line_items: [{ product: 'runner', variant: 'R-42', name: 'Runner', unit_price: -8_200, quantity: 1 }],
    };

    await importLines(...bundle(store).slice(0, -1), note);

    expect(await database.query(HISTORY, [store])).toMatchObject([
      { receipt_number: 'CN-1', amount: -8_200, total_amount: -8_900, line_total: -8_200 },
    ]);
  });

  it('never changes an order that is known by its receipt or its id', async () => {
    const store = 'history';
    await importLines(...bundle(store));
    const order = bundle(store).at(-1) as Extract<BundleLine, { kind: 'order' }>;
    const [{ id } = { id: '' }] = await database.query<{ id: string }>(
      'SELECT orders.id FROM orders JOIN stores ON stores.id = store_id WHERE subdomain = $1',
      [store],
    );

    const { counts } = await importLines(
      { ...order, receipt_number: 'pos-1', amount: 1 },
      { ...order, receipt_number: 'POS-2', id, amount: 2 },
    );

    expect(counts.order).toEqual({ created: 0, updated: 0, unchanged: 2 });
    expect(await database.query(HISTORY, [store])).toHaveLength(2);
  });

  it('sets stock through the ledger: opening, then differences', async () => {
    const store = 'ledger';
    await importLines(...bundle(store));
    const stock = (quantity: number): BundleLine => ({
      ...{ kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', variant: 'R-42', quantity },
    });

    const { counts } = await importLines(stock(3), stock(3), stock(12));

    expect(counts.stock).toEqual({ created: 0, updated: 2, unchanged: 1 });
    expect(await database.query(LEDGER, [store])).toEqual([
      { kind: 'OPENING', quantity: 7 },
      { kind: 'ADJUSTMENT', quantity: -4 },
      { kind: 'ADJUSTMENT', quantity: 9 },
    ]);
  });

  it('keeps secrets encrypted, bound to their rows', async () => {
    const store = 'secrets';
    await importLines(...bundle(store));
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
    if (!row) throw new Error('There are no secrets');

    expect(row.settings).not.toMatch(/credentials|secret/);
    expect(row.credentials.includes('top-secret')).toBe(false);
    expect(row.nid.includes('NID-42')).toBe(false);
    expect(cipher.decrypt(row.credentials, `gateway_credentials/${row.id}/paylark`)).toBe(
      '{"secret_key":"top-secret"}',
    );
    expect(cipher.decrypt(row.nid, `customer_secrets/${row.id}/${row.customer}/national_id`)).toBe('NID-42');
  });

  it('removes credentials for null, and keeps them where nothing is said', async () => {
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
    ['none', 'blank-none', {}],
    ['blank ones', 'blank-texts', { secret_key: ' ', live: { key: '', ids: [null] } }],
  ])('stores no credentials for an object of %s, and removes those before', async (_what, subdomain, blank) => {
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

  it('keeps stores with the same natural keys apart', async () => {
    await importLines(...bundle('left'));
    await importLines(...bundle('right'), { kind: 'brand', store: 'right', slug: 'globex', name: 'Changed' });

    const brands = `SELECT brands.name FROM brands JOIN stores ON stores.id = store_id WHERE subdomain = $1`;
    expect(await database.query(brands, ['left'])).toEqual([{ name: 'Globex' }]);
    expect(await count('orders', 'left')).toBe(1);
    expect(await count('orders', 'right')).toBe(1);
  });

  it('gives a customer without e-mail the same id every time', async () => {
    const [store] = bundle('tills');
    const customer = { kind: 'customer', store: 'tills', name: 'Walk-in', phone: '+1' } as BundleLine;

    await importLines(store as BundleLine, customer);
    await importLines(customer);

    expect(await count('customers', 'tills')).toBe(1);
  });

  it('imports the same bundle twice at once without doubling or deadlock', async () => {
    const both = await Promise.all([importLines(...bundle('twins')), importLines(...bundle('twins'))]);

    expect(both.map(({ counts }) => counts.order.created).sort()).toEqual([0, 1]);
    expect(await count('order_lines', 'twins')).toBe(2);
    expect(await count('stock_movements', 'twins')).toBe(1);
  });

  it('has new stock measured, so that no movement is checked by going through its bin', async () => {
    const store = 'measured';
    const slugs = Array.from({ length: 500 }, (_, n) => `p-${n}`);

    await importLines(
      ...bundle(store),
      ...slugs.map((slug) => ({ kind: 'product', store, slug, name: slug, price: '1' }) as const),
      ...slugs.map((product) => ({ kind: 'stock', store, bin: 'MAIN/A-1', product, quantity: 1 }) as const),
    );

    const measured = `SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL ORDER BY relname`;
    await eventually(async () =>
      expect(await database.query(measured)).toEqual([{ relname: 'products' }, { relname: 'stock' }]),
    );
  });

  it('imports the demo store, whose bins agree with the ledger', async () => {
    const lines = [...demoStore({ now: new Date('2026-11-20T12:00:00Z') })];

    const { counts } = await withBundleImporter(database.url, cipher, (importer) => importer.importObjects(lines));

    expect(counts.order.created).toBe(2_500);
    expect(counts.customer.created).toBe(400);
    const wrong = `SELECT FROM stock s WHERE quantity <> (SELECT coalesce(sum(m.quantity), 0) FROM stock_movements m
      WHERE (m.store_id, m.product_id, m.variant_key, m.bin_id) = (s.store_id, s.product_id, s.variant_key, s.bin_id))`;
    expect(await database.query(wrong)).toHaveLength(0);
  });
});

describe('a dry run', () => {
  it('tells what an import would do, across batches, and writes nothing', async () => {
    const store = 'rehearsed';
    const brands = Array.from({ length: 1_500 }, (_, n) => {
      return { kind: 'brand', store, slug: `b-${n}`, name: 'B' } as const;
    });
    const [acme, ...others] = bundle(store) as [BundleLine, ...BundleLine[]];
    const lines = [acme, ...brands, ...others].map((each) => JSON.stringify(each)).join('\n');

    const rehearsed = await importText(lines, { dryRun: true });

    const stores = 'SELECT count(*)::int AS count FROM stores WHERE subdomain = $1';
    expect(await database.query(stores, [store])).toEqual([{ count: 0 }]);
    expect(rehearsed).toEqual({ ...(await importText(lines)), dryRun: true });
    expect(await importText(lines, { dryRun: true })).toMatchObject({
      counts: { brand: { created: 0, unchanged: 1_501 } },
    });
  });

  it('names what is bad, and writes nothing', async () => {
    const [acme, ...others] = bundle('rehearsed-badly') as [BundleLine, ...BundleLine[]];
    const lines = [acme, { ...others[0], active: 1 }, ...others.slice(1)].map((each) => JSON.stringify(each));

    const { message, report } = await stopped(importText(lines.join('\n'), { dryRun: true }));

    expect(message).toBe('line 2: warehouse.active must be true or false');
    expect(report).toMatchObject({ dryRun: true, lines: 0 });
    const stores = 'SELECT count(*)::int AS count FROM stores WHERE subdomain = $1';
    expect(await database.query(stores, ['rehearsed-badly'])).toEqual([{ count: 0 }]);
  });
});

describe('a bad line', () => {
  const store = 'faulty';
  const line = (value: object) => JSON.stringify(value);
  const brand = (slug: string, more: object = {}) => line({ kind: 'brand', store, slug, name: slug, ...more });

  beforeAll(() => importLines({ kind: 'store', subdomain: store, name: 'Faulty', currency: 'USD' }));

  it.each<[string, string, string]>([
    ['broken JSON', '{"kind":', 'line 3: the line is not valid JSON'],
    ['a wrong field', brand('c', { active: 'yes' }), 'line 3: brand.active must be true or false'],
    [
      'an unknown store',
      line({ kind: 'brand', store: 'nowhere', slug: 'c', name: 'c' }),
      'line 3: store "nowhere" is not known',
    ],
    [
      'an unknown category',
      line({ kind: 'product', store, slug: 'c', name: 'c', price: '1', categories: ['shoes'] }),
      'line 3: category "shoes" is not known',
    ],
    [
      'an unknown bin',
      line({ kind: 'stock', store, bin: 'M/1', product: 'c', quantity: 1 }),
      'line 3: warehouse "M" is not known',
    ],
    [
      'too high a price',
      line({ kind: 'product', store, slug: 'c', name: 'c', price: '500000000.01' }),
      'line 3: product.price must not be higher than 50000000000 minor units of USD',
    ],
    [
      'another currency',
      line({ kind: 'store', subdomain: store, name: 'c', currency: 'JPY' }),
      'line 3: store.currency must stay USD',
    ],
    [
      'its own parent',
      line({ kind: 'category', store, slug: 'c', name: 'c', parent: 'c' }),
      'line 3: category.parent makes the category its own ancestor',
    ],
  ])('is named, and nothing of its batch is kept: %s', async (_, bad, message) => {
    const { message: told, report } = await stopped(importText([brand('a'), brand('b'), bad, brand('d')].join('\n')));

    expect(told).toContain(message);
    expect(report.lines).toBe(0);
    expect(await count('brands', store)).toBe(0);
  });

  it('may not refer to what comes after it, in the same batch neither', async () => {
    const product = line({ kind: 'product', store, slug: 'p', name: 'p', price: '1', brand: 'late' });

    const { message } = await stopped(importText([product, brand('late')].join('\n')));

    expect(message).toBe('line 1: brand "late" is not known');
  });

  it('is not the only one that is named: all of a file are, without those that only refer to them', async () => {
    const product = (slug: string, more: object) =>
      line({ kind: 'product', store, slug, name: slug, price: '1', ...more });
    const variants = [{ sku: 'V-1', name: '1' }];
    const fill = Array.from({ length: 1_000 }, (_, n) => brand(`fill-${n}`));

    const { message, report } = await stopped(
      importText(
        [
          brand('good'),
          brand('bad', { active: 'no' }),
          '{"kind":',
          product('a', { brand: 'nowhere', variants }),
          product('b', { categories: ['nowhere'] }),
          ...fill,
          product('c', { brand: 'bad' }),
          product('d', { brand: 'nowhere' }),
          line({ kind: 'warehouse', store, code: 'MAIN', name: 'Main' }),
          line({ kind: 'bin', store, warehouse: 'MAIN', code: 'A' }),
          line({ kind: 'stock', store, bin: 'MAIN/A', product: 'a', variant: 'V-1', quantity: 1 }),
          line({ kind: 'stock', store, bin: 'MAIN/A', product: 'a', variant: 'V-2', quantity: 1 }),
        ].join('\n'),
      ),
    );

    expect(message.split('\n')).toEqual([
      'line 2: brand.active must be true or false',
      expect.stringMatching(/^line 3: the line is not valid JSON/),
      'line 4: brand "nowhere" is not known',
      'line 5: category "nowhere" is not known',
      'line 1007: brand "nowhere" is not known',
      'line 1011: product "a": variant "V-2" is not known',
    ]);
    expect(report.lines).toBe(0);
    expect([await count('brands', store), await count('products', store)]).toEqual([0, 0]);
  });

  it('is named as one of 100 at most', async () => {
    const bad = Array.from({ length: 150 }, (_, n) => brand(`x-${n}`, { active: n }));

    const { message } = await stopped(importText(bad.join('\n')));

    const told = message.split('\n');
    expect([told.length, told[99], told[100]]).toEqual([
      101,
      'line 100: brand.active must be true or false',
      'There may be more bad lines.',
    ]);
  });

  it('leaves the batches before it in, and the mended bundle completes them', async () => {
    const category = (n: number) => line({ kind: 'category', store, slug: `c-${n}`, name: 'C', order: n });
    const lines = Array.from({ length: 1_500 }, (_, n) => category(n));
    const broken = lines.with(1_200, category(0.5));

    const { message, report } = await stopped(importText(broken.join('\n')));

    expect(message).toMatch(/^line 1201: category\.order must be an integer/);
    expect(report).toMatchObject({ lines: 1_000, counts: { category: { created: 1_000 } } });
    expect(await count('categories', store)).toBe(1_000);

    const { counts } = await importText(lines.join('\n'));
    expect(counts.category).toEqual({ created: 500, updated: 0, unchanged: 1_000 });
  });
});

describe('an import while orders are placed', () => {
  const TAKE = `
    WITH taken AS (
      UPDATE stock SET quantity = quantity - 1 FROM stores, products
      WHERE stores.subdomain = $1 AND products.slug = $2 AND products.store_id = stores.id
        AND stock.store_id = stores.id AND stock.product_id = products.id
      RETURNING stock.*)
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
    SELECT store_id, bin_id, product_id, variant_key, 'ADJUSTMENT', -1 FROM taken`;
  const WAITING = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const of = <Fields extends object>(store: string, fields: Fields) => ({ store, ...fields });
  const product = (slug: string, name = slug) => ({ kind: 'product' as const, slug, name, price: '5.00' });
  const stock = (slug: string) => ({ kind: 'stock' as const, bin: 'MAIN/A-1', product: slug, quantity: 9 });
  const closing = { kind: 'warehouse' as const, code: 'MAIN', name: 'Main', active: false };

  /** A lamp and two chairs. */
  async function aStore(store: string): Promise<void> {
    await importLines(
      { kind: 'store', subdomain: store, name: 'Acme', currency: 'USD' },
      { kind: 'warehouse', store, code: 'MAIN', name: 'Main' },
      { kind: 'bin', store, warehouse: 'MAIN', code: 'A-1' },
      of(store, product('lamp')),
      of(store, product('chair')),
      { ...of(store, stock('lamp')), quantity: 1 },
      { ...of(store, stock('chair')), quantity: 2 },
    );
  }

  /** An order that takes its units one after the other; what is to wait for it begins after the first. */
  async function order(store: string, [first, ...others]: readonly string[], begin: () => void): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      // In a circle of waiting, it is the order that is given up.
      await client.query(`BEGIN; SET LOCAL deadlock_timeout = '20ms'`);
      await client.query(TAKE, [store, first]);
      begin();
      await eventually(async () => expect(await database.query(WAITING)).toHaveLength(1));
      for (const slug of others) await client.query(TAKE, [store, slug]);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  }

  it.each([
    ['counts what is being sold out', ['chair', 'chair'], [product('chair', 'Seat'), stock('chair')]],
    [
      'has a product again, before another that is sold out with it',
      ['lamp', 'chair', 'chair'],
      [product('chair', 'Seat'), product('chair', 'Stool'), product('lamp', 'Light')],
    ],
    ['closes the warehouse that it counts', ['chair', 'chair'], [closing, stock('chair')]],
    [
      'closes the warehouse of what is sold out with it',
      ['lamp', 'chair', 'chair'],
      [product('chair', 'Seat'), { ...closing, active: true }, product('chair', 'Stool'), closing],
    ],
  ] as const)('waits for them, and they not for it: it %s', async (_, units, lines) => {
    const store = `sold-${++serial}`;
    await aStore(store);
    let importing: Promise<ImportReport> | undefined;

    await order(store, units, () => {
      importing = importLines(...lines.map((line) => of(store, line)));
    });

    expect(await importing).toMatchObject({ lines: lines.length });
  });
});
