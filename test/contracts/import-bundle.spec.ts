import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BundleLine, type ImportReport, ImportStopped, withBundleImporter } from '@app/bundles';
import pg from 'pg';
import { aStoreBundle } from '../builders/store-bundle.js';
import { bundleImports, cipher } from '../support/bundle-imports.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let serial = 0;
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

const END_IMPORT = `
  SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'store-commerce'`;

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

  it('adds the events of shipments, payments and refunds that have none', async () => {
    const store = 'life';
    const at = '2026-02-01T00:00:00.000Z';
    await importLines({ kind: 'store', subdomain: store, name: 'L', currency: 'USD' });
    const sold = {
      kind: 'order',
      store,
      receipt_number: 'L-1',
      source: 'POS',
      status: 'SUCCEEDED',
      fulfillment_status: 'SHIPPED',
      payment_method: 'CASH',
      currency: 'USD',
      amount: 500,
      total_amount: 500,
      created_at: '2026-01-01T00:00:00.000Z',
      line_items: [{ name: 'Mug', unit_price: 250, quantity: 2 }],
    };
    const shipment = { reference: 'S', status: 'shipped', items: [{ line: 1, quantity: 2 }], shipped_at: at };
    const void_ = { ...shipment, reference: 'V', status: 'void' };
    const money = [{ reference: 'M', amount: 500, at: '2026-03-01T00:00:00.000Z' }];
    const lines = [{ line: 1, quantity: 1 }];
    const back = [...money, { ...money[0], reference: 'N', amount: 0, lines }];
    await importText(JSON.stringify({ ...sold, shipments: [shipment, void_], payments: money, refunds: back }));

    const events = `SELECT event, reference, actor_type, at FROM order_events JOIN stores ON stores.id = store_id
      WHERE subdomain = $1 ORDER BY order_events.id`;
    const later = new Date('2026-03-01T00:00:00.000Z');
    expect(await database.query(events, [store])).toEqual([
      { event: 'shipment_created', reference: 'S', actor_type: 'system', at: new Date(at) },
      { event: 'shipment_created', reference: 'V', actor_type: 'system', at: new Date(at) },
      { event: 'payment_recorded', reference: 'M', actor_type: 'system', at: later },
      { event: 'refund_recorded', reference: 'M', actor_type: 'system', at: later },
      { event: 'refund_recorded', reference: 'N', actor_type: 'system', at: later },
    ]);
    expect(await database.query(`SELECT lines FROM refunds WHERE reference = ANY ('{M,N}') ORDER BY number`)).toEqual([
      { lines: null },
      { lines },
    ]);
  });

  it('writes nothing when a bundle is imported again', async () => {
    await importLines(...aStoreBundle('again'));
    const rowVersions = `SELECT products.xmin::text, products.ctid::text FROM products
      JOIN stores ON stores.id = store_id WHERE subdomain = 'again'`;
    const before = await database.query(rowVersions);

    const { counts } = await importLines(...aStoreBundle('again'));

    expect(Object.values(counts).reduce((sum, { created, updated }) => sum + created + updated, 0)).toBe(0);
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

  it('deactivates variants that a line no longer names, and activates them when it says so', async () => {
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
    expect(await database.query(VARIANTS, [store])).toContainEqual({ sku: 'R-42', status: 'INACTIVE' });
    await importLines({ ...product, variants: [{ ...variant('R-42'), status: 'ACTIVE' }] });

    expect(await database.query(VARIANTS, [store])).toContainEqual({ sku: 'R-42', status: 'ACTIVE' });
  });

  it('gives a variant that a bundle names by its id the SKU of the line, and back by an earlier bundle', async () => {
    const store = 'renamed';
    await importLines(...aStoreBundle(store));
    const stored = () =>
      database.query<{ id: number; sku: string; units: number | null }>(
        `SELECT variant.id, variant.sku, stock.quantity AS units FROM product_variants AS variant
         JOIN stores ON stores.id = variant.store_id AND subdomain = $1
         LEFT JOIN stock ON stock.store_id = variant.store_id AND stock.variant_key = variant.id ORDER BY variant.id`,
        [store],
      );
    const before = await stored();
    const line = (...skus: string[]): BundleLine => ({
      ...{ kind: 'product', store, slug: 'runner' },
      variants: skus.map((sku, place) => ({ id: before[place]?.id ?? 0, sku, name: sku, price: '82.00' })),
    });
    const units = (variant: string, quantity: number): BundleLine => ({
      ...{ kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', variant, quantity },
    });

    const { counts, warnings } = await importLines(line('R-43', 'R-42'), units('R-43', 6));

    expect([counts.product.updated, counts.stock.updated, warnings]).toEqual([1, 1, []]);
    expect((await stored()).map(({ sku, units }) => [sku, units])).toEqual([
      ['R-43', 6],
      ['R-42', null],
    ]);
    await expect(importLines(line('R-42', 'R-43'), units('R-44', 6))).rejects.toThrow(
      'line 2: product "runner": variant "R-44" is not known',
    );
    await importLines(line('R-42', 'R-43'));
    expect((await stored()).map(({ id, sku }) => ({ id, sku }))).toEqual(before.map(({ id, sku }) => ({ id, sku })));
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

  it('writes to the named store only when two stores have the same keys', async () => {
    await importLines(...aStoreBundle('left'));
    await importLines(...aStoreBundle('right'), { kind: 'brand', store: 'right', slug: 'globex', name: 'Changed' });

    const brands = `SELECT brands.name FROM brands JOIN stores ON stores.id = store_id WHERE subdomain = $1`;
    expect(await database.query(brands, ['left'])).toEqual([{ name: 'Globex' }]);
    expect(await count('orders', 'left')).toBe(1);
    expect(await count('orders', 'right')).toBe(1);
  });

  it('imports one bundle in two concurrent imports without duplicates or a deadlock', async () => {
    const both = await Promise.all([importLines(...aStoreBundle('twins')), importLines(...aStoreBundle('twins'))]);

    expect(both.map(({ counts }) => counts.order.created).sort()).toEqual([0, 1]);
    expect(await count('order_lines', 'twins')).toBe(2);
    expect(await count('stock_movements', 'twins')).toBe(1);
  });
});

describe('stock import', () => {
  it('sets stock through the ledger: an opening, then the differences as sets', async () => {
    const store = 'ledger';
    await importLines(...aStoreBundle(store));
    const stock = (quantity: number): BundleLine => ({
      ...{ kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', variant: 'R-42', quantity },
    });

    const { counts } = await importLines(stock(3), stock(3), stock(12));

    expect(counts.stock).toEqual({ created: 0, updated: 2, unchanged: 1 });
    expect(await ledger(store)).toEqual([
      { kind: 'OPENING', quantity: 7 },
      { kind: 'SET', quantity: -4 },
      { kind: 'SET', quantity: 9 },
    ]);
  });

  it('analyzes products and stock after an import of new stock, so that no plan scans a whole bin per movement', async () => {
    const store = 'measured';
    await database.query('SELECT pg_stat_reset()');
    const slugs = Array.from({ length: 500 }, (_, n) => `p-${n}`);

    await importLines(
      ...aStoreBundle(store),
      ...slugs.map((slug) => ({ kind: 'product', store, slug, name: slug, price: '1' }) as const),
      ...slugs.map((product) => ({ kind: 'stock', store, bin: 'MAIN/A-1', product, quantity: 1 }) as const),
    );

    const measured = `SELECT relname FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL ORDER BY relname`;
    await eventually(async () =>
      expect(await database.query(measured)).toEqual([{ relname: 'products' }, { relname: 'stock' }]),
    );
  });
});

describe('stock import while orders are placed', () => {
  const TAKE = `
    WITH taken AS (
      UPDATE stock SET quantity = quantity - 1 FROM stores, products
      WHERE stores.subdomain = $1 AND products.slug = $2 AND products.store_id = stores.id
        AND stock.store_id = stores.id AND stock.product_id = products.id
      RETURNING stock.*)
    INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
    SELECT store_id, bin_id, product_id, variant_key, 'ADJUSTMENT', -1 FROM taken`;
  const of = <Fields extends object>(store: string, fields: Fields) => ({ store, ...fields });
  const product = (slug: string, name = slug) => ({ kind: 'product' as const, slug, name, price: '5.00' });
  const stock = (slug: string) => ({ kind: 'stock' as const, bin: 'MAIN/A-1', product: slug, quantity: 9 });
  const sale = (slug: string): Omit<Extract<BundleLine, { kind: 'order' }>, 'store'> => ({
    ...{ kind: 'order', receipt_number: slug, source: 'POS', status: 'SUCCEEDED', fulfillment_status: 'DELIVERED' },
    ...{ payment_method: 'CASH', currency: 'USD', amount: 500, total_amount: 500, takes_stock: true },
    ...{
      created_at: '2026-01-02T03:04:05Z',
      line_items: [{ product: slug, name: slug, unit_price: 500, quantity: 1 }],
    },
  });
  const closing = { kind: 'warehouse' as const, code: 'MAIN', name: 'Main', active: false };

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

  async function order(store: string, [first, ...others]: readonly string[], begin: () => void): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      // On a deadlock, PostgreSQL aborts this transaction before the import.
      await client.query(`BEGIN; SET LOCAL deadlock_timeout = '20ms'`);
      await client.query(TAKE, [store, first]);
      begin();
      await eventually(async () => expect(await lockWaits(database)).toBe(1));
      for (const slug of others) await client.query(TAKE, [store, slug]);
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  }

  it.each([
    ['counts a product that is being sold out', ['chair', 'chair'], [product('chair', 'Seat'), stock('chair')]],
    [
      'names a product twice, and then another product of the order',
      ['lamp', 'chair', 'chair'],
      [product('chair', 'Seat'), product('chair', 'Stool'), product('lamp', 'Light')],
    ],
    ['closes the warehouse whose stock it counts', ['chair', 'chair'], [closing, stock('chair')]],
    ['has sales of a till', ['lamp', 'chair', 'chair'], [sale('chair'), sale('lamp')]],
    ['renames a product that a till has sold', ['chair', 'chair'], [product('chair', 'Seat'), sale('chair')]],
    [
      'closes the warehouse of the products of the order',
      ['lamp', 'chair', 'chair'],
      [product('chair', 'Seat'), { ...closing, active: true }, product('chair', 'Stool'), closing],
    ],
  ] as const)('waits for an order and does not deadlock with it when the import %s', async (_, units, lines) => {
    const store = `sold-${++serial}`;
    await aStore(store);
    let importing: Promise<ImportReport> | undefined;

    await order(store, units, () => {
      importing = importLines(...lines.map((line) => of(store, line)));
    });

    expect(await importing).toMatchObject({ lines: lines.length });
  });

  it('waits for an import over HTTP into its store', async () => {
    await importLines(...aStoreBundle('shared'));
    const other = await openTransaction(
      database,
      `SELECT pg_advisory_xact_lock(hashtext('import'), id) FROM stores WHERE subdomain = 'shared'`,
    );

    const imported = importLines(...aStoreBundle('shared'));
    await eventually(async () => expect(await lockWaits(database, '%import.lock_stores%')).toBe(1));
    await other.query('COMMIT');

    expect((await imported).counts).toBeDefined();
  });

  it('ends a dry run, and not the order, when each waits for the other', async () => {
    const store = `sold-${++serial}`;
    await aStore(store);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    let taken: Promise<unknown> | undefined;
    const batch = (number: number, slug: string) => ({
      lines: [of(store, product(slug)), of(store, stock(slug))].map((line) => ({ number, line, bytes: 0 })),
      bad: [],
    });
    async function* batches() {
      yield batch(1, 'lamp');
      await client.query('BEGIN');
      await client.query(TAKE, [store, 'chair']);
      taken = client.query(TAKE, [store, 'lamp']);
      await eventually(async () => expect(await lockWaits(database)).toBe(1));
      yield batch(2, 'chair');
    }

    const dryRun = withBundleImporter(database.url, cipher, (importer) =>
      importer.importBatches(batches(), { dryRun: true }),
    );

    await expect(dryRun).rejects.toThrow('canceling statement due to lock timeout');
    await taken;
    await client.query('COMMIT');
    await client.end();
  });
});

it('goes on with another connection when the server ends that of the import between two batches', async () => {
  const brands = Array.from({ length: 1_500 }, (_, n) => ({ kind: 'brand', store: 'cut', slug: `b-${n}`, name: 'B' }));
  const ended: object[] = [];
  async function* source() {
    const [first, ...others] = aStoreBundle('cut').filter(({ kind }) => kind === 'store');
    expect(others).toEqual([]);
    yield Buffer.from(`${textOf([first ?? {}, ...brands.slice(0, 1_200)])}\n`);
    ended.push(...(await database.query(END_IMPORT)));
    yield Buffer.from(textOf(brands.slice(1_200)));
  }

  const report = await withBundleImporter(database.url, cipher, (importer) => importer.importText(source()));

  expect([ended.length, report.lines, await count('brands', 'cut')]).toEqual([1, 1_501, 1_500]);
});

const textOf = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join('\n');

async function stopped(importing: Promise<ImportReport>): Promise<ImportStopped> {
  return importing.then(
    () => Promise.reject(new Error('The import did not stop')),
    (error: unknown) => error as ImportStopped,
  );
}

describe('dry run of an import', () => {
  it('returns the report of the import over several batches, and writes nothing', async () => {
    const store = 'rehearsed';
    const brands = Array.from({ length: 1_500 }, (_, n) => {
      return { kind: 'brand', store, slug: `b-${n}`, name: 'B' } as const;
    });
    const [acme, ...others] = aStoreBundle(store) as [BundleLine, ...BundleLine[]];
    const lines = textOf([acme, ...brands, ...others]);

    const rehearsed = await importText(lines, { dryRun: true });

    const stores = 'SELECT count(*)::int AS count FROM stores WHERE subdomain = $1';
    expect(await database.query(stores, [store])).toEqual([{ count: 0 }]);
    expect(rehearsed).toEqual({ ...(await importText(lines)), dryRun: true });
    expect(await importText(lines, { dryRun: true })).toMatchObject({
      counts: { brand: { created: 0, unchanged: 1_501 } },
    });
  });
});

describe('warnings of an import', () => {
  const store = 'warned';
  const product = (slug: string, more: object = {}) =>
    ({ kind: 'product', store, slug, name: slug, price: '1.0000', ...more }) as const;
  const order = aStoreBundle(store).at(-1) as Extract<BundleLine, { kind: 'order' }>;

  const vat = (amount: number) => ({ name: 'VAT', rate: 10, amount });
  const LAMP = { name: 'Lamp', unit_price: 1_000, quantity: 1 };
  const TAXED = { line_items: [{ ...LAMP, tax: [vat(100)] }] };
  const TAXES = 'but the taxes of its line_items and its shipping add up to';
  const ONLY = 'tax_lines and the journal contain only the taxes of the lines and the shipping';
  const booking = (kind: string, tax: number) => {
    const at = '2026-03-01T00:00:00.000Z';
    return { at, kind, reference: '', credited: 0, tax_lines: [{ ...vat(tax), included: false }] };
  };
  const credits = (...taxes: number[]) => ({ bookings: taxes.map((tax) => booking('credit', tax)) });

  it('name new orders whose lines do not add up, and new products that a slug hides', async () => {
    await importLines(...aStoreBundle(store), product('900002', { id: 700_002 }), product('first', { id: 700_001 }));
    const lines = [
      { ...order, receipt_number: 'POS-2', amount: 16_399 },
      { ...order, receipt_number: 'POS-3', amount: 5, line_items: [] },
      product('700001', { id: 700_005 }),
      product('second', { id: 900_002 }),
      product('700009', { id: 700_009 }),
    ];
    const warnings = [
      'line 1: order.amount is 16399, but its line_items add up to 16400',
      'line 3: product.slug "700001" is the id of another product: GET /v1/products/700001 returns that product',
      'line 4: product.id 900002 is the slug of another product: GET /v1/products/900002 returns this product',
    ];

    const rehearsed = await importText(textOf(lines), { dryRun: true });
    const written = await importText(textOf(lines));

    expect(rehearsed.warnings.toSorted()).toEqual(warnings);
    expect(written.warnings.toSorted()).toEqual(warnings);
    expect((await importText(textOf(lines))).warnings).toEqual([]);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'a tax that its lines have otherwise',
      { total_amount: 1_050, tax_amount: 50, line_items: [{ ...LAMP, tax: [vat(100)] }] },
      [`tax_amount is 50, ${TAXES} 100: ${ONLY}`],
    ],
    ['a tax that no line has', { total_amount: 1_100, tax_amount: 100 }, []],
    ['a tax of its shipping', { total_amount: 1_005, tax_amount: 5, shipping_tax: [vat(5)] }, []],
    [
      'a tax that only its lines have',
      { line_items: [{ ...LAMP, tax: [vat(100)] }] },
      [`tax_amount is 0, ${TAXES} 100: ${ONLY}`],
    ],
    ['a discount that no line has', { total_amount: 900, discount_amount: 100 }, []],
    [
      'a discount that its lines have otherwise',
      { total_amount: 900, discount_amount: 100, line_items: [{ ...LAMP, discount_amount: 40 }] },
      ['discount_amount is 100, but the discounts of its line_items add up to 40'],
    ],
    ['only totals', { amount: 5, total_amount: 100, tax_amount: 19, discount_amount: 7, line_items: [] }, []],
    [
      'an included tax that its total has once more',
      { total_amount: 1_100, tax_amount: 100, adjustment_amount: 0, ...TAXED, tax_included: true },
      ['adjustment_amount is 0, but with tax_included it must be minus the tax: -100'],
    ],
    ['an included tax', { tax_amount: 100, adjustment_amount: -100, ...TAXED, tax_included: true }, []],
    [
      'credits of more tax than it has',
      { total_amount: 1_100, tax_amount: 100, ...TAXED, ...credits(9_999) },
      ['bookings credit 9999 of the tax VAT of 10 percent, but the order has 100'],
    ],
    ['credits of its tax', { total_amount: 1_100, tax_amount: 100, ...TAXED, ...credits(60, 40) }, []],
    [
      'more lines of tax, booked, than it has credits for',
      { total_amount: 1_100, tax_amount: 100, ...TAXED, bookings: [booking('lines', 9_999), booking('credit', 100)] },
      [],
    ],
    [
      'the negative amounts of a credit note',
      {
        ...{ amount: -1_000, total_amount: -1_100, tax_amount: -100, ...credits(-100) },
        line_items: [{ ...LAMP, unit_price: -1_000, tax: [vat(-100)] }],
      },
      [],
    ],
  ])('name what contradicts itself in an order with %s', async (_case, amounts, problems) => {
    const totals = { amount: 1_000, total_amount: 1_000, tax_amount: 0, line_items: [LAMP] };
    await importLines({ kind: 'store', subdomain: store, name: store, currency: 'USD' });
    const { id: _, line_items: _items, ...sale } = order;
    const without = { shipping_amount: 0, discount_amount: 0, adjustment_amount: undefined };
    const receipt_number = `SUMS-${++serial}`;

    const { counts, warnings } = await importLines({ ...sale, ...without, ...totals, ...amounts, receipt_number });

    expect(counts.order.created).toBe(1);
    expect(warnings).toEqual(problems.map((problem) => `line 1: order.${problem}`));
  });
});

describe('bad lines of an import', () => {
  const store = 'faulty';
  const line = (value: object) => JSON.stringify(value);
  const brand = (slug: string, more: object = {}) => line({ kind: 'brand', store, slug, name: slug, ...more });

  const OWED = { amount: 1, total_amount: 1 };
  const anOrder = {
    ...{ kind: 'order', store, receipt_number: 'R-1', source: 'POS', status: 'PENDING', fulfillment_status: 'PENDING' },
    ...{ payment_method: 'CASH', currency: 'USD', created_at: '2026-01-02T03:04:05.000Z' },
  };

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
    ...['500000000.01', '9'.repeat(18)].map((price): [string, string, string] => [
      `the price ${price}, which is above the maximum`,
      line({ kind: 'product', store, slug: 'c', name: 'c', price }),
      'line 3: product.price must not be higher than 50000000000 minor units of USD',
    ]),
    ...['1.005', '0.00000000000000001'].map((price): [string, string, string] => [
      `the price ${price}, which is finer than its currency`,
      line({ kind: 'product', store, slug: 'c', name: 'c', price: '1', variants: [{ sku: 'c', name: 'c', price }] }),
      'line 3: product.variants[0].price must have at most 2 decimals in USD',
    ]),
    [
      'another currency',
      line({ kind: 'store', subdomain: store, name: 'c', currency: 'JPY' }),
      'line 3: store.currency must stay USD',
    ],
    [
      'a time zone that only Node knows',
      line({ kind: 'store', subdomain: store, name: 'c', currency: 'USD', time_zone: 'europe/berlin' }),
      'line 3: store.time_zone europe/berlin is not known to PostgreSQL',
    ],
    [
      'a category that is its own parent',
      line({ kind: 'category', store, slug: 'c', name: 'c', parent: 'c' }),
      'line 3: category.parent makes the category its own ancestor',
    ],
  ])('reports the line with %s, and keeps nothing of its batch', async (_, bad, message) => {
    const { message: text, report } = await stopped(importText([brand('a'), brand('b'), bad, brand('d')].join('\n')));

    expect(text).toContain(message);
    expect(report.lines).toBe(0);
    expect(await count('brands', store)).toBe(0);
  });

  describe('in several batches', () => {
    const product = (slug: string, more: object) =>
      line({ kind: 'product', store, slug, name: slug, price: '1', ...more });
    const fill = Array.from({ length: 1_000 }, (_, n) => brand(`fill-${n}`));
    const unknown = [
      brand('good'),
      product('a', { brand: 'nowhere' }),
      product('b', { categories: ['nowhere'] }),
      ...fill,
      product('c', { brand: 'good' }),
      product('d', { brand: 'nowhere' }),
      line({ ...anOrder, ...OWED, line_items: [{ product: 'a', name: 'A', unit_price: 1, quantity: 1 }] }),
    ];
    const ofFirstBatch = ['line 2: brand "nowhere" is not known', 'line 3: category "nowhere" is not known'];

    it('lists the unknown references of the first batch that has some', async () => {
      const { message, report } = await stopped(importText(unknown.join('\n')));

      expect(message.split('\n')).toEqual(ofFirstBatch);
      expect(report.lines).toBe(0);
      expect([await count('brands', store), await count('products', store)]).toEqual([0, 0]);
    });

    it('lists the unknown references of the whole file in a dry run, and lines that refer to a bad line', async () => {
      const { message } = await stopped(importText(unknown.join('\n'), { dryRun: true }));

      expect(message.split('\n')).toEqual([
        ...ofFirstBatch,
        'line 1005: brand "nowhere" is not known',
        'line 1006: product "a" is not known',
      ]);
    });

    it.each([false, true])(
      'lists the wrong forms of the whole file, and no reference after one (dry run %s)',
      async (dryRun) => {
        const lines = ['{"kind":', ...unknown, brand('bad', { active: 'no' })];

        const { message } = await stopped(importText(lines.join('\n'), { dryRun }));

        expect(message.split('\n')).toEqual([
          expect.stringMatching(/^line 1: the line is not valid JSON/),
          'line 1008: brand.active must be true or false',
        ]);
      },
    );
  });

  it('reports at most 100 bad lines', async () => {
    const bad = Array.from({ length: 150 }, (_, n) => brand(`x-${n}`, { active: n }));

    const { message } = await stopped(importText(bad.join('\n')));

    const texts = message.split('\n');
    expect([texts.length, texts[99], texts[100]]).toEqual([
      101,
      'line 100: brand.active must be true or false',
      'There may be more invalid lines.',
    ]);
  });

  it('keeps the batches before the bad line, and imports the rest from the corrected file', async () => {
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

describe('import of lines with an identity that is taken', () => {
  const A = '22222222-1111-4111-8111-111111111111';
  const B = '33333333-1111-4111-8111-111111111111';
  const C = '44444444-1111-4111-8111-111111111111';
  const FILL = Array.from({ length: 1_000 }, (_, n) => n);

  type Part<Kind extends BundleLine['kind']> = Partial<Extract<BundleLine, { kind: Kind }>>;
  let store = '';
  let stores = 0;

  const order = (receipt_number: string, more: Part<'order'> = {}): BundleLine => ({
    ...{ kind: 'order', store, receipt_number, source: 'POS', payment_method: 'CASH', currency: 'USD' },
    ...{ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', amount: 1, total_amount: 1 },
    created_at: '2024-01-01T00:00:00Z',
    ...more,
  });
  const customer = (more: Part<'customer'>): BundleLine => ({ kind: 'customer', store, name: 'Ada', ...more });
  const brand = (slug: string): BundleLine => ({ kind: 'brand', store, slug, name: slug });
  const product = (slug: string, more: Part<'product'> = {}): BundleLine => ({
    ...{ kind: 'product', store, slug, name: slug, price: '1' },
    ...more,
  });

  const run = (lines: readonly BundleLine[], dryRun = false) => importText(textOf(lines), { dryRun });

  async function messages(...lines: BundleLine[]): Promise<[string, string]> {
    const message = (importing: Promise<ImportReport>) =>
      importing.then(
        () => 'no error',
        (error: unknown) => (error instanceof ImportStopped ? error.message : Promise.reject(error as Error)),
      );
    const rehearsed = await message(run(lines, true));
    return [await message(run(lines)), rehearsed];
  }

  const both = (message: string) => [message, message];

  beforeEach(async () => {
    store = `identities-${++stores}`;
    await importLines({ kind: 'store', subdomain: store, name: 'Acme', currency: 'USD' });
  });

  it.each<[string, () => BundleLine[], string]>([
    [
      'an id that an earlier line of the file has',
      () => ['B1', 'B2', 'B3'].map((number) => order(number, { id: A })),
      'line 2: order.id is already the id of order "B1"\nline 3: order.id is already the id of order "B1"',
    ],
    [
      'the receipt number of an order that has another id',
      () => [order('B1', { id: A }), order('b1', { id: B })],
      `line 2: order.receipt_number is already the number of order ${A}`,
    ],
    [
      'an external reference that an earlier line of the file has, but for its letter case',
      () => [
        order('B1', { id: A, external_reference: 'PO 1' }),
        ...['PO 1', 'po 1'].map((external_reference, n) => order(`C${n}`, { external_reference })),
      ],
      `line 2: order.external_reference is already the reference of order ${A}`,
    ],
    [
      'the e-mail of a customer with another id',
      () => [customer({ id: A, email: 'ada@example.com' }), customer({ id: B, email: 'ADA@example.com' })],
      `line 2: customer.email is already the e-mail of customer ${A}`,
    ],
  ])('rejects %s', async (_what, lines, message) => {
    expect(await messages(...lines())).toEqual(both(message));
    expect([await count('orders', store), await count('customers', store)]).toEqual([0, 0]);
  });

  it('rejects the external reference of a stored live order, and not that of a test order', async () => {
    await importLines(order('B1', { id: A, external_reference: 'PO 1' }), order('B2', { external_reference: 'PO 2' }));
    await database.query(`UPDATE orders SET is_test = true WHERE external_reference = 'PO 2'`);

    expect(await messages(order('B3', { external_reference: 'PO 1' }))).toEqual(
      both(`line 1: order.external_reference is already the reference of order ${A}`),
    );
    expect(await messages(order('B4', { external_reference: 'PO 2' }))).toEqual(both('no error'));
  });

  it('rejects the e-mail of a stored customer, also when the id is that of another', async () => {
    await importLines(customer({ id: A, email: 'one@example.com' }), customer({ id: B, email: 'two@example.com' }));

    const message = both(`line 1: customer.email is already the e-mail of customer ${B}`);
    expect(await messages(customer({ id: A, email: 'two@example.com' }))).toEqual(message);
    expect(await messages(customer({ id: C, email: 'TWO@example.com' }))).toEqual(message);
  });

  it('counts an order that repeats as unchanged, also in another batch of a dry run', async () => {
    const repeated = [order('B1', { id: A }), order('b1', { id: A }), order('B1')];
    const lines = [...repeated, ...FILL.map((n) => brand(`b-${n}`)), ...repeated];

    const rehearsed = await run(lines, true);

    expect(rehearsed.counts.order).toEqual({ created: 1, updated: 0, unchanged: 5 });
    expect((await run(lines)).counts).toEqual(rehearsed.counts);
  });

  it.each([
    ['takes e-mails that are equal in PostgreSQL only for one customer', 'İ@example.com', 'i@example.com', 1],
    ['keeps customers apart whose e-mails are equal in JavaScript only', 'ΑΣ@example.com', 'ας@example.com', 2],
  ])('%s', async (_what, one, other, customers) => {
    await importLines(customer({ email: one }), customer({ email: other, city: 'London' }));

    expect(await count('customers', store)).toBe(customers);
  });

  describe('lines that the database rejects', () => {
    beforeAll(() => database.query(`ALTER TABLE products ADD CONSTRAINT no_seven CHECK (name <> 'seven')`));
    afterAll(() => database.query('ALTER TABLE products DROP CONSTRAINT no_seven'));

    it('names each of them, and the lines that refer to them', async () => {
      const lines = [
        ...[
          product('a'),
          product('b', { name: 'seven' }),
          product('c', { brand: 'none' }),
          product('d', { name: 'seven' }),
        ],
        order('B1', { line_items: [{ product: 'b', name: 'b', unit_price: 1, quantity: 1 }] }),
      ];
      const rejected = 'the database rejects it (23514, no_seven)';

      expect(await messages(...lines)).toEqual(
        both(
          `line 2: ${rejected}\nline 3: brand "none" is not known\nline 4: ${rejected}\nline 5: product "b" is not known`,
        ),
      );
      expect(await count('products', store)).toBe(0);
    });
  });
});
