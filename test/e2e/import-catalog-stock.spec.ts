import { aHat, aMug, shopifyFile, wooFile } from '../builders/catalog-csv.js';
import { catalogImports } from '../support/catalog-imports.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const { aStore, importShopify, importWoo, setStock, products, sellables, storedUnits, movements } = catalogImports(
  () => database,
);

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
        ['OPENING 3', 'OPENING 4', 'OPENING 3', 'OPENING 4', 'ADJUSTMENT -3', 'ADJUSTMENT -4'].toSorted(),
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
