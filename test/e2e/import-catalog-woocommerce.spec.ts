import { aHat, wooFile } from '../builders/catalog-csv.js';
import { catalogImports } from '../support/catalog-imports.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { aStore, addProduct, importWoo, products, sellables } = catalogImports(() => database);

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
