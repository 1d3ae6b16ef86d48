import { SetStock, StockLedger, StoreRepository, VerifyStock, type StockPlace } from '@app/application';
import { NotFound } from '@app/domain';
import { startApi, type RunningApi } from '../support/start-api.js';

const MUG: StockPlace = { product: 'mug', variant: null, bin: 'MAIN/A-1' };
const RED_MUG: StockPlace = { ...MUG, variant: 'mug-red' };
const CUP: StockPlace = { ...MUG, product: 'cup' };

const AT = `
  JOIN products ON products.store_id = place.store_id AND products.id = place.product_id
  JOIN bins ON bins.store_id = place.store_id AND bins.id = place.bin_id
  JOIN warehouses ON warehouses.store_id = bins.store_id AND warehouses.id = bins.warehouse_id
  LEFT JOIN product_variants AS variants ON variants.store_id = place.store_id AND variants.id = place.variant_key
  WHERE place.store_id = $1 AND products.slug = $2 AND variants.sku IS NOT DISTINCT FROM $3
    AND warehouses.code || '/' || bins.code = $4`;
const valuesOf = (storeId: number, { product, variant, bin }: StockPlace) => [storeId, product, variant, bin];

/**
 * In each test, two new stores with product `mug` and its variant `mug-red`, product `cup` without variants, and bins
 * `MAIN/A-1` and `MAIN/A-2`. The second store also has a product `plate`.
 */
describe('StockLedger', () => {
  let api: RunningApi;
  let ledger: StockLedger;
  let stores: StoreRepository;
  let [first, second] = [0, 0];
  beforeAll(async () => {
    api = await startApi();
    ledger = api.app.get(StockLedger, { strict: false });
    stores = api.app.get(StoreRepository, { strict: false });
  });
  beforeEach(async () => {
    // A check of all stores counts what earlier tests left.
    await api.database.query('TRUNCATE stores CASCADE');
    first = await create('first', ['mug', 'cup']);
    second = await create('second', ['mug', 'cup', 'plate']);
  });
  afterAll(() => api.stop());

  const create = async (subdomain: string, slugs: string[]) => {
    const { id } = await stores.create({ subdomain, name: subdomain, currency: 'USD' });
    const add = async (text: string, ...values: unknown[]) =>
      (await api.database.query<{ id: number }>(`${text} RETURNING id`, [id, ...values]))[0]?.id;
    for (const slug of slugs) {
      const product = await add('INSERT INTO products (store_id, slug, name, price) VALUES ($1, $2, $2, 100)', slug);
      if (slug !== 'mug') continue;
      await add(
        `INSERT INTO product_variants (store_id, product_id, sku, name, price) VALUES ($1, $2, 'mug-red', 'Red', 100)`,
        product,
      );
    }
    const warehouse = await add(`INSERT INTO warehouses (store_id, code, name) VALUES ($1, 'MAIN', 'Main')`);
    for (const bin of ['A-1', 'A-2']) {
      await add('INSERT INTO bins (store_id, warehouse_id, code) VALUES ($1, $2, $3)', warehouse, bin);
    }
    return id;
  };
  /** Kind and quantity of each movement, oldest first. */
  const movements = async (storeId: number, place: StockPlace): Promise<string[]> => {
    const rows = await api.database.query<{ movement: string }>(
      `SELECT place.kind || ' ' || place.quantity AS movement FROM stock_movements AS place ${AT} ORDER BY place.id`,
      valuesOf(storeId, place),
    );
    return rows.map(({ movement }) => movement);
  };
  /** Changes a quantity without a movement. */
  const corrupt = (storeId: number, place: StockPlace, quantity: number) =>
    api.database.query(
      `UPDATE stock SET quantity = $5 WHERE (store_id, product_id, variant_key, bin_id) IN (
         SELECT place.store_id, place.product_id, place.variant_key, place.bin_id FROM stock AS place ${AT})`,
      [...valuesOf(storeId, place), quantity],
    );

  it('writes the opening stock, then adjustments, and returns the quantity before', async () => {
    expect(await ledger.setQuantity(first, MUG, 7)).toBeNull();
    expect(await ledger.setQuantity(first, MUG, 5)).toBe(7);
    expect(await ledger.setQuantity(first, MUG, 0)).toBe(5);

    expect(await movements(first, MUG)).toEqual(['OPENING 7', 'ADJUSTMENT -2', 'ADJUSTMENT -5']);
  });

  it('writes no movement when the quantity does not change', async () => {
    await ledger.setQuantity(first, MUG, 7);
    expect(await ledger.setQuantity(first, MUG, 7)).toBe(7);
    expect(await ledger.setQuantity(first, CUP, 0)).toBeNull();
    expect(await ledger.setQuantity(first, CUP, 0)).toBe(0);

    expect(await movements(first, MUG)).toEqual(['OPENING 7']);
    expect(await movements(first, CUP)).toEqual([]);
  });

  it('accepts the largest quantity', async () => {
    await ledger.setQuantity(first, MUG, 2_147_483_647);

    expect(await ledger.setQuantity(first, MUG, 1)).toBe(2_147_483_647);
  });

  it('distinguishes a variant, its product, other bins and other stores', async () => {
    await ledger.setQuantity(first, MUG, 1);
    await ledger.setQuantity(first, RED_MUG, 2);
    await ledger.setQuantity(first, { ...MUG, bin: 'MAIN/A-2' }, 3);
    await ledger.setQuantity(second, MUG, 4);

    expect(await ledger.setQuantity(first, MUG, 1)).toBe(1);
    expect(await ledger.setQuantity(first, RED_MUG, 2)).toBe(2);
    expect(await ledger.setQuantity(first, { ...MUG, bin: 'MAIN/A-2' }, 3)).toBe(3);
    expect(await ledger.setQuantity(second, MUG, 4)).toBe(4);
  });

  it.each<[string, StockPlace]>([
    ['Product plate', { ...MUG, product: 'plate' }],
    ['Variant mug-blue of product mug', { ...MUG, variant: 'mug-blue', bin: 'NORTH/A-1' }],
    ['Variant mug-red of product cup', { ...CUP, variant: 'mug-red' }],
    ['Warehouse NORTH', { ...MUG, bin: 'NORTH/A-9' }],
    ['Bin MAIN/A-9', { ...MUG, bin: 'MAIN/A-9' }],
  ])('rejects an unknown name: %s', async (name, place) => {
    await expect(ledger.setQuantity(first, place, 1)).rejects.toThrow(new NotFound(name));

    expect(await ledger.verify(null)).toEqual({ checked: 0, differences: [] });
  });

  it('finds the bins that differ from the ledger, in one store or in all', async () => {
    await ledger.setQuantity(first, MUG, 1);
    await ledger.setQuantity(first, RED_MUG, 2);
    await ledger.setQuantity(second, CUP, 3);
    expect(await ledger.verify(null)).toEqual({ checked: 3, differences: [] });

    await corrupt(first, RED_MUG, 9);
    await corrupt(second, CUP, 0);

    const red = { ...RED_MUG, store: 'first', quantity: 9, ledger: 2 };
    const cup = { ...CUP, store: 'second', quantity: 0, ledger: 3 };
    expect(await ledger.verify(first)).toEqual({ checked: 2, differences: [red] });
    expect(await ledger.verify(second)).toEqual({ checked: 1, differences: [cup] });
    expect(await ledger.verify(null)).toEqual({ checked: 3, differences: [red, cup] });
  });

  it('works in the use cases, which name the store by its subdomain', async () => {
    const [set, verify] = [new SetStock(stores, ledger), new VerifyStock(stores, ledger)];

    expect(await set.execute({ ...MUG, store: 'second', quantity: 6 })).toBeNull();

    expect(await verify.execute('second')).toEqual({ checked: 1, differences: [] });
    expect(await verify.execute('first')).toEqual({ checked: 0, differences: [] });
    expect(await verify.execute(null)).toEqual({ checked: 1, differences: [] });
    await expect(set.execute({ ...MUG, store: 'third', quantity: 6 })).rejects.toThrow(new NotFound('Store third'));
    await expect(verify.execute('third')).rejects.toThrow(new NotFound('Store third'));
  });
});
