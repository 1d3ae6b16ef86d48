import { randomBytes } from 'node:crypto';
import { DataCipher, MaintenanceConnection, PostgresStockLedger } from '@app/infrastructure';
import {
  type CatalogFormatName,
  type CatalogImport,
  ImportStopped,
  importCatalog,
  withBundleImporter,
} from '@app/import';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const cipher = new DataCipher([Buffer.alloc(32, 7)]);
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** A store of its own for a test. */
async function aStore(): Promise<string> {
  const subdomain = `s${randomBytes(4).toString('hex')}`;
  await withBundleImporter(database.url, cipher, (importer) =>
    importer.importObjects([{ kind: 'store', subdomain, name: 'Acme', currency: 'USD' }]),
  );
  return subdomain;
}

const importer =
  (format: CatalogFormatName) =>
  (store: string, csv: string | Uint8Array, more: Partial<CatalogImport> = {}) =>
    importCatalog(database.url, cipher, bytesOf(csv), { store, format, bin: 'MAIN/CATALOG', ...more });
const importShopify = importer('shopify');
const importWoo = importer('woocommerce');

/** In small pieces, so that lines and letters are cut anywhere. */
async function* bytesOf(csv: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(csv);
  for (let start = 0; start < bytes.length; start += 997)
    yield await Promise.resolve(bytes.subarray(start, start + 997));
}

const PRODUCTS = `
  SELECT p.id, p.slug, p.sku, p.name, p.price::int, p.status, p.featured, p.description, b.slug AS brand,
    jsonb_path_query_array(p.images, '$[*].url') AS images, p.specifications,
    ARRAY(SELECT c.slug FROM product_categories pc JOIN categories c ON c.store_id = pc.store_id AND c.id = pc.category_id
      WHERE pc.store_id = p.store_id AND pc.product_id = p.id ORDER BY c.slug) AS categories
  FROM products p JOIN stores s ON s.id = p.store_id AND s.subdomain = $1
  LEFT JOIN brands b ON b.store_id = p.store_id AND b.id = p.brand_id ORDER BY p.slug`;
const SELLABLES = `
  SELECT p.slug, v.sku, v.name, v.price::int, v.attributes, v.status, stock.quantity
  FROM products p JOIN stores s ON s.id = p.store_id AND s.subdomain = $1
  LEFT JOIN product_variants v ON v.store_id = p.store_id AND v.product_id = p.id
  LEFT JOIN stock ON stock.store_id = p.store_id AND stock.product_id = p.id AND stock.variant_key = coalesce(v.id, 0)
  ORDER BY p.slug, v.position, v.sku`;
const OPTIONS = `
  SELECT v.sku, v.attribute_names, v.attributes FROM product_variants v
  JOIN stores s ON s.id = v.store_id AND s.subdomain = $1 ORDER BY v.position`;
async function setStock(subdomain: string, product: string, quantity: number): Promise<void> {
  const [store] = await database.query<{ id: number }>('SELECT id FROM stores WHERE subdomain = $1', [subdomain]);
  const ledger = new PostgresStockLedger(new MaintenanceConnection(database.url));
  await ledger.setQuantity(store?.id ?? 0, { product, variant: null, bin: 'MAIN/CATALOG' }, quantity);
}

const STORED_UNITS = `
  SELECT sum(stock.quantity)::int AS units FROM stock JOIN stores s ON s.id = stock.store_id AND s.subdomain = $1`;
const MOVEMENTS = `
  SELECT kind, m.quantity FROM stock_movements m JOIN stores s ON s.id = m.store_id AND s.subdomain = $1 ORDER BY m.id`;

const SHOPIFY_HEADER =
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,' +
  'Variant SKU,Variant Inventory Qty,Variant Price,Variant Compare At Price,Image Src,Image Position,Variant Image,Status';
const shopifyRow = (cells: Record<string, string>) =>
  SHOPIFY_HEADER.split(',')
    .map((header) => `"${(cells[header] ?? '').replaceAll('"', '""')}"`)
    .join(',');
const shopifyFile = (...rows: Record<string, string>[]) => [SHOPIFY_HEADER, ...rows.map(shopifyRow)].join('\n');
const aMug = { Handle: 'mug', Title: 'Mug', 'Variant Price': '9.90' };

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

describe('a Shopify export', () => {
  it('becomes products, variants, images, a brand, a category and stock', async () => {
    const store = await aStore();
    const csv = `\ufeff${shopifyFile(...SHIRT, { ...aMug, 'Option1 Value': 'Default Title', 'Variant SKU': 'M-1' })}`;

    const report = await importShopify(store, csv.replaceAll(/(?<!\r)\n/g, '\r\n'));

    const [mug, shirt] = await database.query(PRODUCTS, [store]);
    expect(mug).toMatchObject({ slug: 'mug', sku: 'M-1', price: 990, status: 'ACTIVE', brand: null, categories: [] });
    expect(shirt).toMatchObject({
      ...{ slug: 'shirt', name: '=HYPERLINK("x")', price: 2_000, status: 'ACTIVE', description: DESCRIPTION },
      ...{ brand: 'angstrom-co', categories: ['tops'] },
      images: ['https://x.test/first.png', 'https://x.test/a,b.png?v=1', 'https://x.test/b'],
    });
    expect((await database.query(SELLABLES, [store])).slice(1)).toEqual([
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
      // The description of the line before spans three.
      notes: [{ outcome: 'changed', line: 5, reason: 'Variant Inventory Qty is negative, and taken as 0' }],
    });
  });

  it('keeps the order of the options, and keeps options apart that differ in case only', async () => {
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
    expect(await database.query(OPTIONS, [store])).toEqual(
      expect.arrayContaining([
        { sku: 'cap-red-m-fc477a26', attribute_names: ['Color', 'Size'], attributes: { Color: 'Red', Size: 'M' } },
        { sku: 'cap-red-m-8b0c4c38', attribute_names: ['Color', 'Size'], attributes: { Color: 'Red', Size: 'm' } },
        { sku: 'cap-blue-l', attribute_names: ['Color', 'Size'], attributes: { Color: 'Blue', Size: 'L' } },
        { sku: 'L-1', attribute_names: ['Mount', 'mount'], attributes: { Mount: 'K', mount: 'k' } },
      ]),
    );
  });

  it('keeps two options of one name', async () => {
    const store = await aStore();
    const cap = { Handle: 'cap', Title: 'Cap', 'Option1 Name': 'Size', 'Option2 Name': 'Size', 'Variant Price': '5' };

    await importShopify(
      store,
      shopifyFile({ ...cap, 'Option1 Value': 'Head', 'Option2 Value': 'Brim', 'Variant SKU': 'C-1' }),
    );

    expect(await database.query(OPTIONS, [store])).toEqual([
      { sku: 'C-1', attribute_names: ['Size', 'Size (2)'], attributes: { Size: 'Head', 'Size (2)': 'Brim' } },
    ]);
  });

  it('updates what it has made: ids stay, stock is counted anew through the ledger', async () => {
    const store = await aStore();
    await importShopify(store, shopifyFile({ ...aMug, 'Variant Inventory Qty': '5' }));
    const before = await database.query(PRODUCTS, [store]);

    const same = await importShopify(store, shopifyFile({ ...aMug, 'Variant Inventory Qty': '5' }));
    const changed = await importShopify(store, shopifyFile({ ...aMug, Title: 'Cup', 'Variant Inventory Qty': '3' }));

    expect(same.counts.product).toEqual({ created: 0, updated: 0, unchanged: 1 });
    expect(changed.counts).toMatchObject({ product: { created: 0, updated: 1 }, stock: { updated: 1 } });
    expect(await database.query(PRODUCTS, [store])).toEqual([{ ...before[0], name: 'Cup' }]);
    expect(await database.query(MOVEMENTS, [store])).toEqual([
      { kind: 'OPENING', quantity: 5 },
      { kind: 'ADJUSTMENT', quantity: -2 },
    ]);
  });

  describe('of which variants are gone', () => {
    const aTee = { Handle: 'tee', Title: 'Tee', 'Option1 Name': 'Size', 'Variant Price': '9' };
    const small = { ...aTee, 'Option1 Value': 'S', 'Variant Inventory Qty': '3' };
    const medium = { ...aTee, 'Option1 Value': 'M', 'Variant Inventory Qty': '4' };

    it('empties their bin through the ledger, so that the product has what can be bought of it', async () => {
      const store = await aStore();
      await importShopify(store, shopifyFile(small, medium));
      const withSkus = shopifyFile({ ...small, 'Variant SKU': 'TEE-S' }, { ...medium, 'Variant SKU': 'TEE-M' });

      const dry = await importShopify(store, withSkus, { dryRun: true });
      const report = await importShopify(store, withSkus);
      const again = await importShopify(store, withSkus);

      const sellables = await database.query<{ sku: string; status: string; quantity: number }>(SELLABLES, [store]);
      expect(sellables.map(({ sku, status, quantity }) => `${sku} ${status} ${quantity}`).toSorted()).toEqual([
        'TEE-M ACTIVE 4',
        'TEE-S ACTIVE 3',
        'tee-m INACTIVE 0',
        'tee-s INACTIVE 0',
      ]);
      const movements = await database.query<{ kind: string; quantity: number }>(MOVEMENTS, [store]);
      expect(movements.map(({ kind, quantity }) => `${kind} ${quantity}`).toSorted()).toEqual(
        ['OPENING 3', 'OPENING 4', 'OPENING 3', 'OPENING 4', 'ADJUSTMENT -3', 'ADJUSTMENT -4'].toSorted(),
      );
      expect(report).toMatchObject({ taken: { units: 7 }, counts: { stock: { created: 2, updated: 2 } } });
      expect(dry).toEqual({ ...report, dryRun: true });
      expect(again.counts.stock).toEqual({ created: 0, updated: 0, unchanged: 2 });
    });

    it('empties it also of a product that had no variants', async () => {
      const store = await aStore();
      await importShopify(store, shopifyFile({ ...aMug, 'Variant Inventory Qty': '7' }));

      await importShopify(store, shopifyFile({ ...small, Handle: 'mug' }, { ...medium, Handle: 'mug' }));

      expect(await database.query(STORED_UNITS, [store])).toEqual([{ units: 7 }]);
    });

    it('leaves what somebody has counted of a product whose variants the file does not count', async () => {
      const store = await aStore();
      const uncounted = shopifyFile({ ...small, 'Variant Inventory Qty': '' });
      await importShopify(store, uncounted);
      await setStock(store, 'tee', 5);

      await importShopify(store, uncounted);

      expect(await database.query(STORED_UNITS, [store])).toEqual([{ units: 5 }]);
    });

    it('leaves other bins alone, and its own when stock is to be left', async () => {
      const store = await aStore();
      await importShopify(store, shopifyFile(small, medium));
      await importShopify(store, shopifyFile(small, medium), { bin: 'MAIN/SHELF' });

      await importShopify(store, shopifyFile(small), { bin: null });
      expect(await database.query(STORED_UNITS, [store])).toEqual([{ units: 14 }]);
      await importShopify(store, shopifyFile(small));
      expect(await database.query(STORED_UNITS, [store])).toEqual([{ units: 10 }]);
    });
  });

  it('leaves stock alone when asked to, and what the file has no column for', async () => {
    const store = await aStore();
    await importShopify(store, shopifyFile({ ...aMug, Vendor: 'Fernweh', 'Variant Inventory Qty': '5' }));

    await importShopify(store, 'Handle,Title,Variant Price,Variant Inventory Qty\nmug,Mug,8,1', { bin: null });

    expect(await database.query(SELLABLES, [store])).toEqual([expect.objectContaining({ quantity: 5 })]);
    expect(await database.query(PRODUCTS, [store])).toEqual([
      expect.objectContaining({ price: 800, brand: 'fernweh' }),
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a currency sign', { 'Variant Price': '$9.90' }, 'Variant Price must be a plain number, without a currency'],
    ['a thousands separator', { 'Variant Price': '1,234.50' }, 'Variant Price must have no thousands separator'],
    ['a decimal comma', { 'Variant Price': '9,90' }, 'and a point before the decimals'],
    ['a negative price', { 'Variant Price': '-1' }, 'Variant Price is negative'],
    ['no price', { 'Variant Price': '' }, 'Variant Price is missing'],
    ['too high a price', { 'Variant Price': '600000000' }, 'Variant Price must not be higher'],
    ['half a piece', { 'Variant Inventory Qty': '1.5' }, 'Variant Inventory Qty must be a whole number'],
    ['more than a bin can count', { 'Variant Inventory Qty': '3000000000' }, 'stock.quantity must be an integer'],
    ['NUL', { Title: 'M\0ug' }, 'Title has a control character'],
    ['an escape sequence', { 'Body (HTML)': '\x1b[2J' }, 'Body (HTML) has a control character'],
    ['an endless name', { Title: 'x'.repeat(501) }, 'product.name must have at most 500 characters'],
    ['an unknown status', { Status: 'gone' }, 'Status must be active, draft, archived or unlisted'],
  ])('refuses a product with %s by its line, and takes the others', async (_, fault, reason) => {
    const store = await aStore();

    const report = await importShopify(store, shopifyFile(...SHIRT, { ...aMug, ...fault }, { ...aMug, Handle: 'cup' }));

    const notes = report.notes.filter(({ outcome }) => outcome === 'refused');
    expect(notes).toEqual([{ outcome: 'refused', line: 7, reason: expect.stringContaining(reason) as string }]);
    expect((await database.query(PRODUCTS, [store])).map(({ slug }) => slug)).toEqual(['cup', 'shirt']);
  });

  it('tells of a price that has more decimals than the currency', async () => {
    const csv = shopifyFile(
      { ...aMug, 'Variant Price': '1.999' },
      { ...aMug, Handle: 'cup', 'Variant Price': '9.900' },
    );

    const report = await importShopify(await aStore(), csv);

    expect(report.notes).toEqual([{ outcome: 'changed', line: 2, reason: 'the price 1.999 is taken as 2.00 USD' }]);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['with semicolons', 'Handle;Title;Variant Price\nmug;Mug;9', 'The fields of the file are separated by semicolons'],
    ['without its columns', 'Handle,Price,Name\na,1,b', 'The file has no column "Title".'],
    ['with a column twice', 'Handle,Title,Variant Price,Title\na,b,1,c', 'The file has the column "Title" twice.'],
    ['with a row cut short', `${shopifyFile(aMug)}\ncup,Cup`, 'line 3: has 2 fields, the first line 19'],
    ['with an open quotation mark', `${shopifyFile(aMug)}\n"cup`, 'line 3: has a quotation mark that is never closed'],
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from(`${shopifyFile(aMug)}\n`), Buffer.from('caf\xe9', 'latin1')]),
      'line 3: is not UTF-8 text',
    ],
    ['that is empty', '', 'The file is empty.'],
  ])('writes nothing of a file %s', async (_, csv, message) => {
    const store = await aStore();

    await expect(importShopify(store, csv)).rejects.toThrow(message);

    expect(await database.query(PRODUCTS, [store])).toEqual([]);
  });

  it('says the same in a dry run, and writes nothing', async () => {
    const store = await aStore();
    const csv = shopifyFile(...manyMugs(700), ...SHIRT, { ...aMug, 'Variant Price': 'free' });

    const dry = await importShopify(store, csv, { dryRun: true });

    expect(await database.query(PRODUCTS, [store])).toEqual([]);
    expect(await database.query(MOVEMENTS, [store])).toEqual([]);
    expect(await importShopify(store, csv)).toEqual({ ...dry, dryRun: false });
  });

  it('is completed by another import when it is cut off in the middle', async () => {
    const store = await aStore();
    const csv = shopifyFile(...manyMugs(700));
    await database.query(`CREATE FUNCTION refuse_mug() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF new.slug = 'mug-650' THEN RAISE 'cut off'; END IF; RETURN new; END $$`);
    await database.query(
      'CREATE TRIGGER refuse_mug BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION refuse_mug()',
    );
    await expect(importShopify(store, csv)).rejects.toThrow(ImportStopped);
    await database.query('DROP FUNCTION refuse_mug CASCADE');

    const half = await database.query(SELLABLES, [store]);
    expect(half.length).toBeGreaterThan(0);
    expect(half.length).toBeLessThan(700);
    expect(half.filter(({ quantity }) => quantity !== 2)).toEqual([]);

    await importShopify(store, csv);
    expect(await database.query(SELLABLES, [store])).toHaveLength(700);
    expect(await database.query(MOVEMENTS, [store])).toHaveLength(700);
  });
});

const manyMugs = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ ...aMug, Handle: `mug-${n}`, Vendor: `Maker ${n % 7}`, Type: `Type ${n % 5}` },
    ...{ 'Variant Inventory Qty': '2' },
  }));

const WOO_HEADER =
  'ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description,' +
  'Date sale price starts,Date sale price ends,Stock,Sale price,Regular price,Categories,Images,Parent,' +
  'Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s),Meta: _x';
const wooFile = (...rows: Record<string, string>[]) =>
  [
    WOO_HEADER,
    ...rows.map((cells) =>
      WOO_HEADER.split(',')
        .map((header) => `"${(cells[header] ?? '').replaceAll('"', '""')}"`)
        .join(','),
    ),
  ].join('\n');
const aHat = { ID: '7', Type: 'simple', SKU: 'HAT', Name: 'Hat', Published: '1', 'Regular price': '20' };

describe('a WooCommerce export', () => {
  it('becomes products with the variations that name them, wherever they stand', async () => {
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

    const [hat, tee] = await database.query(PRODUCTS, [store]);
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
    expect((await database.query(SELLABLES, [store])).slice(1)).toEqual([
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
      '3 changed Stock is negative, and taken as 0',
      '3 changed an image that is not an http address is left out',
      '6 skipped a grouped product only shows others, which are products themselves',
      '7 skipped an external product is sold somewhere else',
      '8 refused Parent is no product of this file',
    ]);
  });

  it('is read in the language of the shop', async () => {
    const store = await aStore();

    const { refused, ignoredColumns } = await importWoo(
      store,
      'ID,Typ,Artikelnummer,Name,Veröffentlicht,Regulärer Preis,Lager,Übergeordnetes Produkt,Attribut 1 Name,' +
        'Attribut 1 Wert(e),Attribut 12 Name,Attribut 12 Wert(e)\n' +
        '1,variable,TEE,Hemd,1,,,,Farbe,"Rot, Blau",Größe,M\n' +
        '2,variation,TEE-R,,1,25,4,TEE,Farbe,Rot,Größe,M\n',
    );

    expect({ refused, ignoredColumns }).toEqual({ refused: 0, ignoredColumns: [] });
    expect(await database.query(SELLABLES, [store])).toEqual([
      expect.objectContaining({ sku: 'TEE-R', price: 2_500, attributes: { Farbe: 'Rot', Größe: 'M' }, quantity: 4 }),
    ]);
  });

  it('is read with headings of any other language, when they are said to be what they are', async () => {
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
      'The file has no column "Type", "SKU", "Name", "Regular price". It has "Gerð", "Vörunúmer", "Heiti", "Verð", ' +
        '"Eiginleiki 1", which are not known. --columns FILE.json can say what they are.',
    );
    await expect(importWoo(store, csv, { columns: { ...columns, Litur: 'Images' } })).rejects.toThrow(
      'The file has no column "Litur", which --columns names.',
    );
    await expect(importWoo(store, csv, { columns: { ...columns, Verð: 'Price' } })).rejects.toThrow(
      '--columns has "Price" for "Verð", which is no column that is read.',
    );
    await importWoo(store, csv, { columns });

    expect(await database.query(PRODUCTS, [store])).toEqual([expect.objectContaining({ sku: 'H-1', price: 900 })]);
  });

  it('finds a product again by its SKU when it is renamed, and keeps its slug and id', async () => {
    const store = await aStore();
    await importWoo(store, wooFile(aHat));
    const [before] = await database.query(PRODUCTS, [store]);

    await importWoo(store, wooFile({ ...aHat, Name: 'Straw hat' }));

    expect(await database.query(PRODUCTS, [store])).toEqual([{ ...before, name: 'Straw hat' }]);
  });

  it('tells products of one name apart, the same way each time', async () => {
    const store = await aStore();
    const csv = wooFile(aHat, { ...aHat, ID: '8', SKU: 'HAT-2' }, { ...aHat, ID: '9', SKU: '' }, { ...aHat, ID: '10' });

    const first = await importWoo(store, csv);
    const slugs = (await database.query(PRODUCTS, [store])).map(({ slug }) => slug);
    const second = await importWoo(store, csv);

    expect(slugs).toEqual(['hat', 'hat-9', 'hat-hat-2']);
    expect(second.counts.product).toEqual({ created: 0, updated: 0, unchanged: 3 });
    expect(second.notes).toEqual(first.notes);
    expect(first.notes).toEqual([
      { outcome: 'refused', line: 5, reason: 'the product with the SKU "HAT" is on line 2 already' },
    ]);
  });

  describe('of products without SKU', () => {
    const aLamp = { Type: 'simple', Name: 'Desk lamp', Published: '1' };
    const [cheap, dear] = [
      { ...aLamp, ID: '10', 'Regular price': '5', Stock: '3' },
      { ...aLamp, ID: '20', 'Regular price': '90', Stock: '4' },
    ];
    const own = (slug: string, name: string, more: { sku?: string } = {}) => ({ slug, name, price: '1.00', ...more });
    const makeOwn = (store: string, product: ReturnType<typeof own>) =>
      withBundleImporter(database.url, cipher, (importer) =>
        importer.importObjects([{ kind: 'product', store, ...product }]),
      );

    it('takes none for another of its name, whatever else is in the file and in whichever order', async () => {
      const store = await aStore();

      const files = [[dear], [cheap, dear], [dear, cheap], [cheap]];
      for (const file of files) await importWoo(store, wooFile(...file));

      expect(await database.query(PRODUCTS, [store])).toEqual([
        expect.objectContaining({ slug: 'desk-lamp-10', price: 500 }),
        expect.objectContaining({ slug: 'desk-lamp-20', price: 9_000 }),
      ]);
      expect((await database.query(SELLABLES, [store])).map(({ quantity }) => quantity)).toEqual([3, 4]);
    });

    it('knows one again that has got a SKU', async () => {
      const store = await aStore();
      await importWoo(store, wooFile(cheap, dear));
      const [before, other] = await database.query(PRODUCTS, [store]);

      await importWoo(store, wooFile({ ...cheap, SKU: 'LAMP' }));

      expect(await database.query(PRODUCTS, [store])).toEqual([{ ...before, sku: 'LAMP' }, other]);
    });

    it.each<[string, ReturnType<typeof own>, Record<string, string>, string]>([
      [
        'may be it',
        own('desk-lamp', 'Desk lamp'),
        {},
        'the store has a product "desk-lamp" without SKU, which may be this one or another',
      ],
      [
        'may have had no SKU yet',
        own('desk-lamp', 'Desk lamp'),
        { SKU: 'LAMP' },
        'the store has a product "desk-lamp" without SKU, which may be this one or another',
      ],
      ['has its slug', own('desk-lamp-10', 'Desk lamp 10'), {}, 'the store has another product "desk-lamp-10"'],
      [
        'has its slug and a SKU',
        own('desk-lamp-10', 'Desk lamp', { sku: 'L10' }),
        {},
        'the store has another product "desk-lamp-10"',
      ],
    ])('leaves a product of the store that %s as it is', async (_, product, more, reason) => {
      const store = await aStore();
      await makeOwn(store, product);
      const before = await database.query(PRODUCTS, [store]);

      const report = await importWoo(store, wooFile({ ...cheap, ...more }));

      expect(report.notes).toEqual([
        { outcome: 'refused', line: 2, reason: expect.stringContaining(reason) as string },
      ]);
      expect(await database.query(PRODUCTS, [store])).toEqual(before);
    });

    it('goes on with what an operator has given the SKU that it has in the shop', async () => {
      const store = await aStore();
      await makeOwn(store, own('desk-lamp', 'Desk lamp', { sku: 'LAMP' }));

      await importWoo(store, wooFile({ ...cheap, SKU: 'LAMP' }));

      expect(await database.query(PRODUCTS, [store])).toEqual([
        expect.objectContaining({ slug: 'desk-lamp', price: 500 }),
      ]);
    });

    it('refuses one without ID, too', async () => {
      const report = await importWoo(await aStore(), wooFile({ ...cheap, ID: '' }));

      expect(report.notes).toEqual([
        { outcome: 'refused', line: 2, reason: 'SKU and ID are missing: nothing tells it from others of its name' },
      ]);
    });
  });

  it('has no stock of a variation that is not published', async () => {
    const store = await aStore();
    const tee = { ID: '1', Type: 'variable', SKU: 'TEE', Name: 'Tee', Published: '1', 'Attribute 1 name': 'Size' };
    const size = { Type: 'variation', Parent: 'TEE', 'Regular price': '9', 'Attribute 1 name': 'Size' };
    const small = { ...size, ID: '2', SKU: 'S', 'Attribute 1 value(s)': 'S', Published: '1', Stock: '3' };
    const large = { ...size, ID: '3', SKU: 'L', 'Attribute 1 value(s)': 'L', Published: '1', Stock: '4' };
    await importWoo(store, wooFile(tee, small, large));

    await importWoo(store, wooFile(tee, small, { ...large, Published: '0' }));

    expect(await database.query(STORED_UNITS, [store])).toEqual([{ units: 3 }]);
  });

  it('makes the bin also when it counts nothing, so that the stock can be set', async () => {
    const store = await aStore();

    const report = await importWoo(store, wooFile(aHat));

    expect(report.counts).toMatchObject({ warehouse: { created: 1 }, bin: { created: 1 } });
    await setStock(store, 'hat', 5);
    expect(await database.query(STORED_UNITS, [store])).toEqual([{ units: 5 }]);
  });

  it.each<[string, Record<string, string>, number]>([
    ['a sale without dates', {}, 1_500],
    [
      'a sale that is on',
      { 'Date sale price starts': '2020-01-01', 'Date sale price ends': '2999-01-01 0:00:00' },
      1_500,
    ],
    ['a sale that is over', { 'Date sale price ends': '2020-01-01' }, 2_000],
    ['a sale to come', { 'Date sale price starts': '2999-01-01' }, 2_000],
  ])('has the price that a buyer pays now: %s', async (_, dates, price) => {
    const store = await aStore();

    await importWoo(store, wooFile({ ...aHat, 'Sale price': '15', ...dates }));

    expect(await database.query(PRODUCTS, [store])).toEqual([expect.objectContaining({ price })]);
  });

  it.each([
    ['published and shown', '1', 'visible', 'ACTIVE'],
    ['private', '0', 'visible', 'DRAFT'],
    ['a draft', "'-1", 'visible', 'DRAFT'],
    ['hidden', '1', 'hidden', 'DRAFT'],
  ])('takes a product that is %s', async (_, published, visibility, status) => {
    const store = await aStore();

    const { taken } = await importWoo(
      store,
      wooFile({ ...aHat, Published: published, 'Visibility in catalog': visibility }),
    );

    expect(taken).toMatchObject({ products: 1, drafts: status === 'DRAFT' ? 1 : 0 });
    expect(await database.query(PRODUCTS, [store])).toEqual([expect.objectContaining({ status })]);
  });
});

it('knows only stores that exist', async () => {
  await expect(importShopify('nobody', shopifyFile(aMug))).rejects.toThrow('Store nobody not found');
});
