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
    const lines = [acme, ...brands, ...others].map((each) => JSON.stringify(each)).join('\n');

    const rehearsed = await importText(lines, { dryRun: true });

    const stores = 'SELECT count(*)::int AS count FROM stores WHERE subdomain = $1';
    expect(await database.query(stores, [store])).toEqual([{ count: 0 }]);
    expect(rehearsed).toEqual({ ...(await importText(lines)), dryRun: true });
    expect(await importText(lines, { dryRun: true })).toMatchObject({
      counts: { brand: { created: 0, unchanged: 1_501 } },
    });
  });

  it('finds the references of a later batch when an earlier batch repeats one of them', async () => {
    const store = 'rehearsed-twice';
    const warehouse = { kind: 'warehouse', store, code: 'M', name: 'M' };
    const brands = Array.from({ length: 1_000 }, (_, n) => ({ kind: 'brand', store, slug: `b-${n}`, name: 'B' }));
    const lines = [
      { kind: 'store', subdomain: store, name: 'Acme', currency: 'USD' },
      ...[warehouse, { kind: 'bin', store, warehouse: 'M', code: '1' }, warehouse],
      { kind: 'product', store, slug: 'p', name: 'P', price: '1' },
      ...brands,
      { kind: 'stock', store, bin: 'M/1', product: 'p', quantity: 1 },
    ];

    const { counts } = await importText(lines.map((each) => JSON.stringify(each)).join('\n'), { dryRun: true });

    expect(counts.stock).toEqual({ created: 1, updated: 0, unchanged: 0 });
  });

  it('reports the bad line in a dry run, and writes nothing', async () => {
    const [acme, ...others] = aStoreBundle('rehearsed-badly') as [BundleLine, ...BundleLine[]];
    const lines = [acme, { ...others[0], active: 1 }, ...others.slice(1)].map((each) => JSON.stringify(each));

    const { message, report } = await stopped(importText(lines.join('\n'), { dryRun: true }));

    expect(message).toBe('line 2: warehouse.active must be true or false');
    expect(report).toMatchObject({ dryRun: true, lines: 0 });
    const stores = 'SELECT count(*)::int AS count FROM stores WHERE subdomain = $1';
    expect(await database.query(stores, ['rehearsed-badly'])).toEqual([{ count: 0 }]);
  });
});

describe('bad lines of an import', () => {
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

  it('rejects a reference to a later line of the same batch', async () => {
    const product = line({ kind: 'product', store, slug: 'p', name: 'p', price: '1', brand: 'late' });

    const { message } = await stopped(importText([product, brand('late')].join('\n')));

    expect(message).toBe('line 1: brand "late" is not known');
  });

  it('reports all bad lines of a file, except lines that only refer to a bad line', async () => {
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
