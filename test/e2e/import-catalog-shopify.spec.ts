import { ImportStopped } from '@app/bundles';
import { aMug, manyMugs, shopifyFile } from '../builders/catalog-csv.js';
import { catalogImports } from '../support/catalog-imports.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { aStore, importShopify, products, sellables, options, movements } = catalogImports(() => database);

const DESCRIPTION = '<p class="x">Warm\r\n\r\n& “soft”</p><script>alert(1)</script>';
const SHIRT: Record<string, string>[] = [
  {
    ...{ Handle: 'shirt', Title: '=HYPERLINK("x")', 'Body (HTML)': DESCRIPTION, Vendor: 'Ångström & Co', Type: 'Tops' },
    ...{
      Published: 'true',
      'Option1 Name': 'Size',
      'Option1 Value': 'S',
      'Option2 Name': 'Color',
      'Option2 Value': 'Red',
    },
    ...{
      'Variant SKU': 'SH-S',
      'Variant Inventory Qty': '4',
      'Variant Price': '25.50',
      'Variant Image': 'https://x.test/b',
    },
    ...{ 'Image Src': 'https://x.test/a,b.png?v=1', 'Image Position': '2', Status: 'active' },
  },
  {
    Handle: 'shirt',
    'Option1 Value': 'M',
    'Option2 Value': 'Red',
    'Variant Inventory Qty': '-3',
    'Variant Price': '20',
  },
  { Handle: 'shirt', 'Image Src': 'https://x.test/first.png', 'Image Position': '1' },
];

describe('import of a Shopify export', () => {
  it('imports products, variants, images, a brand, a category and stock', async () => {
    const store = await aStore();
    const csv = `\ufeff${shopifyFile(...SHIRT, { ...aMug, 'Option1 Value': 'Default Title', 'Variant SKU': 'M-1' })}`;

    const report = await importShopify(store, csv.replaceAll(/(?<!\r)\n/g, '\r\n'));

    const [mug, shirt] = await products(store);
    expect(mug).toMatchObject({ slug: 'mug', sku: 'M-1', price: 990, status: 'ACTIVE', brand: null, categories: [] });
    expect(shirt).toMatchObject({
      ...{ slug: 'shirt', name: '=HYPERLINK("x")', price: 2_000, status: 'ACTIVE', description: DESCRIPTION },
      ...{ brand: 'angstrom-co', categories: ['tops'] },
      images: ['https://x.test/first.png', 'https://x.test/a,b.png?v=1', 'https://x.test/b'],
    });
    expect((await sellables(store)).slice(1)).toEqual([
      expect.objectContaining({ sku: 'SH-S', name: 'S / Red', price: 2_550, quantity: 4 }),
      expect.objectContaining({
        sku: 'shirt-m-red',
        attributes: { Size: 'M', Color: 'Red' },
        price: 2_000,
        quantity: 0,
      }),
    ]);
    expect(report).toMatchObject({
      ...{ rows: 4, refused: 0, taken: { products: 2, variants: 2, images: 3, units: 4, uncounted: 1 } },
      ignoredColumns: ['Tags', 'Variant Compare At Price'],
      // The description of the product spans three lines.
      notes: [{ outcome: 'changed', line: 5, reason: 'Variant Inventory Qty is negative and is read as 0' }],
    });
  });

  it('stores options in the order of the file, and keeps options apart that differ only in case', async () => {
    const store = await aStore();
    const cap = { Handle: 'cap', Title: 'Cap', 'Option1 Name': 'Color', 'Option2 Name': 'Size', 'Variant Price': '5' };
    const lens = {
      Handle: 'lens',
      Title: 'Lens',
      'Option1 Name': 'Mount',
      'Option2 Name': 'mount',
      'Variant Price': '9',
    };

    const { refused } = await importShopify(
      store,
      shopifyFile(
        { ...cap, 'Option1 Value': 'Red', 'Option2 Value': 'M' },
        { Handle: 'cap', 'Option1 Value': 'Red', 'Option2 Value': 'm', 'Variant Price': '5' },
        { Handle: 'cap', 'Option1 Value': 'Blue', 'Option2 Value': 'L', 'Variant Price': '5' },
        { ...lens, 'Option1 Value': 'K', 'Option2 Value': 'k', 'Variant SKU': 'L-1' },
      ),
    );

    expect(refused).toBe(0);
    expect(await options(store)).toEqual(
      expect.arrayContaining([
        { sku: 'cap-red-m-fc477a26', attribute_names: ['Color', 'Size'], attributes: { Color: 'Red', Size: 'M' } },
        { sku: 'cap-red-m-8b0c4c38', attribute_names: ['Color', 'Size'], attributes: { Color: 'Red', Size: 'm' } },
        { sku: 'cap-blue-l', attribute_names: ['Color', 'Size'], attributes: { Color: 'Blue', Size: 'L' } },
        { sku: 'L-1', attribute_names: ['Mount', 'mount'], attributes: { Mount: 'K', mount: 'k' } },
      ]),
    );
  });

  it('renames the second of two options with the same name', async () => {
    const store = await aStore();
    const cap = { Handle: 'cap', Title: 'Cap', 'Option1 Name': 'Size', 'Option2 Name': 'Size', 'Variant Price': '5' };

    await importShopify(
      store,
      shopifyFile({ ...cap, 'Option1 Value': 'Head', 'Option2 Value': 'Brim', 'Variant SKU': 'C-1' }),
    );

    expect(await options(store)).toEqual([
      { sku: 'C-1', attribute_names: ['Size', 'Size (2)'], attributes: { Size: 'Head', 'Size (2)': 'Brim' } },
    ]);
  });

  it('updates the products of an earlier import: ids stay, and stock changes through the ledger', async () => {
    const store = await aStore();
    await importShopify(store, shopifyFile({ ...aMug, 'Variant Inventory Qty': '5' }));
    const before = await products(store);

    const same = await importShopify(store, shopifyFile({ ...aMug, 'Variant Inventory Qty': '5' }));
    const changed = await importShopify(store, shopifyFile({ ...aMug, Title: 'Cup', 'Variant Inventory Qty': '3' }));

    expect(same.counts.product).toEqual({ created: 0, updated: 0, unchanged: 1 });
    expect(changed.counts).toMatchObject({ product: { created: 0, updated: 1 }, stock: { updated: 1 } });
    expect(await products(store)).toEqual([{ ...before[0], name: 'Cup' }]);
    expect(await movements(store)).toEqual([
      { kind: 'OPENING', quantity: 5 },
      { kind: 'ADJUSTMENT', quantity: -2 },
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a currency sign', { 'Variant Price': '$9.90' }, 'Variant Price must be a plain number, without a currency'],
    ['a thousands separator', { 'Variant Price': '1,234.50' }, 'Variant Price must have no thousands separator'],
    ['a decimal comma', { 'Variant Price': '9,90' }, 'and a point before the decimals'],
    ['a negative price', { 'Variant Price': '-1' }, 'Variant Price is negative'],
    ['no price', { 'Variant Price': '' }, 'Variant Price is missing'],
    ['a price above the maximum', { 'Variant Price': '600000000' }, 'Variant Price must not be higher'],
    ['half a unit', { 'Variant Inventory Qty': '1.5' }, 'Variant Inventory Qty must be a whole number'],
    ['more units than a bin can hold', { 'Variant Inventory Qty': '3000000000' }, 'stock.quantity must be an integer'],
    ['a NUL', { Title: 'M\0ug' }, 'Title has a control character'],
    ['an escape sequence', { 'Body (HTML)': '\x1b[2J' }, 'Body (HTML) has a control character'],
    ['a name of 501 characters', { Title: 'x'.repeat(501) }, 'product.name must have at most 500 characters'],
    ['an unknown status', { Status: 'gone' }, 'Status must be active, draft, archived or unlisted'],
  ])('rejects a product with %s, reports its line, and imports the others', async (_, fault, reason) => {
    const store = await aStore();

    const report = await importShopify(store, shopifyFile(...SHIRT, { ...aMug, ...fault }, { ...aMug, Handle: 'cup' }));

    const notes = report.notes.filter(({ outcome }) => outcome === 'refused');
    expect(notes).toEqual([{ outcome: 'refused', line: 7, reason: expect.stringContaining(reason) as string }]);
    expect((await products(store)).map(({ slug }) => slug)).toEqual(['cup', 'shirt']);
  });

  it('rounds a price with more decimals than the currency, and reports the line', async () => {
    const csv = shopifyFile(
      { ...aMug, 'Variant Price': '1.999' },
      { ...aMug, Handle: 'cup', 'Variant Price': '9.900' },
    );

    const report = await importShopify(await aStore(), csv);

    expect(report.notes).toEqual([{ outcome: 'changed', line: 2, reason: 'the price 1.999 is rounded to 2.00 USD' }]);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['without its columns', 'Handle,Price,Name\na,1,b', 'The file has no column "Title".'],
    ['with another separator', 'Handle|Title|Variant Price\na|b|1', 'Commas, semicolons or tabs separate columns'],
    ['with a column twice', 'Handle,Title,Variant Price,Title\na,b,1,c', 'The file has the column "Title" twice.'],
    ['with a row cut short', `${shopifyFile(aMug)}\ncup,Cup`, 'line 3: has 2 fields, the first line 19'],
    ['with an open quotation mark', `${shopifyFile(aMug)}\n"cup`, 'line 3: has a quotation mark that is never closed'],
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from(`${shopifyFile(aMug)}\n`), Buffer.from('caf\xe9', 'latin1')]),
      'line 3: is not UTF-8 text',
    ],
    [
      'that is a workbook',
      Buffer.from('PK\x03\x04\x14\0'),
      'The file is a workbook, such as .xlsx: save it as CSV, in UTF-8.',
    ],
    ['that is empty', '', 'The file is empty.'],
  ])('imports nothing from a file %s', async (_, csv, message) => {
    const store = await aStore();

    await expect(importShopify(store, csv)).rejects.toThrow(message);

    expect(await products(store)).toEqual([]);
  });

  it('reads a file that a spreadsheet wrote again, and reports the numbers that it shortened', async () => {
    const store = await aStore();
    const file =
      'Handle;Title;Variant Price;Variant SKU;Variant Barcode\r\n' +
      'mug;"Café; 2€";9.90;1,2E+12;4,00638E+12\r\ncup;Cup;9.90;E+12;4006381333931\r\n';
    const bytes = Buffer.from(file.replace('€', '\x80'), 'latin1');

    const report = await importShopify(store, bytes, { encoding: 'windows-1252' });

    expect((await products(store)).map(({ name, sku }) => [name, sku])).toEqual([
      ['Cup', 'E+12'],
      ['Café; 2€', '1,2E+12'],
    ]);
    expect(report.notes.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason}`)).toEqual([
      '2 doubtful Variant SKU "1,2E+12" looks like a number that a spreadsheet has shortened',
      '2 doubtful Variant Barcode "4,00638E+12" looks like a number that a spreadsheet has shortened',
    ]);
  });

  it('names a refused product behind more adjusted ones than the report has room for', async () => {
    const adjusted = manyMugs(1_100).map((mug) => ({ ...mug, 'Variant Inventory Qty': '-1' }));
    const csv = shopifyFile(...adjusted, { ...aMug, 'Variant Price': 'free' });

    const { notes, furtherNotes } = await importShopify(await aStore(), csv, { dryRun: true });

    expect(notes.filter(({ outcome }) => outcome === 'refused')).toMatchObject([{ line: 1_102 }]);
    expect([notes.length, furtherNotes]).toEqual([1_001, 100]);
  });

  it('returns the report of the import from a dry run, and writes nothing', async () => {
    const store = await aStore();
    const csv = shopifyFile(...manyMugs(700), ...SHIRT, { ...aMug, 'Variant Price': 'free' });

    const dry = await importShopify(store, csv, { dryRun: true });

    expect(await products(store)).toEqual([]);
    expect(await movements(store)).toEqual([]);
    expect(await importShopify(store, csv)).toEqual({ ...dry, dryRun: false });
  });

  it('completes an import that failed in the middle when the file is imported again', async () => {
    const store = await aStore();
    const csv = shopifyFile(...manyMugs(700));
    await database.query(`CREATE FUNCTION refuse_mug() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF new.slug = 'mug-650' THEN RAISE 'cut off'; END IF; RETURN new; END $$`);
    await database.query(
      'CREATE TRIGGER refuse_mug BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION refuse_mug()',
    );
    await expect(importShopify(store, csv)).rejects.toThrow(ImportStopped);
    await database.query('DROP FUNCTION refuse_mug CASCADE');

    const half = await sellables(store);
    expect(half.length).toBeGreaterThan(0);
    expect(half.length).toBeLessThan(700);
    expect(half.filter(({ quantity }) => quantity !== 2)).toEqual([]);

    await importShopify(store, csv);
    expect(await sellables(store)).toHaveLength(700);
    expect(await movements(store)).toHaveLength(700);
  });

  it('rejects a store that does not exist', async () => {
    await expect(importShopify('unknown', shopifyFile(aMug))).rejects.toThrow('Store unknown not found');
  });
});
