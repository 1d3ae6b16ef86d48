import type { BundleLine } from './bundle-line.js';
import { convert, type Conversion } from './convert.js';
import { linesOfProduct } from './product-lines.js';
import { emptyReport, type Note } from './report.js';
import { shopify } from './shopify.js';
import { wooCommerce } from './woocommerce.js';
import { COLUMN_OF, plainHeading } from './woocommerce-headings.js';

type Cells = Record<string, string>;

const csv = (header: string, rows: readonly Cells[]) => {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const names = header.split(',');
  return [header, ...rows.map((cells) => names.map((name) => quoted(cells[name] ?? '')).join(','))].join('\n');
};

const shopifyFile = (...rows: Cells[]) =>
  csv(
    'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,' +
      'Variant SKU,Variant Inventory Qty,Variant Price,Image Src,Image Position,Variant Image,Status',
    rows,
  );
const wooFile = (...rows: Cells[]) =>
  csv(
    'ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description,' +
      'Date sale price starts,Date sale price ends,Stock,Sale price,Regular price,Categories,Images,Parent,' +
      'Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s),Meta: _x',
    rows,
  );
const aMug = { Handle: 'mug', Title: 'Mug', 'Variant Price': '9.90' };
const aHat = { ID: '7', Type: 'simple', SKU: 'HAT', Name: 'Hat', Published: '1', 'Regular price': '20' };

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  const bytes = Buffer.from(text as string);
  // The chunks split lines and letters anywhere.
  for (let start = 0; start < bytes.length; start += 97) yield bytes.subarray(start, start + 97);
}

async function converted(format: Conversion['format'], file: string | Uint8Array, more: Partial<Conversion> = {}) {
  const notes: Note[] = [];
  const report = emptyReport();
  const options = {
    ...{ format, open: () => bytesOf(file), store: 'acme', bin: 'MAIN/CATALOG', createsBin: false },
    ...{ now: new Date(), report, noted: (note: Note) => notes.push(note), ...more },
  };
  const lines: BundleLine[] = [];
  for await (const line of convert(options)) lines.push(line);
  const of = (kind: BundleLine['kind']) => lines.filter((line) => line.kind === kind);
  const said = notes.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason}`);
  return { lines, said, report, products: of('product'), stock: of('stock') };
}
const fromShopify = (file: string | Uint8Array, more?: Partial<Conversion>) => converted(shopify, file, more);
const fromWoo = (file: string, more?: Partial<Conversion>) => converted(wooCommerce, file, more);

const DESCRIPTION = '<p class="x">Warm\r\n\r\n& “soft”</p><script>alert(1)</script>';
const SHIRT: Cells[] = [
  {
    ...{ Handle: 'shirt', Title: '=HYPERLINK("x")', 'Body (HTML)': DESCRIPTION, Vendor: 'Ångström & Co', Type: 'Tops' },
    ...{ Published: 'true', 'Option1 Name': 'Size', 'Option1 Value': 'S', 'Option2 Name': 'Color' },
    ...{ 'Option2 Value': 'Red', 'Variant SKU': 'SH-S', 'Variant Inventory Qty': '4', 'Variant Price': '25.50' },
    ...{ 'Variant Image': 'https://x.test/b', 'Image Src': 'https://x.test/a,b.png?v=1', 'Image Position': '2' },
  },
  {
    ...{ Handle: 'shirt', 'Option1 Value': 'M', 'Option2 Value': 'Red' },
    ...{ 'Variant Inventory Qty': '-3', 'Variant Price': '20' },
  },
  { Handle: 'shirt', 'Image Src': 'https://x.test/first.png', 'Image Position': '1' },
];

describe('a Shopify export', () => {
  it('becomes products with variants, images, a brand, a category and stock', async () => {
    const mug = { ...aMug, 'Option1 Value': 'Default Title', 'Variant SKU': 'M-1' };
    const file = `\ufeff${shopifyFile(...SHIRT, mug)}`.replaceAll(/(?<!\r)\n/g, '\r\n');

    const { lines, report, said } = await fromShopify(file, { createsBin: true });

    const acme = { store: 'acme' };
    expect(lines).toEqual([
      { kind: 'warehouse', ...acme, code: 'MAIN', name: 'MAIN' },
      { kind: 'bin', ...acme, warehouse: 'MAIN', code: 'CATALOG' },
      { kind: 'brand', ...acme, slug: 'angstrom-co', name: 'Ångström & Co' },
      { kind: 'category', ...acme, slug: 'tops', name: 'Tops' },
      expect.objectContaining({
        ...{ kind: 'product', ...acme, slug: 'shirt', name: '=HYPERLINK("x")', price: '20', status: 'ACTIVE', sku: '' },
        ...{ description: DESCRIPTION, brand: 'angstrom-co', categories: ['tops'] },
        images: [
          { url: 'https://x.test/first.png', alt: '' },
          { url: 'https://x.test/a,b.png?v=1', alt: '' },
          { url: 'https://x.test/b', alt: '' },
        ],
        variants: [
          expect.objectContaining({ sku: 'SH-S', name: 'S / Red', price: '25.50', status: 'ACTIVE' }),
          expect.objectContaining({ sku: 'shirt-m-red', attributes: { Size: 'M', Color: 'Red' }, price: '20' }),
        ],
      }),
      { kind: 'stock', ...acme, bin: 'MAIN/CATALOG', product: 'shirt', variant: 'SH-S', quantity: 4 },
      { kind: 'stock', ...acme, bin: 'MAIN/CATALOG', product: 'shirt', variant: 'shirt-m-red', quantity: 0 },
      expect.objectContaining({ slug: 'mug', sku: 'M-1', brand: null, categories: [], variants: [] }),
    ]);
    const ignoredColumns = ['Tags'];
    expect(report).toMatchObject({
      rows: 4,
      products: 2,
      variants: 2,
      images: 3,
      units: 4,
      uncounted: 1,
      ignoredColumns,
    });
    // The description of the product spans three lines.
    expect(said).toEqual(['5 changed Variant Inventory Qty is negative and is read as 0']);
  });

  it('keeps the order of options, and options apart that differ only in case or have one name', async () => {
    const cap = { Handle: 'cap', Title: 'Cap', 'Option1 Name': 'Color', 'Option2 Name': 'Size', 'Variant Price': '5' };
    const lens = { Handle: 'lens', Title: 'Lens', 'Option1 Name': 'Mount', 'Variant Price': '9', 'Variant SKU': 'L-1' };

    const { products } = await fromShopify(
      shopifyFile(
        { ...cap, 'Option1 Value': 'Red', 'Option2 Value': 'M' },
        { Handle: 'cap', 'Option1 Value': 'Red', 'Option2 Value': 'm', 'Variant Price': '5' },
        { Handle: 'cap', 'Option1 Value': 'Blue', 'Option2 Value': 'L', 'Variant Price': '5' },
        { ...lens, 'Option2 Name': 'Mount', 'Option1 Value': 'K', 'Option2 Value': 'k' },
      ),
    );

    const variants = products.flatMap((line) => line['variants'] as { sku: string; attributes: Cells }[]);
    expect(variants.map(({ sku, attributes }) => [sku, JSON.stringify(attributes)])).toEqual([
      ['cap-red-m-fc477a26', '{"Color":"Red","Size":"M"}'],
      ['cap-red-m-8b0c4c38', '{"Color":"Red","Size":"m"}'],
      ['cap-blue-l', '{"Color":"Blue","Size":"L"}'],
      ['L-1', '{"Mount":"K","Mount (2)":"k"}'],
    ]);
  });

  it.each<[string, Cells, string]>([
    ['a currency sign', { 'Variant Price': '$9.90' }, 'Variant Price must be a plain number, without a currency'],
    ['a thousands separator', { 'Variant Price': '1,234.50' }, 'Variant Price must have no thousands separator'],
    ['a decimal comma', { 'Variant Price': '9,90' }, 'and a point before the decimals'],
    ['a negative price', { 'Variant Price': '-1' }, 'Variant Price is negative'],
    ['no price', { 'Variant Price': '' }, 'Variant Price is missing'],
    ['the number of an article as price', { 'Variant Price': '4006381333931' }, 'Variant Price must not be higher'],
    ['half a unit', { 'Variant Inventory Qty': '1.5' }, 'Variant Inventory Qty must be a whole number'],
    ['more units than a bin can hold', { 'Variant Inventory Qty': '3000000000' }, 'stock.quantity must be <='],
    ['a NUL', { Title: 'M\0ug' }, 'Title has a control character'],
    ['an escape sequence', { 'Body (HTML)': '\x1b[2J' }, 'Body (HTML) has a control character'],
    ['a name of 501 characters', { Title: 'x'.repeat(501) }, 'product.name must NOT have more than 500 characters'],
    ['an unknown status', { Status: 'gone' }, 'Status must be active, draft, archived or unlisted'],
  ])('with %s: the product is refused with its line, and the others are converted', async (_, fault, reason) => {
    const file = shopifyFile(...SHIRT, { ...aMug, ...fault }, { ...aMug, Handle: 'cup' });

    const { said, products, report } = await fromShopify(file);

    const refused = said.filter((note) => note.includes('refused'));
    expect(refused).toEqual([expect.stringMatching(/^7 refused /)]);
    expect(refused[0]).toContain(reason);
    expect(products.map(({ slug }) => slug)).toEqual(['shirt', 'cup']);
    expect(report.refused).toBe(1);
  });

  it('has a note for a price with more than two decimals', async () => {
    const cup = { ...aMug, Handle: 'cup', 'Variant Price': '9.900' };

    const { said } = await fromShopify(shopifyFile({ ...aMug, 'Variant Price': '1.999' }, cup));

    expect(said).toEqual([
      '2 changed the price 1.999 has more than two decimals: the import refuses it unless the currency has them',
    ]);
  });

  it.each<[string, string | Uint8Array, string]>([
    ['without its columns', 'Handle,Price,Name\na,1,b', 'The file has no column "Title".'],
    ['with another separator', 'Handle|Title|Variant Price\na|b|1', 'Commas, semicolons or tabs separate columns'],
    ['with a column twice', 'Handle,Title,Variant Price,Title\na,b,1,c', 'The file has the column "Title" twice.'],
    ['with a row cut short', `${shopifyFile(aMug)}\ncup,Cup`, 'line 3: has 2 fields, the first line 18'],
    ['with an open quotation mark', `${shopifyFile(aMug)}\n"cup`, 'line 3: has a quotation mark that is never closed'],
    ['that is empty', '', 'The file is empty.'],
  ])('%s gives no line', async (_, file, message) => {
    const lines: BundleLine[] = [];
    const reading = (async () => {
      const options = { format: shopify, open: () => bytesOf(file), store: 'acme', bin: 'W/B', createsBin: true };
      const more = { now: new Date(), report: emptyReport(), noted: () => undefined };
      for await (const line of convert({ ...options, ...more })) lines.push(line);
    })();

    await expect(reading).rejects.toThrow(message);
    expect(lines).toEqual([]);
  });

  it('that a spreadsheet wrote again has notes for the numbers that it shortened', async () => {
    const file =
      'Handle;Title;Variant Price;Variant SKU;Variant Barcode\r\n' +
      'mug;"Café; 2€";9.90;1,2E+12;4,00638E+12\r\ncup;Cup;9.90;E+12;4006381333931\r\n';
    const bytes = Buffer.from(file.replace('€', '\x80'), 'latin1');

    const { products, said } = await fromShopify(bytes, { encoding: 'windows-1252' });

    expect(products.map(({ name, sku }) => [name, sku])).toEqual([
      ['Café; 2€', '1,2E+12'],
      ['Cup', 'E+12'],
    ]);
    expect(said).toEqual([
      '2 reportSuspect Variant SKU "1,2E+12" looks like a number that a spreadsheet has shortened',
      '2 reportSuspect Variant Barcode "4,00638E+12" looks like a number that a spreadsheet has shortened',
    ]);
  });

  it('without a column has no field for it, and no stock without a bin', async () => {
    const file = 'Handle,Title,Variant Price,Variant Inventory Qty\nmug,Mug,8,1';

    const { lines } = await fromShopify(file, { bin: null, createsBin: true });

    const fields = { slug: 'mug', sku: '', name: 'Mug', price: '8', variants: [] };
    expect(JSON.parse(JSON.stringify(lines))).toEqual([{ kind: 'product', store: 'acme', ...fields }]);
  });

  it('has each brand and category once, and a note for another spelling', async () => {
    const file = shopifyFile({ ...aMug, Vendor: 'Acme' }, { ...aMug, Handle: 'cup', Vendor: 'ACME' });

    const { lines, said } = await fromShopify(file);

    expect(lines.map(({ kind }) => kind)).toEqual(['brand', 'product', 'product']);
    expect(said).toEqual(['3 changed the brand "ACME" is read as "Acme"']);
  });

  it('refuses a product of more than 8,000,000 characters', () => {
    const product = { line: 2, slug: 'atlas', name: 'Atlas', price: '9.90', variants: [], quantity: null };
    const images = [{ url: `https://x.test/${'x'.repeat(8_000_000)}` }];

    expect(() => linesOfProduct({ ...product, images }, { store: 'acme', bin: null })).toThrow(
      'the product has more than 8000000 characters',
    );
  });
});

describe('a WooCommerce export', () => {
  const size = { 'Attribute 1 name': 'Size', 'Attribute 2 name': 'Fabric' };
  const aTee = { ID: '1', Type: 'variable', SKU: 'TEE', Name: 'Tee', Published: '1' };
  const aVariation = { Type: 'variation', Parent: 'TEE', Published: '1', 'Regular price': '30' };

  it('becomes products with their variations, in any order of the lines', async () => {
    const { products, stock, said, report } = await fromWoo(
      wooFile(
        { ...aVariation, ID: '2', SKU: 'TEE-L', Stock: '6', ...size, 'Attribute 1 value(s)': 'L' },
        { ...aHat, 'Is featured?': '1', Stock: "'-2", Images: 'https://x.test/1.png, https://x.test/2.png, hat.png' },
        {
          ...{ ...aTee, Categories: 'Men > Shirts, Women > Shirts, Tom\\, Dick', ...size },
          ...{ 'Attribute 1 value(s)': 'L, M', 'Attribute 2 value(s)': 'Cotton' },
        },
        {
          ...{ ...aVariation, ID: '3', Type: 'variation, virtual', Parent: 'id:1', Stock: '4', 'Sale price': '25' },
          ...{ ...size, 'Attribute 1 value(s)': 'M' },
        },
        { ID: '4', Type: 'grouped', Name: 'Both', Published: '1' },
        { ID: '5', Type: 'external', Name: 'Elsewhere', Published: '1', 'Regular price': '1' },
        { ID: '6', Type: 'variation', Parent: 'id:99', Published: '1', 'Regular price': '1' },
      ),
    );

    expect(products).toEqual([
      expect.objectContaining({
        ...{ slug: 'tee', price: '25', categories: ['men--shirts', 'women--shirts', 'tom-dick'] },
        specifications: [{ name: 'Fabric', value: 'Cotton' }],
        variants: [
          expect.objectContaining({ sku: 'TEE-L', price: '30', attributes: { Size: 'L' } }),
          expect.objectContaining({ sku: 'tee-m', price: '25', attributes: { Size: 'M' } }),
        ],
      }),
      expect.objectContaining({
        ...{ slug: 'hat', sku: 'HAT', name: 'Hat', featured: true },
        images: [{ url: 'https://x.test/1.png' }, { url: 'https://x.test/2.png' }],
      }),
    ]);
    expect(stock.map(({ product, variant, quantity }) => [product, variant, quantity])).toEqual([
      ['tee', 'TEE-L', 6],
      ['tee', 'tee-m', 4],
      ['hat', undefined, 0],
    ]);
    expect(report).toMatchObject({ refused: 1, skipped: 2, products: 2, units: 10, ignoredColumns: ['Meta: _x'] });
    expect(said).toEqual([
      '3 changed Stock is negative and is read as 0',
      '3 changed an image without an http address is skipped',
      '6 skipped a grouped product only shows others, which are products themselves',
      '7 skipped an external product is sold somewhere else',
      '8 refused Parent is not a product of this file',
    ]);
  });

  it('may have headings in German', async () => {
    const { products, report } = await fromWoo(
      'ID,Typ,Artikelnummer,Name,Veröffentlicht,Regulärer Preis,Lager,Übergeordnetes Produkt,Attribut 1 Name,' +
        'Attribut 1 Wert(e),Attribut 12 Name,Attribut 12 Wert(e)\n' +
        '1,variable,TEE,Hemd,1,,,,Farbe,"Rot, Blau",Größe,M\n' +
        '2,variation,TEE-R,,1,25,4,TEE,Farbe,Rot,Größe,M\n',
    );

    expect(report).toMatchObject({ refused: 0, ignoredColumns: [], units: 4 });
    expect(products[0]?.['variants']).toMatchObject([{ sku: 'TEE-R', attributes: { Farbe: 'Rot', Größe: 'M' } }]);
  });

  it('may have headings that --columns maps', async () => {
    const names = { Gerð: 'Type', Vörunúmer: 'SKU', Heiti: 'Name', Verð: 'Regular price' };
    const file = 'Gerð,Vörunúmer,Heiti,Verð\nsimple,H-1,Hattur,9\n';

    await expect(fromWoo(file)).rejects.toThrow(
      'The file has no column "Type", "SKU", "Name", "Regular price". Unknown columns: "Gerð", "Vörunúmer", ' +
        '"Heiti", "Verð". --columns FILE.json can map them.',
    );
    await expect(fromWoo(file, { columns: { ...names, Litur: 'Images' } })).rejects.toThrow(
      'The file has no column "Litur", which --columns names.',
    );
    await expect(fromWoo(file, { columns: { ...names, Verð: 'Price' } })).rejects.toThrow(
      '--columns maps "Verð" to "Price", which the converter does not read.',
    );
    const { products } = await fromWoo(file, { columns: names });

    expect(products).toEqual([expect.objectContaining({ sku: 'H-1', price: '9' })]);
  });

  it.each<[string, Cells[], (string | undefined)[]]>([
    ['the SKU, whatever the name', [aHat, { ...aHat, ID: '8', SKU: 'B 2', Name: 'Hat' }], ['hat', 'b-2']],
    ['the name and the ID without a SKU', [{ ...aHat, SKU: '' }], ['hat-7']],
  ])('gives products slugs of %s', async (_, rows, slugs) => {
    const { products } = await fromWoo(wooFile(...rows));

    expect(products.map(({ slug }) => slug)).toEqual(slugs);
  });

  it.each<[string, Cells[], string[]]>([
    [
      'one SKU',
      [aHat, { ...aHat, ID: '8' }],
      ['3 refused the SKU "HAT" is already in line 2, which is converted instead'],
    ],
    [
      'one ID',
      [aHat, { ...aHat, SKU: 'CAP' }],
      ['3 refused the ID "7" is already in line 2, which is converted instead'],
    ],
    [
      'SKUs that make one slug',
      [aHat, { ...aHat, ID: '8', SKU: 'Hat!' }],
      ['3 refused the slug "hat" is already in line 2, which is converted instead'],
    ],
    [
      'one SKU, the first of them refused',
      [
        { ...aHat, 'Regular price': '-1' },
        { ...aHat, ID: '8' },
      ],
      ['2 refused Regular price is negative'],
    ],
    [
      'one SKU, the first of them with variations at the end',
      [aTee, { ...aHat, SKU: 'TEE' }, { ...aVariation, SKU: 'TEE-S' }],
      ['3 refused the SKU "TEE" is already in line 2, which is converted instead'],
    ],
    ['neither SKU nor ID', [{ ...aHat, SKU: '', ID: '' }], ['2 refused SKU and ID are missing: nothing distinguishes']],
  ])('of products with %s gives the first valid one', async (_, rows, notes) => {
    const { said, products } = await fromWoo(wooFile(...rows));

    expect(said.map((note, index) => note.slice(0, notes[index]?.length))).toEqual(notes);
    expect(products).toHaveLength(rows[0]?.['SKU'] === '' ? 0 : 1);
  });

  it('names the first line and the number of the rows that are refused with a variation', async () => {
    const { said } = await fromWoo(wooFile(aTee, aHat, { ...aVariation, SKU: 'TEE-S', 'Regular price': 'free' }));

    expect(said).toEqual([
      '4 refused Regular price must be a plain number, without a currency; ' +
        'none of the 2 rows of this product, from line 2, is converted',
    ]);
  });

  it('empties the bin of a variation that is not published', async () => {
    const { stock } = await fromWoo(wooFile(aTee, { ...aVariation, SKU: 'TEE-S', Stock: '3', Published: '0' }));

    expect(stock).toEqual([expect.objectContaining({ variant: 'TEE-S', quantity: 0 })]);
  });

  it.each<[string, Cells, string]>([
    ['a sale without dates', {}, '15'],
    [
      'a sale that is active',
      { 'Date sale price starts': '2020-01-01', 'Date sale price ends': '2999-01-01 0:00:00' },
      '15',
    ],
    ['a sale that is over', { 'Date sale price ends': '2020-01-01' }, '20'],
    ['a sale in the future', { 'Date sale price starts': '2999-01-01' }, '20'],
  ])('has the current price of a product with %s', async (_, dates, price) => {
    const { products } = await fromWoo(wooFile({ ...aHat, 'Sale price': '15', ...dates }));

    expect(products).toEqual([expect.objectContaining({ price })]);
  });

  it.each([
    ['published and shown', '1', 'visible', 'ACTIVE'],
    ['private', '0', 'visible', 'DRAFT'],
    ['a draft', "'-1", 'visible', 'DRAFT'],
    ['hidden', '1', 'hidden', 'DRAFT'],
  ])('has the status of a product that is %s', async (_, published, visibility, status) => {
    const row = { ...aHat, Published: published, 'Visibility in catalog': visibility };

    const { products, report } = await fromWoo(wooFile(row));

    expect(products).toEqual([expect.objectContaining({ status })]);
    expect(report.drafts).toBe(status === 'DRAFT' ? 1 : 0);
  });
});

describe('headings of a WooCommerce export', () => {
  it('have translations for every column', () => {
    const columns = new Set(COLUMN_OF.values());

    expect([columns.size, columns.has('')]).toEqual([20, false]);
  });

  it.each([
    ['Regulärer Preis', 'price'],
    ['Mis en avant\u00a0?', 'featured'],
    ['Valeur(s) de l’attribut 12 ', 'attribute12value'],
    ['属性 3 の名前', 'attribute3name'],
    ['İsim', 'name'],
    ['Kimlik', 'id'],
    ['Attribute 1 value(s)', 'attribute1value'],
    ['Meta: _x1', null],
    ['constructor', null],
  ])('%s is %j', (heading, column) => {
    expect(wooCommerce.columnOf(heading.toLowerCase())).toBe(column);
    expect(wooCommerce.columnOf(plainHeading(heading))).toBe(column);
  });
});
