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
      answer: (results) => Buffer.from(results.map(({ code, after }) => code ?? String(after)).join()),
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

    expect([first.answer.toString(), first.isReplay]).toEqual(['5,unknown_bin,unknown_sku', false]);
    expect([second.answer.toString(), second.isReplay]).toEqual(['5,unknown_bin,unknown_sku', true]);
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
