import { Readable } from 'node:stream';
import { importCatalog, ImportStopped } from '@app/bundles';
import pg from 'pg';
import { aHat, aMug, manyMugs, shopifyFile, wooFile } from '../builders/catalog-csv.js';
import { cipher } from '../support/bundle-imports.js';
import { catalogImports } from '../support/catalog-imports.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const catalogs = catalogImports(() => database);
const { aStore, addProduct, importShopify, importWoo, setStock } = catalogs;
const { products, sellables, options, storedUnits, movements } = catalogs;

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
      { kind: 'SET', quantity: -2 },
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

describe('import of a WooCommerce export', () => {
  it('imports products with their variations, in any order of the lines', async () => {
    const store = await aStore();
    const size = { 'Attribute 1 name': 'Size', 'Attribute 2 name': 'Fabric' };

    const report = await importWoo(
      store,
      wooFile(
        {
          ID: '2',
          Type: 'variation',
          Parent: 'TEE',
          SKU: 'TEE-L',
          Published: '1',
          Stock: '6',
          'Regular price': '30',
          ...size,
          'Attribute 1 value(s)': 'L',
        },
        { ...aHat, 'Is featured?': '1', Stock: "'-2", Images: 'https://x.test/1.png, https://x.test/2.png, hat.png' },
        {
          ID: '1',
          Type: 'variable',
          SKU: 'TEE',
          Name: 'Tee',
          Published: '1',
          Categories: 'Men > Shirts, Women > Shirts, Tom\\, Dick',
          ...size,
          'Attribute 1 value(s)': 'L, M',
          'Attribute 2 value(s)': 'Cotton',
        },
        {
          ID: '3',
          Type: 'variation, virtual',
          Parent: 'id:1',
          Published: '1',
          Stock: '4',
          'Sale price': '25',
          'Regular price': '30',
          ...size,
          'Attribute 1 value(s)': 'M',
        },
        { ID: '4', Type: 'grouped', Name: 'Both', Published: '1' },
        { ID: '5', Type: 'external', Name: 'Elsewhere', Published: '1', 'Regular price': '1' },
        { ID: '6', Type: 'variation', Parent: 'id:99', Published: '1', 'Regular price': '1' },
      ),
    );

    const [hat, tee] = await products(store);
    expect(hat).toMatchObject({
      slug: 'hat',
      sku: 'HAT',
      featured: true,
      images: ['https://x.test/1.png', 'https://x.test/2.png'],
    });
    expect(tee).toMatchObject({
      ...{ slug: 'tee', price: 2_500, categories: ['men--shirts', 'tom-dick', 'women--shirts'] },
      specifications: [{ name: 'Fabric', value: 'Cotton' }],
    });
    expect((await sellables(store)).slice(1)).toEqual([
      expect.objectContaining({ sku: 'TEE-L', price: 3_000, attributes: { Size: 'L' }, quantity: 6 }),
      expect.objectContaining({ sku: 'tee-m', price: 2_500, attributes: { Size: 'M' }, quantity: 4 }),
    ]);
    expect(report).toMatchObject({
      refused: 1,
      skipped: 2,
      taken: { products: 2, units: 10 },
      ignoredColumns: ['Meta: _x'],
    });
    expect(report.notes.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason}`)).toEqual([
      '3 changed Stock is negative and is read as 0',
      '3 changed an image without an http address is skipped',
      '6 skipped a grouped product only shows others, which are products themselves',
      '7 skipped an external product is sold somewhere else',
      '8 refused Parent is no product of this file',
    ]);
  });

  it('reads headings in German', async () => {
    const store = await aStore();

    const { refused, ignoredColumns } = await importWoo(
      store,
      'ID,Typ,Artikelnummer,Name,Veröffentlicht,Regulärer Preis,Lager,Übergeordnetes Produkt,Attribut 1 Name,' +
        'Attribut 1 Wert(e),Attribut 12 Name,Attribut 12 Wert(e)\n' +
        '1,variable,TEE,Hemd,1,,,,Farbe,"Rot, Blau",Größe,M\n' +
        '2,variation,TEE-R,,1,25,4,TEE,Farbe,Rot,Größe,M\n',
    );

    expect({ refused, ignoredColumns }).toEqual({ refused: 0, ignoredColumns: [] });
    expect(await sellables(store)).toEqual([
      expect.objectContaining({ sku: 'TEE-R', price: 2_500, attributes: { Farbe: 'Rot', Größe: 'M' }, quantity: 4 }),
    ]);
  });

  it('reads headings of any language that --columns maps', async () => {
    const store = await aStore();
    const columns = {
      Gerð: 'Type',
      Vörunúmer: 'SKU',
      Heiti: 'Name',
      Verð: 'Regular price',
      'Eiginleiki 1': 'Attribute 1 name',
    };
    const csv = 'Gerð,Vörunúmer,Heiti,Verð,Eiginleiki 1\nsimple,H-1,Hattur,9,Litur\n';

    await expect(importWoo(store, csv)).rejects.toThrow(
      'The file has no column "Type", "SKU", "Name", "Regular price". Unknown columns: "Gerð", "Vörunúmer", ' +
        '"Heiti", "Verð", "Eiginleiki 1". --columns FILE.json can map them.',
    );
    await expect(importWoo(store, csv, { columns: { ...columns, Litur: 'Images' } })).rejects.toThrow(
      'The file has no column "Litur", which --columns names.',
    );
    await expect(importWoo(store, csv, { columns: { ...columns, Verð: 'Price' } })).rejects.toThrow(
      '--columns maps "Verð" to "Price", which the importer does not read.',
    );
    await importWoo(store, csv, { columns });

    expect(await products(store)).toEqual([expect.objectContaining({ sku: 'H-1', price: 900 })]);
  });

  it('finds a renamed product by its SKU, and keeps its slug and id', async () => {
    const store = await aStore();
    await importWoo(store, wooFile(aHat));
    const [before] = await products(store);

    await importWoo(store, wooFile({ ...aHat, Name: 'Straw hat' }));

    expect(await products(store)).toEqual([{ ...before, name: 'Straw hat' }]);
  });

  it('gives products with the same name different slugs, and the same slugs in each import', async () => {
    const store = await aStore();
    const csv = wooFile(aHat, { ...aHat, ID: '8', SKU: 'HAT-2' }, { ...aHat, ID: '9', SKU: '' }, { ...aHat, ID: '10' });

    const first = await importWoo(store, csv);
    const slugs = (await products(store)).map(({ slug }) => slug);
    const second = await importWoo(store, csv);

    expect(slugs).toEqual(['hat', 'hat-9', 'hat-hat-2']);
    expect(second.counts.product).toEqual({ created: 0, updated: 0, unchanged: 3 });
    expect(second.notes).toEqual(first.notes);
    expect(first.notes).toEqual([
      { outcome: 'refused', line: 5, reason: 'the SKU "HAT" is that of line 2, which is imported instead' },
    ]);
  });

  describe('of rows that share a SKU or an ID', () => {
    const row = ({ ID: _, ...hat }: Record<string, string>, more: Record<string, string> = {}) => ({ ...hat, ...more });
    const said = ({ notes }: Awaited<ReturnType<typeof importWoo>>) =>
      notes.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason}`);
    const IS_LINE_2 = 'refused the SKU "HAT" is that of line 2, which is imported instead';

    it('imports the first, and says of each further one that the first is imported instead', async () => {
      const store = await aStore();

      const report = await importWoo(store, wooFile(row(aHat), row(aHat, { Name: 'Cap' }), aHat, { ...aHat, ID: '8' }));

      expect(said(report)).toEqual([`3 ${IS_LINE_2}`, `4 ${IS_LINE_2}`, `5 ${IS_LINE_2}`]);
      expect(report).toMatchObject({ rows: 4, refused: 3, taken: { products: 1 } });
      expect(await products(store)).toEqual([expect.objectContaining({ sku: 'HAT', name: 'Hat' })]);
    });

    it('imports the first of one ID', async () => {
      const store = await aStore();

      const report = await importWoo(store, wooFile(aHat, { ...aHat, SKU: 'CAP', Name: 'Cap' }));

      expect(said(report)).toEqual(['3 refused the ID "7" is that of line 2, which is imported instead']);
      expect((await products(store)).map(({ sku }) => sku)).toEqual(['HAT']);
    });

    it('imports the second when the first is refused', async () => {
      const store = await aStore();

      const report = await importWoo(store, wooFile({ ...aHat, 'Regular price': 'free' }, { ...aHat, Name: 'Cap' }));

      expect(said(report)).toEqual([expect.stringMatching(/^2 refused Regular price must be/)]);
      expect((await products(store)).map(({ name }) => name)).toEqual(['Cap']);
    });

    it('gives the variations to the first product, whatever its ID', async () => {
      const store = await aStore();
      const tee = { Type: 'variable', SKU: 'TEE', Name: 'Tee', Published: '1' };
      const small = { Type: 'variation', Parent: 'TEE', SKU: 'TEE-S', Published: '1', 'Regular price': '9' };

      const report = await importWoo(store, wooFile({ ...tee, ID: '1' }, { ...tee, ID: '2' }, small));

      expect(said(report)).toEqual(['3 skipped it has no price']);
      expect(await sellables(store)).toEqual([expect.objectContaining({ slug: 'tee', sku: 'TEE-S' })]);
    });

    it('names the first line and the number of the rows that are refused with a variation', async () => {
      const tee = { ID: '1', Type: 'variable', SKU: 'TEE', Name: 'Tee', Published: '1' };
      const small = { Type: 'variation', Parent: 'TEE', SKU: 'TEE-S', Published: '1', 'Regular price': 'free' };

      const report = await importWoo(await aStore(), wooFile(tee, aHat, small));

      const reason = 'must be a plain number, without a currency';
      expect(said(report)).toEqual([
        `4 refused Regular price ${reason}; none of the 2 rows of this product, from line 2, is imported`,
      ]);
    });
  });

  describe('of products without SKU', () => {
    const aLamp = { Type: 'simple', Name: 'Desk lamp', Published: '1' };
    const [cheap, dear] = [
      { ...aLamp, ID: '10', 'Regular price': '5', Stock: '3' },
      { ...aLamp, ID: '20', 'Regular price': '90', Stock: '4' },
    ];
    const own = (slug: string, name: string, more: { sku?: string } = {}) => ({ slug, name, price: '1.00', ...more });

    it('distinguishes products with the same name by their ID, for any selection and order of lines', async () => {
      const store = await aStore();

      const files = [[dear], [cheap, dear], [dear, cheap], [cheap]];
      for (const file of files) await importWoo(store, wooFile(...file));

      expect(await products(store)).toEqual([
        expect.objectContaining({ slug: 'desk-lamp-10', price: 500 }),
        expect.objectContaining({ slug: 'desk-lamp-20', price: 9_000 }),
      ]);
      expect((await sellables(store)).map(({ quantity }) => quantity)).toEqual([3, 4]);
    });

    it('finds a product by its ID after it received a SKU', async () => {
      const store = await aStore();
      await importWoo(store, wooFile(cheap, dear));
      const [before, other] = await products(store);

      await importWoo(store, wooFile({ ...cheap, SKU: 'LAMP' }));

      expect(await products(store)).toEqual([{ ...before, sku: 'LAMP' }, other]);
    });

    it.each<[string, ReturnType<typeof own>, Record<string, string>, string]>([
      [
        'has the same name and no SKU',
        own('desk-lamp', 'Desk lamp'),
        {},
        'the store has a product "desk-lamp" without SKU, which may or may not be this one',
      ],
      [
        'has the same name and no SKU, and the line has one',
        own('desk-lamp', 'Desk lamp'),
        { SKU: 'LAMP' },
        'the store has a product "desk-lamp" without SKU, which may or may not be this one',
      ],
      [
        'has the slug of the line',
        own('desk-lamp-10', 'Desk lamp 10'),
        {},
        'the store has another product "desk-lamp-10"',
      ],
      [
        'has the slug of the line and a SKU',
        own('desk-lamp-10', 'Desk lamp', { sku: 'L10' }),
        {},
        'the store has another product "desk-lamp-10"',
      ],
    ])('rejects the line and leaves the product unchanged when the product %s', async (_, product, more, reason) => {
      const store = await aStore();
      await addProduct(store, product);
      const before = await products(store);

      const report = await importWoo(store, wooFile({ ...cheap, ...more }));

      expect(report.notes).toEqual([
        { outcome: 'refused', line: 2, reason: expect.stringContaining(reason) as string },
      ]);
      expect(await products(store)).toEqual(before);
    });

    it('updates a product to which an operator gave the SKU of the line', async () => {
      const store = await aStore();
      await addProduct(store, own('desk-lamp', 'Desk lamp', { sku: 'LAMP' }));

      await importWoo(store, wooFile({ ...cheap, SKU: 'LAMP' }));

      expect(await products(store)).toEqual([expect.objectContaining({ slug: 'desk-lamp', price: 500 })]);
    });

    it('rejects a product without SKU and ID', async () => {
      const report = await importWoo(await aStore(), wooFile({ ...cheap, ID: '' }));

      expect(report.notes).toEqual([
        { outcome: 'refused', line: 2, reason: 'SKU and ID are missing: nothing tells it from others of its name' },
      ]);
    });
  });

  it.each<[string, Record<string, string>, number]>([
    ['a sale without dates', {}, 1_500],
    [
      'a sale that is active',
      { 'Date sale price starts': '2020-01-01', 'Date sale price ends': '2999-01-01 0:00:00' },
      1_500,
    ],
    ['a sale that is over', { 'Date sale price ends': '2020-01-01' }, 2_000],
    ['a sale in the future', { 'Date sale price starts': '2999-01-01' }, 2_000],
  ])('imports the current price of a product with %s', async (_, dates, price) => {
    const store = await aStore();

    await importWoo(store, wooFile({ ...aHat, 'Sale price': '15', ...dates }));

    expect(await products(store)).toEqual([expect.objectContaining({ price })]);
  });

  it.each([
    ['published and shown', '1', 'visible', 'ACTIVE'],
    ['private', '0', 'visible', 'DRAFT'],
    ['a draft', "'-1", 'visible', 'DRAFT'],
    ['hidden', '1', 'hidden', 'DRAFT'],
  ])('sets the status of a product that is %s', async (_, published, visibility, status) => {
    const store = await aStore();

    const { taken } = await importWoo(
      store,
      wooFile({ ...aHat, Published: published, 'Visibility in catalog': visibility }),
    );

    expect(taken).toMatchObject({ products: 1, drafts: status === 'DRAFT' ? 1 : 0 });
    expect(await products(store)).toEqual([expect.objectContaining({ status })]);
  });
});

describe('import of catalog stock', () => {
  describe('without variants of an earlier file', () => {
    const aTee = { Handle: 'tee', Title: 'Tee', 'Option1 Name': 'Size', 'Variant Price': '9' };
    const small = { ...aTee, 'Option1 Value': 'S', 'Variant Inventory Qty': '3' };
    const medium = { ...aTee, 'Option1 Value': 'M', 'Variant Inventory Qty': '4' };

    it('removes the stock of variants that the file no longer names, through the ledger', async () => {
      const store = await aStore();
      await importShopify(store, shopifyFile(small, medium));
      const withSkus = shopifyFile({ ...small, 'Variant SKU': 'TEE-S' }, { ...medium, 'Variant SKU': 'TEE-M' });

      const dry = await importShopify(store, withSkus, { dryRun: true });
      const report = await importShopify(store, withSkus);
      const again = await importShopify(store, withSkus);

      const variants = await sellables(store);
      expect(variants.map(({ sku, status, quantity }) => `${sku} ${status} ${quantity}`).toSorted()).toEqual([
        'TEE-M ACTIVE 4',
        'TEE-S ACTIVE 3',
        'tee-m INACTIVE 0',
        'tee-s INACTIVE 0',
      ]);
      const ledger = await movements(store);
      expect(ledger.map(({ kind, quantity }) => `${kind} ${quantity}`).toSorted()).toEqual(
        ['OPENING 3', 'OPENING 4', 'OPENING 3', 'OPENING 4', 'SET -3', 'SET -4'].toSorted(),
      );
      expect(report).toMatchObject({ taken: { units: 7 }, counts: { stock: { created: 2, updated: 2 } } });
      expect(dry).toEqual({ ...report, dryRun: true });
      expect(again.counts.stock).toEqual({ created: 0, updated: 0, unchanged: 2 });
    });

    it('removes the stock of a product that had no variants when the file gives it variants', async () => {
      const store = await aStore();
      await importShopify(store, shopifyFile({ ...aMug, 'Variant Inventory Qty': '7' }));

      await importShopify(store, shopifyFile({ ...small, Handle: 'mug' }, { ...medium, Handle: 'mug' }));

      expect(await storedUnits(store)).toBe(7);
    });

    it('keeps the stock that an operator set for a product when the file counts none of its variants', async () => {
      const store = await aStore();
      const uncounted = shopifyFile({ ...small, 'Variant Inventory Qty': '' });
      await importShopify(store, uncounted);
      await setStock(store, 'tee', 5);

      await importShopify(store, uncounted);

      expect(await storedUnits(store)).toBe(5);
    });

    it('changes no other bin, and not its own bin when the import has no bin', async () => {
      const store = await aStore();
      await importShopify(store, shopifyFile(small, medium));
      await importShopify(store, shopifyFile(small, medium), { bin: 'MAIN/SHELF' });

      await importShopify(store, shopifyFile(small), { bin: null });
      expect(await storedUnits(store)).toBe(14);
      await importShopify(store, shopifyFile(small));
      expect(await storedUnits(store)).toBe(10);
    });
  });

  it('keeps stock when the import has no bin, and fields that have no column in the file', async () => {
    const store = await aStore();
    await importShopify(store, shopifyFile({ ...aMug, Vendor: 'Fernweh', 'Variant Inventory Qty': '5' }));

    await importShopify(store, 'Handle,Title,Variant Price,Variant Inventory Qty\nmug,Mug,8,1', { bin: null });

    expect(await sellables(store)).toEqual([expect.objectContaining({ quantity: 5 })]);
    expect(await products(store)).toEqual([expect.objectContaining({ price: 800, brand: 'fernweh' })]);
  });

  it('removes the stock of a variation that is no longer published', async () => {
    const store = await aStore();
    const tee = { ID: '1', Type: 'variable', SKU: 'TEE', Name: 'Tee', Published: '1', 'Attribute 1 name': 'Size' };
    const size = { Type: 'variation', Parent: 'TEE', 'Regular price': '9', 'Attribute 1 name': 'Size' };
    const small = { ...size, ID: '2', SKU: 'S', 'Attribute 1 value(s)': 'S', Published: '1', Stock: '3' };
    const large = { ...size, ID: '3', SKU: 'L', 'Attribute 1 value(s)': 'L', Published: '1', Stock: '4' };
    await importWoo(store, wooFile(tee, small, large));

    await importWoo(store, wooFile(tee, small, { ...large, Published: '0' }));

    expect(await storedUnits(store)).toBe(3);
  });

  it('creates the bin when the file has no stock, so that an operator can set it', async () => {
    const store = await aStore();

    const report = await importWoo(store, wooFile(aHat));

    expect(report.counts).toMatchObject({ warehouse: { created: 1 }, bin: { created: 1 } });
    await database.query(
      `UPDATE warehouses SET name = 'Attic' WHERE store_id = (SELECT id FROM stores WHERE subdomain = $1)`,
      [store],
    );
    const { counts } = await importWoo(store, wooFile(aHat));
    expect(counts).toMatchObject({ warehouse: { unchanged: 1 }, bin: { unchanged: 1 } });
    await setStock(store, 'hat', 5);
    expect(await storedUnits(store)).toBe(5);
  });
});

describe('import of a large catalog', () => {
  const MEGABYTE = 1_000_000;
  const HEADER = 'Handle,Title,Variant Price,Body (HTML)';
  const row = (handle: string, megabytes: number) => `${handle},Mug,9.90,${'x'.repeat(megabytes * MEGABYTE)}`;

  // PostgreSQL accepts at most 256 MB of JSON in one value, and the import must need little memory.
  it('sends and reads a file of large descriptions a few megabytes at a time', async () => {
    const store = await aStore();
    const mugs = Array.from({ length: 80 }, (_, n) => row(`mug-${n}`, 0.09));
    const atlas = Array.from({ length: 9 }, () => row('atlas', 0.9));
    const statements = jest.spyOn(pg.Client.prototype, 'query');

    const report = await importCatalog(
      database.url,
      cipher,
      Readable.from([Buffer.from([HEADER, ...mugs, ...atlas].join('\n'))]),
      { store, format: 'shopify', bin: 'MAIN/CATALOG' },
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
      taken: { products: 80 },
      notes: [{ outcome: 'refused', line: 82, reason: 'the product has more than 8000000 characters' }],
    });
    expect(
      await database.query(
        'SELECT count(*)::int, min(length(description)) AS shortest FROM products WHERE length(description) > 1000',
      ),
    ).toEqual([{ count: 80, shortest: 90_000 }]);
  }, 60_000);
});
