import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
let api: RunningApi;
beforeAll(async () => (application = await startApi()));
afterAll(() => application.stop());
beforeEach(async () => {
  api = await application.withStore();
  await write({ kind: 'warehouse', code: 'EAST', name: 'East' }, { kind: 'bin', warehouse: 'EAST', code: 'A-1' });
});

type Row = Readonly<Record<string, unknown>>;

async function write(...lines: readonly Row[]): Promise<readonly Row[]> {
  return (await api.post('/v1/import', { lines })).json<{ data: { lines: readonly Row[] } }>().data.lines;
}

async function low(query = ''): Promise<string[]> {
  const { data, pagination } = (await api.get(`/v1/skus?low_stock=true${query}`)).json<{
    data: { sku: string }[];
    pagination: { total: number };
  }>();
  const counts = (await api.get('/v1/attention')).json<{ data: { low_stock: number } }>().data;
  if (query === '') expect([pagination.total, counts.low_stock]).toEqual([data.length, data.length]);
  return data.map(({ sku }) => sku);
}

async function adjust(sku: string, units: number): Promise<void> {
  const place = { warehouse: 'EAST', bin: 'A-1' };
  const answer = await api.post('/v1/stock', { lines: [{ sku, ...place, adjust: units }] });
  expect(answer.json()).toMatchObject({ data: { lines: [{ code: '' }] } });
}

const variant = (sku: string, fields: Row = {}) => ({ sku, name: sku, ...fields });

describe('SKUs with low stock', () => {
  it('are those on sale at or below the limit of their variant, or else of their product', async () => {
    await write(
      { kind: 'product', slug: 'cup', sku: 'CUP', name: 'Cup', price: '5', low_stock: 3 },
      { kind: 'product', slug: 'jug', sku: 'JUG', name: 'Jug', price: '5' },
      { kind: 'product', slug: 'old', sku: 'OLD', name: 'Old', price: '5', low_stock: 9, status: 'ARCHIVED' },
      { kind: 'product', slug: 'tee', sku: 'TEE', name: 'Tee', price: '5', low_stock: 2 },
      { kind: 'product', slug: 'tee', variants: [variant('TEE-S'), variant('TEE-L', { low_stock: 0 })] },
      { kind: 'product', slug: 'hat', name: 'Hat', price: '5', variants: [variant('HAT-S', { low_stock: 4 })] },
    );
    for (const [sku, units] of [
      ['CUP', 4],
      ['JUG', 1],
      ['TEE-S', 2],
      ['TEE-L', 1],
      ['HAT-S', 5],
    ] as const) {
      await adjust(sku, units);
    }
    expect(await low()).toEqual(['TEE-S']);

    await api.place({
      items: [
        { sku: 'CUP', quantity: 1 },
        { sku: 'HAT-S', quantity: 5 },
      ],
      customer: { name: 'Ada' },
    });
    expect(await low()).toEqual(['CUP', 'HAT-S', 'TEE-S']);
    expect(await low('&in_stock=true&search=e')).toEqual(['TEE-S']);
    expect(await low('&limit=1&page=2')).toEqual(['HAT-S']);

    await adjust('TEE-L', -1);
    await adjust('TEE-S', 1);
    expect(await low()).toEqual(['CUP', 'HAT-S', 'TEE-L']);
    await api.database.query('UPDATE warehouses SET active = false WHERE store_id = $1', [api.store.id]);
    expect(await low()).toEqual(['CUP', 'HAT-S', 'TEE-L', 'TEE-S']);
  });

  it('keep their limit when an import leaves it out or renames the SKU, and lose it with null', async () => {
    const hat = (...variants: readonly Row[]) => ({ kind: 'product', slug: 'hat', variants });
    await write({ ...hat(variant('HAT-S', { low_stock: 4 })), name: 'Hat', price: '5', low_stock: 7 });
    const read = async () => (await api.get('/v1/products/hat')).json<{ data: Row & { variants: Row[] } }>().data;
    const { low_stock: ofProduct, variants } = await read();
    expect([ofProduct, variants]).toMatchObject([7, [{ low_stock: 4 }]]);

    await write(hat({ ...variant('HAT-M'), id: Number(variants[0]?.id) }));
    expect([await low(), await read()]).toMatchObject([['HAT-M'], { low_stock: 7, variants: [{ low_stock: 4 }] }]);
    await adjust('HAT-M', 5);
    expect(await low()).toEqual([]);
    await write(hat(variant('HAT-M', { low_stock: null })));
    expect(await low()).toEqual(['HAT-M']);
    const [refused] = await write({ kind: 'product', slug: 'hat', low_stock: -1 });
    expect(refused).toMatchObject({ result: 'refused', error: expect.stringContaining('low_stock') as string });
    expect(await write({ kind: 'product', slug: 'hat', low_stock: null })).toMatchObject([{ result: 'updated' }]);
    expect(await low()).toEqual([]);
  });

  it('are never those of another store', async () => {
    const other = await application.withStore();
    await other.store.product({ sku: 'THEIRS', columns: { low_stock: 5 } });

    expect(await low()).toEqual([]);
  });
});
