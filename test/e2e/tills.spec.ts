import type { BundleLine } from '@app/bundles';
import { anOrderBody } from '../builders/order-body.js';
import { bundleImports } from '../support/bundle-imports.js';
import { FeedReader } from '../support/feed-reader.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
let api: RunningApi;
let product: number;
beforeAll(async () => {
  application = await startApi({ THROTTLE_PER_10S: '0' });
});
afterAll(() => application.stop());
beforeEach(async () => {
  api = await application.withStore();
  product = await api.store.product({ slug: 'mug', sku: 'MUG', stock: [3, 5, 4] });
});

const { importLines, ledger } = bundleImports(() => application.database);

type Sale = Extract<BundleLine, { kind: 'order' }>;
const MUG = { product: 'mug', name: 'Mug', unit_price: 1_000 };

function aSale(receipt_number: string, quantities: readonly number[], more: Partial<Sale> = {}): Sale {
  const amount = quantities.reduce((sum, quantity) => sum + 1_000 * quantity, 0);
  return {
    ...{ kind: 'order', store: api.store.subdomain, receipt_number, source: 'POS', payment_method: 'CASH' },
    ...{ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', currency: 'USD', amount, total_amount: amount },
    ...{ created_at: '2026-01-02T03:04:05.000Z', takes_stock: true },
    line_items: quantities.map((quantity) => ({ ...MUG, quantity })),
    ...more,
  };
}

interface FullOrder {
  readonly created_at: string;
  readonly line_items: readonly { readonly allocations: readonly { readonly quantity: number }[] }[];
}

const recordOf = async (receipt: string) => (await api.get(`/v1/orders/${receipt}`)).json<{ data: FullOrder }>().data;
const unitsOf = async (receipt: string) =>
  (await recordOf(receipt)).line_items.map(({ allocations }) => allocations.map(({ quantity }) => quantity));

async function binsOfMug(): Promise<number[]> {
  const rows = await application.database.query<{ quantity: number }>(
    'SELECT quantity FROM stock WHERE store_id = $1 AND product_id = $2 ORDER BY bin_id',
    [api.store.id, product],
  );
  return rows.map(({ quantity }) => quantity);
}

const notices = () =>
  application.database.query<{ details: object[] }>('SELECT details FROM merchant_notices WHERE store_id = $1', [
    api.store.id,
  ]);

describe('sales of a till', () => {
  it('come over HTTP, once for each receipt, with a warning where units are missing', async () => {
    const { store: _store, ...sale } = aSale('POS-9', [14]);
    const send = async (more: object = {}) => {
      const response = await api.post('/v1/import', { lines: [{ ...sale, ...more }] });
      return response.json<{ data: { lines: object[] } }>().data.lines;
    };
    const warning = 'order.line_items[0] is short: requested 14, available 12';

    expect(await send()).toMatchObject([{ result: 'created', error: '', warning }]);
    expect(await send()).toMatchObject([{ result: 'unchanged', warning: '' }]);
    const another = 'order.receipt_number belongs to a stored order with another total_amount or is_test';
    expect(await send({ total_amount: 1 })).toMatchObject([{ result: 'unchanged', warning: another }]);
    expect(await binsOfMug()).toEqual([0, 0, 0]);
    expect(await notices()).toHaveLength(1);
  });

  it('take their units from the fullest bins, once for each receipt, and keep their own time', async () => {
    const day = [aSale('POS-1', [6]), aSale('POS-2', [1, 2]), aSale('POS-3', [0])];

    const { counts, warnings } = await importLines(...day);

    expect(counts.order).toEqual({ created: 3, updated: 0, unchanged: 0 });
    expect(warnings).toEqual([]);
    expect(await binsOfMug()).toEqual([3, 0, 0]);
    expect([await unitsOf('POS-1'), await unitsOf('POS-2'), await unitsOf('POS-3')]).toEqual([
      [[5, 1]],
      [[1], [2]],
      [[]],
    ]);
    expect(await recordOf('pos-1')).toMatchObject({ receipt_number: 'POS-1', created_at: '2026-01-02T03:04:05.000Z' });

    const again = await importLines(aSale('pos-1', [9]), ...day, aSale('POS-4', [1]));

    expect(again.counts.order).toEqual({ created: 1, updated: 0, unchanged: 4 });
    expect(await binsOfMug()).toEqual([2, 0, 0]);
    const sold = (await ledger(api.store.subdomain)).filter(({ kind }) => kind === 'ORDER');
    expect(sold.map(({ quantity }) => quantity)).toEqual([-5, -1, -1, -2, -1]);
  });

  it('of a SKU without its product take nothing, with a warning; a bag needs none', async () => {
    const bag = { name: 'Bag', unit_price: 10, quantity: 1 };
    const sale = aSale('POS-1', [], { line_items: [{ ...bag, sku: 'MUG' }, bag], amount: 20, total_amount: 20 });

    const { warnings } = await importLines(sale);

    expect(warnings).toEqual(['line 1: order.line_items[0] has no product, so it takes no stock']);
    expect(await binsOfMug()).toEqual([3, 5, 4]);
  });

  it('take the same bins as an order', async () => {
    const store = api.store.subdomain;
    const other = await api.store.product({ slug: 'cup', stock: [3, 5, 4] });
    await importLines(
      { kind: 'warehouse', store, code: 'SHUT', name: 'Shut', active: false },
      { kind: 'bin', store, warehouse: 'SHUT', code: '1' },
      ...['mug', 'cup'].map((slug) => ({ kind: 'stock', store, bin: 'SHUT/1', product: slug, quantity: 50 }) as const),
    );
    const { receipt_number: placed } = await api.place(anOrderBody(other, 10));

    await importLines(aSale('POS-1', [10]));

    expect(await unitsOf('POS-1')).toEqual(await unitsOf(placed));
  });

  it('stand without what is not there, and the merchant gets one mail for a file', async () => {
    const shelf = { ...MUG, product: 'shelf', quantity: 2 };
    await api.store.stock(product, null, 0);
    await api.store.product({ slug: 'shelf', stock: [] });
    const lines = [
      aSale('POS-1', [11]),
      aSale('POS-2', [4], {
        line_items: [
          { ...MUG, quantity: 4 },
          { ...shelf, sku: 'SHELF' },
        ],
      }),
      aSale('POS-3', [1]),
    ];

    const { counts, warnings } = await importLines(...lines, { ...aSale('POS-4', [8]), takes_stock: false });

    expect(counts.order.created).toBe(4);
    expect(warnings).toEqual([
      'line 2: order.amount is 4000, but its line_items add up to 6000',
      'line 2: order.line_items[0] is short: requested 4, available 1',
      'line 2: order.line_items[1] is short: requested 2, available 0',
      'line 3: order.line_items[0] is short: requested 1, available 0',
    ]);
    expect(await binsOfMug()).toEqual([0, 0, 0, 0]);
    expect(await unitsOf('POS-2')).toEqual([[1], []]);
    const sold = (await ledger(api.store.subdomain)).filter(({ kind }) => kind === 'ORDER');
    expect(sold.map(({ quantity }) => quantity)).toEqual([-2, -5, -4, -1]);
    const short = { bin_id: null, warehouse: '', bin: '' };
    expect(await notices()).toEqual([
      {
        details: [
          expect.objectContaining({ ...short, product_id: product, sku: 'mug', units: 4 }),
          expect.objectContaining({ ...short, sku: 'SHELF', units: 2 }),
        ],
      },
    ]);
    await importLines(...lines);
    expect(await notices()).toHaveLength(1);
  });

  it('take units from at most a thousand bins: one that needs more is refused, and the others of the file are not', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(slugs.map((slug) => api.store.product({ slug, stock: Array.from({ length: 250 }, () => 1) })));
    const large = (receipt: string, of: readonly string[]) =>
      aSale(receipt, [], {
        ...{ amount: 250_000 * of.length, total_amount: 250_000 * of.length },
        line_items: of.map((slug) => ({ ...MUG, product: slug, quantity: 250 })),
      });
    const { store: _, ...tooLarge } = large('POS-1', slugs);
    const { store: __, ...small } = aSale('POS-2', [1]);
    const { store: ___, ...largest } = large('POS-3', slugs.slice(1));

    const response = await api.post('/v1/import', { lines: [tooLarge, small, largest] });

    const { lines } = response.json<{ data: { lines: object[] } }>().data;
    expect(lines).toMatchObject([
      { result: 'refused', error: 'order.line_items would take units from more than 1000 bins' },
      { result: 'created', warning: '' },
      { result: 'created', warning: '' },
    ]);
    expect(await unitsOf('POS-2')).toEqual([[1]]);
    expect((await unitsOf('POS-3')).map(({ length }) => length)).toEqual([250, 250, 250, 250]);
  });

  it('come after the stock lines before them in the file, and before those after them', async () => {
    const [bin] = await application.database.query<{ place: string }>(
      `SELECT warehouses.code || '/' || bins.code AS place FROM stock
       JOIN bins ON bins.store_id = stock.store_id AND bins.id = bin_id
       JOIN warehouses ON warehouses.store_id = stock.store_id AND warehouses.id = warehouse_id
       WHERE stock.store_id = $1 ORDER BY bin_id LIMIT 1`,
      [api.store.id],
    );
    const counted = (quantity: number): BundleLine => {
      return { kind: 'stock', store: api.store.subdomain, bin: bin?.place ?? '', product: 'mug', quantity };
    };

    await importLines(counted(20), aSale('POS-1', [2]));
    expect(await binsOfMug()).toEqual([18, 5, 4]);

    await importLines(aSale('POS-2', [1]), counted(7));
    expect(await binsOfMug()).toEqual([7, 5, 4]);
  });

  it('are no units that a count on hand still expects on the shelf', async () => {
    await importLines(aSale('POS-1', [2]));
    const reader = new FeedReader(api);
    await reader.catchUp();
    await importLines(aSale('POS-3', [1]));

    const bins = (await api.get(`/v1/stock?product_id=${product}`)).json<{ data: { bin: string }[] }>().data;
    const line = { product_id: product, as_of: reader.cursor, basis: 'on_hand' };
    const counts = bins.map(({ bin }, index) => ({ ...line, bin, counted: [3, 3, 4][index] }));
    const { data } = (await api.post('/v1/stock', { lines: counts })).json<{ data: { lines: object[] } }>();

    expect(data.lines).toMatchObject([{ after: 3 }, { after: 3 }, { after: 3 }]);
  });

  it('give their units back by a refund, like those of a delivered order', async () => {
    await importLines(aSale('POS-1', [7]));

    const refund = { reference: 'R-1', amount: 0, restock: true, lines: [{ line: 1, quantity: 3 }] };
    expect((await api.post('/v1/orders/POS-1/refunds', refund)).statusCode).toBe(201);

    expect((await binsOfMug()).reduce((sum, quantity) => sum + quantity)).toBe(8);
  });

  it('do not give back to bins what no bin had, unless the refund names one', async () => {
    await importLines(aSale('POS-1', [14]));
    const refund = (reference: string, more: object) =>
      api.post('/v1/orders/POS-1/refunds', { reference, amount: 0, restock: true, ...more });
    const of = (quantity: number) => ({ lines: [{ line: 1, quantity }] });
    const moved = async () =>
      (await ledger(api.store.subdomain)).filter(({ kind }) => kind === 'RETURN').map(({ quantity }) => quantity);
    const figures = async () => {
      const { line_items: lines, refunds } = (await api.get('/v1/orders/POS-1')).json<{
        data: { line_items: { returned_quantity: number }[]; refunds: object[] };
      }>().data;
      const bins = (await binsOfMug()).reduce((sum, quantity) => sum + quantity);
      return { bins, returned: lines[0]?.returned_quantity, moved: await moved(), refunds: refunds.length };
    };

    const refused = await refund('R-1', of(13));
    expect([refused.statusCode, refused.headers['x-error-code']]).toEqual([422, 'units_without_bin']);
    expect(await figures()).toEqual({ bins: 0, returned: 0, moved: [], refunds: 0 });

    expect((await refund('R-1', {})).statusCode).toBe(201);
    expect(await figures()).toMatchObject({ bins: 12, returned: 12, refunds: 1 });
    for (const more of [{}, of(2)]) expect((await refund('R-2', more)).statusCode).toBe(422);
    const [place] = (await api.get('/v1/stock')).json<{ data: { warehouse: string; bin: string }[] }>().data;
    const to = { restock_to: { warehouse: place?.warehouse, bin: place?.bin } };
    expect((await refund('R-2', { ...of(2), ...to })).statusCode).toBe(201);
    const { moved: units, ...all } = await figures();
    expect(all).toEqual({ bins: 14, returned: 14, refunds: 2 });
    expect(units.reduce((sum, quantity) => sum + quantity)).toBe(14);
  });
});
