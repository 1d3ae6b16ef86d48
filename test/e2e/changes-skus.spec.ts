import { anOrderBody } from '../builders/order-body.js';
import { FeedReader } from '../support/feed-reader.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('GET /v1/changes?kinds=skus', () => {
  let api: RunningApi;
  let reader: FeedReader;
  let shelf: number;
  beforeAll(async () => {
    api = await startApi();
  });
  beforeEach(async () => {
    shelf = await api.store.warehouse();
    reader = new FeedReader(api, 'kinds=skus&limit=100');
    await reader.catchUp();
  });
  afterAll(() => api.stop());

  const sql = (text: string, ...values: unknown[]) => api.database.query(text, values);
  /** What the feed has after the statement, sorted. */
  const touched = async (text: string, ...values: unknown[]) => {
    await sql(text, ...values);
    return (await reader.catchUp()).sort();
  };
  /** A product with two active variants that the reader has seen. */
  const aProductWithVariants = async () => {
    const product = await api.store.product();
    const [small, large] = [await api.store.variant(product), await api.store.variant(product)];
    await api.store.stock(product, small, [5, 5]);
    await api.store.stock(product, large, [5], shelf);
    await reader.catchUp();
    return { product, small: `${product}-${small}`, large: `${product}-${large}`, variants: [small, large] };
  };
  const skusOf = (ids: readonly string[]) => ids.map((id) => `skus ${id}`).sort();

  it('begins with the units of the list of SKUs, each as the list returns it', async () => {
    await aProductWithVariants();
    await api.store.product({ stock: 3, price: 1234 });
    await api.store.product({ status: 'DRAFT' });
    const all = new FeedReader(api, 'kinds=skus&limit=2');

    await all.catchUp();

    interface Unit {
      readonly product_id: number;
      readonly variant_id: number | null;
    }
    const listed = (await api.get('/v1/skus?limit=100')).json<{ data: Unit[] }>().data;
    const idOf = ({ product_id: product, variant_id: variant }: Unit) =>
      variant === null ? `${product}` : `${product}-${variant}`;
    const byId = (entries: [string, unknown][]) => Object.fromEntries(entries);
    expect(byId([...all.copy.values()].map(({ id, data }) => [id, data]))).toEqual(
      byId(listed.map((unit) => [idOf(unit), unit])),
    );
  });

  it('has one entry for all orders of a unit, and none for other units of the product', async () => {
    const { product, small, variants } = await aProductWithVariants();
    for (let n = 0; n < 3; n++) {
      const body = anOrderBody(product);
      const items = body.items.map((item) => ({ ...item, variant_id: variants[0] }));
      expect((await api.post('/v1/orders', { ...body, items })).statusCode).toBe(201);
    }

    expect(await reader.catchUp()).toEqual([`skus ${small}`]);
    expect(reader.copy.get(`skus ${small}`)?.data).toMatchObject({ quantity: 7 });
  });

  it('costs an order one row of the log, and one for each unit', async () => {
    const { product, variants } = await aProductWithVariants();
    const body = anOrderBody(product);
    const items = body.items.flatMap((item) => variants.map((variant_id) => ({ ...item, variant_id })));

    expect((await api.post('/v1/orders', { ...body, items })).statusCode).toBe(201);

    const log = 'SELECT kind, unit FROM change_log WHERE store_id = $1 ORDER BY kind, unit';
    expect(await sql(log, api.store.id)).toEqual([
      { kind: 'orders', unit: null },
      ...variants.map((unit) => ({ kind: 'products', unit })),
    ]);
  });

  it('has an entry for the unit alone when an order sells the last one of the product', async () => {
    const product = await api.store.product();
    const last = await api.store.variant(product, { stock: 1 });
    await api.store.variant(product);
    await reader.catchUp();
    const body = anOrderBody(product);
    const items = body.items.map((item) => ({ ...item, variant_id: last }));

    await api.post('/v1/orders', { ...body, items });

    expect(await reader.catchUp()).toEqual([`skus ${product}-${last}`]);
  });

  it.each([
    [
      'new stock',
      `INSERT INTO stock (store_id, bin_id, product_id, variant_id, quantity)
      SELECT store_id, min(id), $1, $2, 9 FROM bins WHERE store_id = (SELECT store_id FROM products WHERE id = $1)
      GROUP BY store_id`,
    ],
    ['a SKU', `UPDATE product_variants SET sku = sku || '+' WHERE product_id = $1 AND id = $2`],
    ['a price', `UPDATE product_variants SET price = price + 1 WHERE product_id = $1 AND id = $2`],
    ['attributes', `UPDATE product_variants SET attributes = '{"Size": "1"}' WHERE product_id = $1 AND id = $2`],
  ])('has an entry for a variant alone after a change of %s', async (_what, text) => {
    const { product, small, variants } = await aProductWithVariants();

    expect(await touched(text, product, variants[0])).toEqual(skusOf([small]));
  });

  it.each(['name', 'slug'])('has an entry for each unit after a change of the %s of the product', async (column) => {
    const { product, small, large } = await aProductWithVariants();
    const single = await api.store.product();
    await reader.catchUp();

    expect(await touched(`UPDATE products SET ${column} = 'n-' || id WHERE id = ANY ($1)`, [product, single])).toEqual(
      skusOf([`${single}`, small, large]),
    );
    const [{ [column]: shown } = {}] = await sql(`SELECT ${column} FROM products WHERE id = $1`, single);
    expect(Object.values(reader.copy.get(`skus ${single}`)?.data ?? {})).toContain(shown);
  });

  it.each([
    ['price', 777],
    ['sku', 'S-1'],
  ])('has an entry for a product without variants after a change of its %s', async (column, value) => {
    const { product } = await aProductWithVariants();
    const single = await api.store.product();
    await reader.catchUp();

    expect(await touched(`UPDATE products SET ${column} = $1 WHERE id = ANY ($2)`, value, [product, single])).toEqual(
      skusOf([`${single}`]),
    );
  });

  it('has a deletion when a variant or a product ceases to be for sale, and an entry when it comes back', async () => {
    const { product, small, large, variants } = await aProductWithVariants();
    const setVariant = 'UPDATE product_variants SET status = $1 WHERE id = $2';
    const setProduct = 'UPDATE products SET status = $1 WHERE id = $2';

    expect(await touched(setVariant, 'INACTIVE', variants[0])).toEqual([`-skus ${small}`, `skus ${large}`]);
    expect(reader.copy.get(`skus ${small}`)).toBeUndefined();
    expect(await touched(setVariant, 'INACTIVE', variants[1])).toContain(`skus ${product}`);
    expect(await touched(setVariant, 'ACTIVE', variants[1])).toEqual(
      expect.arrayContaining([`-skus ${product}`, `skus ${large}`]),
    );
    expect(await touched(setProduct, 'DRAFT', product)).toContain(`-skus ${large}`);
    expect(await touched(setProduct, 'ACTIVE', product)).toContain(`skus ${large}`);
  });

  it('has an entry for each unit of a product that becomes active, and for a new variant without stock', async () => {
    const product = await api.store.product({ status: 'DRAFT' });
    const variant = await api.store.variant(product);
    await reader.catchUp();

    expect(await touched(`UPDATE products SET status = 'ACTIVE' WHERE id = $1`, product)).toEqual(
      skusOf([`${product}-${variant}`]),
    );
    const inserted = `INSERT INTO product_variants (store_id, product_id, sku, name, price) VALUES ($1, $2, 'N', 'N', 1)`;
    const seen = await touched(inserted, api.store.id, product);
    expect(seen).toContain(`skus ${product}-${variant}`);
    expect(seen).toHaveLength(2);
    expect([...reader.copy.values()].map(({ data }) => data?.['sku'])).toContain('N');
  });

  it('has a deletion for each unit of a deleted product', async () => {
    const product = await api.store.product();
    const variant = await api.store.variant(product);
    await sql('DELETE FROM stock WHERE product_id = $1', product);
    await reader.catchUp();

    expect(await touched('DELETE FROM products WHERE id = $1', product)).toEqual([`-skus ${product}-${variant}`]);
  });

  it('has an entry for the units in a warehouse that opens or closes, and in a bin that moves', async () => {
    const { product, large, variants } = await aProductWithVariants();
    const single = await api.store.product();
    await api.store.stock(single, null, [5], shelf);
    await reader.catchUp();

    expect(await touched('UPDATE warehouses SET active = false WHERE id = $1', shelf)).toEqual(
      skusOf([`${single}`, large]),
    );
    expect(reader.copy.get(`skus ${large}`)?.data).toMatchObject({ quantity: 0 });
    const moved = `UPDATE bins SET warehouse_id = (SELECT min(id) FROM warehouses WHERE store_id = $1)
      WHERE store_id = $1 AND id IN (SELECT bin_id FROM stock WHERE product_id = $2 AND variant_id = $3)`;
    expect(await touched(moved, api.store.id, product, variants[1])).toEqual(skusOf([large]));
    expect(reader.copy.get(`skus ${large}`)?.data).toMatchObject({ quantity: 5 });
  });

  it('has an entry for each unit when the currency of the store changes', async () => {
    const { small, large } = await aProductWithVariants();

    expect(await touched(`UPDATE stores SET currency = 'JPY' WHERE id = $1`, api.store.id)).toEqual(
      expect.arrayContaining(skusOf([small, large])),
    );
    expect(reader.copy.get(`skus ${small}`)?.data).toMatchObject({ price: 1000 });
    await touched(`UPDATE stores SET currency = 'USD' WHERE id = $1`, api.store.id);
  });

  it('has no entry for brands, categories, and what only products show', async () => {
    const [brand, category] = [await api.store.brand(), await api.store.category()];
    const product = await api.store.product({ brandId: brand, categoryIds: [category], stock: 1 });
    const variant = await api.store.variant(product);
    await reader.catchUp();

    expect(await touched(`UPDATE brands SET name = 'New' WHERE id = $1`, brand)).toEqual([]);
    expect(await touched(`UPDATE categories SET name = 'New' WHERE id = $1`, category)).toEqual([]);
    expect(await touched('DELETE FROM product_categories WHERE product_id = $1', product)).toEqual([]);
    expect(await touched(`UPDATE products SET description = 'New' WHERE id = $1`, product)).toEqual([]);
    expect(await touched(`UPDATE product_variants SET name = 'New', position = 3 WHERE id = $1`, variant)).toEqual([]);
  });

  it('has no entry for units of a product whose id begins like another', async () => {
    const near = await api.store.product();
    const far = `${near}1`;
    await api.store.product({ columns: { id: far } });
    await reader.catchUp();

    expect(await touched(`UPDATE products SET name = 'New' WHERE id = $1`, near)).toEqual([`skus ${near}`]);
    await sql('DELETE FROM stock WHERE product_id = $1', far);
    await touched('DELETE FROM products WHERE id = $1', far);
  });

  it('has a deletion for a unit that came back and ceased again between two reads', async () => {
    const { small, variants } = await aProductWithVariants();
    const set = 'UPDATE product_variants SET status = $1 WHERE id = $2';
    expect(await touched(set, 'INACTIVE', variants[0])).toContain(`-skus ${small}`);
    // A reader of the older deletion may have read the unit here.
    await sql(set, 'ACTIVE', variants[0]);

    expect(await touched(set, 'INACTIVE', variants[0])).toContain(`-skus ${small}`);
  });
});
