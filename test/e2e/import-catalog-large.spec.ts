import { Readable } from 'node:stream';
import pg from 'pg';
import { DataCipher } from '@app/infrastructure';
import { importCatalog, withBundleImporter } from '@app/bundles';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const cipher = new DataCipher([Buffer.alloc(32, 7)]);
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await withBundleImporter(database.url, cipher, (importer) =>
    importer.importObjects([{ kind: 'store', subdomain: 'acme', name: 'Acme', currency: 'USD' }]),
  );
});

afterAll(() => database.drop());

const MEGABYTE = 1_000_000;
const HEADER = 'Handle,Title,Variant Price,Body (HTML)';
const row = (handle: string, megabytes: number) => `${handle},Mug,9.90,${'x'.repeat(megabytes * MEGABYTE)}`;

// PostgreSQL accepts at most 256 MB of JSON in one value, and the import must need little memory.
it('sends and reads a file of large descriptions a few megabytes at a time', async () => {
  const mugs = Array.from({ length: 110 }, (_, n) => row(`mug-${n}`, 0.09));
  const atlas = Array.from({ length: 9 }, () => row('atlas', 0.9));
  const statements = jest.spyOn(pg.Client.prototype, 'query');

  const report = await importCatalog(
    database.url,
    cipher,
    Readable.from([Buffer.from([HEADER, ...mugs, ...atlas].join('\n'))]),
    { store: 'acme', format: 'shopify', bin: 'MAIN/CATALOG' },
  );

  const sent = statements.mock.calls.map((call) => JSON.stringify(call[1] ?? null).length);
  const read = await Promise.all(
    statements.mock.results.map(async (result) => JSON.stringify(await (result.value as Promise<object>)).length),
  );
  expect(Math.max(...sent)).toBeGreaterThan(3 * MEGABYTE);
  expect(Math.max(...sent)).toBeLessThan(7 * MEGABYTE);
  expect(Math.max(...read)).toBeGreaterThan(3 * MEGABYTE);
  expect(Math.max(...read)).toBeLessThan(7 * MEGABYTE);
  expect(report).toMatchObject({
    taken: { products: 110 },
    notes: [{ outcome: 'refused', line: 112, reason: 'the product has more than 8000000 characters' }],
  });
  expect(await database.query('SELECT count(*)::int, min(length(description)) AS shortest FROM products')).toEqual([
    { count: 110, shortest: 90_000 },
  ]);
});
