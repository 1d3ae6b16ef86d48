import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApi, type RunningApi } from '../support/start-api.js';

const CONVERTER = path.resolve('node_modules/.bin/catalog-converter');
const IMPORT = `${process.execPath} ${path.resolve('dist/apps/cli/src/main.js')} import -`;

describe('catalog-converter', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-converter-'));
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(async () => {
    await api.stop();
    rmSync(directory, { recursive: true });
  });

  const file = (name: string, text: string) => {
    writeFileSync(path.join(directory, name), text);
    return name;
  };
  const run = (line: string) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: api.database.url, DATA_DIR: directory };
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd: directory, env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  it('writes what `import -` reads, and reports the rest; the same file again changes nothing', async () => {
    const csv = file(
      'shopify.csv',
      'Handle,Title,Variant Price,Option1 Name,Option1 Value,Variant Inventory Qty,Vendor,Tags\n' +
        'tee,Tee,9.90,Size,S,3,Fernweh,x\ntee,,12,,M,4,,\ncup,Cup,$4,,,1,,\x1b\n',
    );
    const line = `${CONVERTER} shopify --store ${api.store.subdomain} ${csv} | ${IMPORT}`;

    const first = run(line);
    const again = run(line);

    expect(first.stderr).toBe(
      'line 4: refused: Variant Price must be a plain number, without a currency\n' +
        'Taken from 3 rows: 1 product with 2 variants, 0 images and 7 units.\n' +
        'Not taken: 1 product refused, 0 skipped.\nColumns not used: Tags\n',
    );
    expect(JSON.parse(first.stdout)).toMatchObject({ counts: { product: { created: 1 }, stock: { created: 2 } } });
    const unchanged = { created: 0, updated: 0, unchanged: 1 };
    expect(JSON.parse(again.stdout)).toMatchObject({ counts: { product: unchanged, warehouse: unchanged } });
    expect(await api.database.query('SELECT code FROM bins ORDER BY id DESC LIMIT 1')).toEqual([{ code: 'IMPORT' }]);
    const product = (await api.get('/v1/products/tee')).json<{ data: object }>().data;
    expect(product).toMatchObject({
      ...{ name: 'Tee', price: 9.9, quantity: 7, brand: { slug: 'fernweh' } },
      variants: [
        { sku: 'tee-s', price: 9.9, quantity: 3 },
        { sku: 'tee-m', price: 12, quantity: 4 },
      ],
    });
  });

  it('reads headings of --columns, writes no stock with --no-stock, and exits with 1 when a product is refused', () => {
    const csv = file('other.csv', 'Sort,SKU,Name,Cost,Stock\nsimple,OTHER-1,Other,5,3\nsimple,,Nothing,5,3\n');
    const columns = file('columns.json', '{"Sort":"Type","Cost":"Regular price"}');
    const options = `--store acme --no-stock --columns ${columns}`;

    const { status, stdout, stderr } = run(`${CONVERTER} woocommerce ${options} ${csv}`);

    expect(status).toBe(1);
    expect(stdout.split('\n').filter(Boolean)).toEqual([expect.stringMatching(/^\{"kind":"product",.*"OTHER-1"/)]);
    expect(stderr).toContain('line 3: refused: SKU and ID are missing');
  });

  it.each([
    ['shopify --store acme torn.csv', 1, 'error: line 3: has 1 fields, the first line 3\n'],
    ['shopify --store acme --columns torn.csv torn.csv', 1, 'error: torn.csv must be a JSON object such as'],
    ['magento --store acme torn.csv', 2, 'error: Name the format: shopify or woocommerce.\n(add --help for usage)\n'],
    ['shopify torn.csv', 2, 'error: --store must be a subdomain.'],
    ['shopify --store acme --encoding klingon torn.csv', 2, 'error: --encoding must be an encoding'],
  ])('writes no line for: %s', (args, status, message) => {
    file('torn.csv', 'Handle,Title,Variant Price\nmug,Mug,9.90\ncup\n');

    const result = run(`${CONVERTER} ${args}`);

    expect(result).toMatchObject({ status, stdout: '' });
    expect(result.stderr.startsWith(message)).toBe(true);
  });
});
