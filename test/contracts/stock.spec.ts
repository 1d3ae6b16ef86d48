import { StockChanges, StockRepository, type StockChangeRequest, type StockLine } from '@app/application';
import { ReferenceTaken, StockRefused } from '@app/domain';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
let store: StoreFixture;
let other: StoreFixture;
let mug: number;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());
beforeEach(async () => {
  [store, other] = [await StoreFixture.create(application.database), await StoreFixture.create(application.database)];
  mug = await store.product({ sku: 'MUG', stock: [3, 4] });
  await other.product({ sku: 'MUG', stock: 9 });
});

describe('StockRepository', () => {
  let stock: StockRepository;
  beforeAll(() => (stock = application.app.get(StockRepository, { strict: false })));

  it('lists the bins of a store only, by product, variant and bin, with an exact total', async () => {
    const variant = await store.variant(mug, { sku: 'MUG-RED', stock: 5 });

    const { rows, total } = await stock.list(store.id, {}, { page: 1, limit: 2 });
    const rest = await stock.list(store.id, {}, { page: 2, limit: 2 });

    expect([total, rest.total]).toEqual([3, 3]);
    expect([...rows, ...rest.rows].map(({ sku, variantId, quantity }) => [sku, variantId, quantity])).toEqual([
      ['MUG', null, 3],
      ['MUG', null, 4],
      ['MUG-RED', variant, 5],
    ]);
  });

  it('lists the stock of a warehouse and of a bin page by page, with the total of what is there', async () => {
    const insert = `
      WITH places AS (
        INSERT INTO warehouses (store_id, code, name) VALUES ($1, 'FAR', 'Far'), ($1, 'NEAR', 'Near') RETURNING id
      ), made AS (
        INSERT INTO bins (store_id, warehouse_id, code) SELECT $1, id, code FROM places, unnest('{A,B}'::text[]) AS code
        RETURNING id, code
      ), sold AS (
        INSERT INTO products (store_id, name, slug, price, status)
        SELECT $1, 'P', 'p-' || n, 1, 'ACTIVE' FROM generate_series(1, 900) AS n RETURNING id
      )
      INSERT INTO stock (store_id, bin_id, product_id, quantity)
      SELECT $1, made.id, sold.id, 1 FROM made, sold WHERE code = 'A' AND sold.id % 3 = 0 OR code = 'B' AND sold.id % 97 = 0`;
    await application.database.query(insert, [store.id]);
    await application.database.query('DELETE FROM stock WHERE store_id = $1 AND product_id % 7 = 0', [store.id]);
    const places = async (filter: string, values: unknown[]) => {
      const sql = `
        SELECT product_id || ' ' || bin_id AS place FROM stock JOIN bins ON bins.store_id = $1 AND bins.id = bin_id
        JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = warehouse_id
        WHERE stock.store_id = $1 AND ${filter} ORDER BY product_id, bin_id`;
      const rows = await application.database.query<{ place: string }>(sql, [store.id, ...values]);
      return rows.map(({ place }) => place);
    };

    for (const [filter, expected] of [
      [{ warehouse: 'FAR' }, await places('warehouses.code = $2', ['FAR'])],
      [{ bin: 'B' }, await places('bins.code = $2', ['B'])],
      [{ warehouse: 'NEAR', bin: 'A' }, await places('warehouses.code = $2 AND bins.code = $3', ['NEAR', 'A'])],
    ] as const) {
      const pages: string[] = [];
      for (let page = 1; pages.length < expected.length; page++) {
        const { rows, total } = await stock.list(store.id, filter, { page, limit: 7 });
        expect([total, rows.length]).toEqual([expected.length, Math.min(7, expected.length - pages.length)]);
        pages.push(...rows.map(({ productId, binId }) => `${productId} ${binId}`));
      }
      expect(pages).toEqual(expected);
      expect(await stock.list(store.id, filter, { page: 1_000, limit: 7 })).toEqual({
        rows: [],
        total: expected.length,
      });
      expect(await stock.list(other.id, filter, { page: 1, limit: 7 })).toEqual({ rows: [], total: 0 });
    }
  });

  it('counts the stock of a bin that moves in its new warehouse', async () => {
    const far = await store.warehouse();
    const totals = async () => {
      const rows = await application.database.query<{ code: string }>(
        'SELECT code FROM warehouses WHERE store_id = $1 ORDER BY id',
        [store.id],
      );
      const lists = rows.map(({ code }) => stock.list(store.id, { warehouse: code }, { page: 1, limit: 1 }));
      return (await Promise.all(lists)).map(({ total }) => total);
    };
    expect(await totals()).toEqual([2, 0]);

    await application.database.query(
      `UPDATE bins SET warehouse_id = $2 WHERE store_id = $1 AND id = (SELECT min(bin_id) FROM stock WHERE store_id = $1)`,
      [store.id, far],
    );

    expect(await totals()).toEqual([1, 1]);
  });

  it('finds rows by their ids in the store only', async () => {
    const { rows } = await stock.list(store.id, {}, { page: 1, limit: 50 });

    expect((await stock.findByIds(store.id, rows)).length).toBe(2);
    expect(await stock.findByIds(other.id, rows)).toEqual([]);
  });
});

describe('StockChanges', () => {
  let changes: StockChanges;
  beforeAll(() => (changes = application.app.get(StockChanges, { strict: false })));

  const line = (by: number, more: Partial<StockLine> = {}): StockLine => ({
    ...{ sku: null, productId: mug, variantId: null, warehouse: null, bin: null, asOf: null },
    write: { kind: 'adjust', by },
    ...more,
  });
  const apply = (lines: StockLine[], more: Partial<StockChangeRequest> = {}) =>
    changes.apply({
      ...{ storeId: store.id, actor: { type: 'key', id: 'k', name: 'ERP' }, lines, reference: null, reason: '' },
      ...{ isAtomic: false, createsBins: false, requestHash: Buffer.from('hash'), idempotency: null },
      ...more,
    });
  const bin = async (quantity: number) =>
    (
      await application.database.query<{ code: string }>(
        `SELECT code FROM stock JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
         WHERE stock.store_id = $1 AND quantity = $2`,
        [store.id, quantity],
      )
    )[0]?.code ?? '';

  it('applies each line or refuses it, and a repeated reference gets the same answer', async () => {
    const lines = [line(2, { bin: await bin(3) }), line(1), line(1, { productId: 0 })];

    const [first, second] = [await apply(lines, { reference: 'R' }), await apply(lines, { reference: 'R' })];

    expect(first.lines.map(({ code, after }) => code ?? after)).toEqual([5, 'unknown_bin', 'unknown_sku']);
    expect([first.isReplay, second]).toEqual([false, { ...first, isReplay: true }]);
    expect(await store.onHand(mug)).toBe(9);
    const another = apply(lines, { reference: 'R', requestHash: Buffer.from('another') });
    await expect(another).rejects.toThrow(ReferenceTaken);
  });

  it('changes nothing when an atomic request has a refused line', async () => {
    const lines = [line(2, { bin: await bin(3) }), line(-9, { bin: await bin(4) })];

    await expect(apply(lines, { isAtomic: true })).rejects.toThrow(StockRefused);

    expect(await store.onHand(mug)).toBe(7);
  });
});
