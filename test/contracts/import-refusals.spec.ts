import { type BundleLine, type ImportReport, ImportStopped } from '@app/bundles';
import { aStoreBundle } from '../builders/store-bundle.js';
import { bundleImports } from '../support/bundle-imports.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { importLines, importText, count } = bundleImports(() => database);

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
    [
      'a price above the maximum',
      line({ kind: 'product', store, slug: 'c', name: 'c', price: '500000000.01' }),
      'line 3: product.price must not be higher than 50000000000 minor units of USD',
    ],
    [
      'another currency',
      line({ kind: 'store', subdomain: store, name: 'c', currency: 'JPY' }),
      'line 3: store.currency must stay USD',
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
      'There may be more bad lines.',
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

  /** The messages of an import and of its dry run. */
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

  describe('orders with the id or receipt number of another order', () => {
    it('rejects an id that an earlier line of the file has', async () => {
      expect(await messages(order('B1', { id: A }), order('B2', { id: A }), order('B3', { id: A }))).toEqual(
        both('line 2: order.id is already the id of order "B1"\nline 3: order.id is already the id of order "B1"'),
      );
      expect(await count('orders', store)).toBe(0);
    });

    it('rejects the receipt number of an order that has another id', async () => {
      expect(await messages(order('B1', { id: A }), order('b1', { id: B }))).toEqual(
        both(`line 2: order.receipt_number is already the number of order ${A}`),
      );
    });

    it('rejects an external reference that an earlier line of the file has, but for its letter case', async () => {
      const first = order('B1', { id: A, external_reference: 'PO 1' });
      const lines = [first, order('B2', { external_reference: 'PO 1' }), order('B3', { external_reference: 'po 1' })];

      expect(await messages(...lines)).toEqual(
        both(`line 2: order.external_reference is already the reference of order ${A}`),
      );
    });

    it('rejects the external reference of a stored live order, and not that of a test order', async () => {
      await importLines(
        order('B1', { id: A, external_reference: 'PO 1' }),
        order('B2', { external_reference: 'PO 2' }),
      );
      await database.query(`UPDATE orders SET is_test = true WHERE external_reference = 'PO 2'`);

      expect(await messages(order('B3', { external_reference: 'PO 1' }))).toEqual(
        both(`line 1: order.external_reference is already the reference of order ${A}`),
      );
      expect(await messages(order('B4', { external_reference: 'PO 2' }))).toEqual(both('no error'));
    });

    it('counts an order that repeats as unchanged, also in another batch of a dry run', async () => {
      const repeated = [order('B1', { id: A }), order('b1', { id: A }), order('B1')];
      const lines = [...repeated, ...FILL.map((n) => brand(`b-${n}`)), ...repeated];

      const rehearsed = await run(lines, true);

      expect(rehearsed.counts.order).toEqual({ created: 1, updated: 0, unchanged: 5 });
      expect((await run(lines)).counts).toEqual(rehearsed.counts);
    });
  });

  describe('customers with the id or e-mail of another customer', () => {
    it('rejects the e-mail of a customer with another id', async () => {
      const lines = [customer({ id: A, email: 'ada@example.com' }), customer({ id: B, email: 'ADA@example.com' })];
      const message = `customer.email is already the e-mail of customer ${A}`;

      expect(await messages(...lines)).toEqual(both(`line 2: ${message}`));
      await importLines(lines[0] as BundleLine);
      expect(await messages(lines[1] as BundleLine)).toEqual(both(`line 1: ${message}`));
    });

    it('rejects a line whose id and e-mail name two customers', async () => {
      await importLines(customer({ id: A, email: 'one@example.com' }), customer({ email: 'two@example.com' }));

      const [message] = await messages(customer({ id: A, email: 'two@example.com' }));

      expect(message).toMatch(/^line 1: customer\.email is already the e-mail of customer [0-9a-f-]{36}$/);
    });

    it('takes e-mails that are equal in PostgreSQL only for one customer', async () => {
      const { counts } = await importLines(
        customer({ email: 'İ@example.com' }),
        customer({ email: 'i@example.com', city: 'London' }),
      );

      expect(counts.customer).toEqual({ created: 1, updated: 1, unchanged: 0 });
      expect(await count('customers', store)).toBe(1);
    });

    it('keeps customers apart whose e-mails are equal in JavaScript only', async () => {
      await importLines(
        customer({ name: 'a', email: 'ΑΣ@example.com' }),
        customer({ name: 'b', email: 'ας@example.com' }),
      );

      expect(await count('customers', store)).toBe(2);
    });
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
