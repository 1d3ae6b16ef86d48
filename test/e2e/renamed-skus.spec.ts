import { anOrderBody } from '../builders/order-body.js';
import { FeedReader } from '../support/feed-reader.js';
import { lockWaits } from '../support/lock-waits.js';
import { eventually } from '../support/eventually.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Imported {
  readonly id: string;
  readonly result: string;
  readonly error: string;
  readonly warning: string;
}

interface Sku {
  readonly sku: string;
  readonly product_id: number;
  readonly variant_id: number;
  readonly quantity: number;
}

type Row = Readonly<Record<string, unknown>>;

let application: RunningApi;
beforeAll(async () => (application = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' })));
afterAll(() => application.stop());

const [SMALL, LARGE] = [
  { sku: 'MUG-S', name: 'Small', price: '8.00' },
  { sku: 'MUG-L', name: 'Large' },
];
const LISTED = { kind: 'list_price', list: 'VIP', product: 'mug' };

let api: RunningApi;
let product: number;
let small: number;
let large: number;
beforeEach(async () => {
  api = await application.withStore();
  await write(
    { kind: 'warehouse', code: 'EAST', name: 'East' },
    ...['A-1', 'A-2'].map((code) => ({ kind: 'bin', warehouse: 'EAST', code })),
    { kind: 'price_list', code: 'VIP', name: 'Best customers' },
    { kind: 'product', slug: 'mug', name: 'Mug', price: '9.90', variants: [SMALL, LARGE] },
    { ...LISTED, variant: 'MUG-L', price_breaks: [{ from_quantity: 6, price: '7.50' }], min_quantity: 6 },
    { kind: 'quantity_rule', product: 'mug', variant: 'MUG-L', step: 2 },
  );
  const skus = await shown<Sku>('/v1/skus');
  product = skus[0]?.product_id ?? 0;
  [small = 0, large = 0] = ['MUG-S', 'MUG-L'].map((sku) => skus.find((each) => each.sku === sku)?.variant_id);
  await move({ sku: 'MUG-L', adjust: 30, bin: 'A-1' }, { sku: 'MUG-L', adjust: 20, bin: 'A-2' });
  await move({ sku: 'MUG-S', adjust: 3, bin: 'A-1' });
});

async function write(...lines: readonly Row[]): Promise<readonly Imported[]> {
  const response = await api.post('/v1/import', { lines });
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)]);
  return response.json<{ data: { lines: readonly Imported[] } }>().data.lines;
}

const mug = (...variants: readonly Row[]) => ({ kind: 'product', slug: 'mug', variants });

async function shown<T = Row>(path: string): Promise<T[]> {
  return (await api.get(path)).json<{ data: T[] }>().data;
}

async function move(...lines: readonly Row[]) {
  const response = await api.post('/v1/stock', { lines: lines.map((line) => ({ warehouse: 'EAST', ...line })) });
  return response.json<{ data: { lines: { code: string; after: number }[] } }>().data.lines;
}

const order = (sku: string, quantity: number) =>
  api.post('/v1/orders', { ...anOrderBody(0), items: [{ sku, quantity }] });

const unitsOf = async () =>
  Object.fromEntries(
    (await shown<Sku>('/v1/skus')).map(({ sku, variant_id, quantity }) => [sku, [variant_id, quantity]]),
  );

/** What the lists say of a SKU, without the SKU. */
async function lifeOf(sku: string): Promise<object> {
  const lists = ['/v1/skus', '/v1/stock', '/v1/stock/movements', '/v1/prices?list=VIP', '/v1/prices'];
  const found = lists.map(async (list) => [list, await shown(`${list}${list.includes('?') ? '&' : '?'}sku=${sku}`)]);
  return JSON.parse(
    JSON.stringify(Object.fromEntries(await Promise.all(found))).replaceAll(`"${sku}"`, '"THE SKU"'),
  ) as object;
}

describe('a variant that an import names by its id, with another SKU', () => {
  it('keeps its units, bins, movements, prices and rules, and orders keep the SKU that they were sold as', async () => {
    const sold = await order('MUG-L', 12);
    const before = await lifeOf('MUG-L');

    const renamed = await write(mug(SMALL, { ...LARGE, id: large, sku: 'MUG-XL' }));

    expect(renamed).toMatchObject([{ result: 'updated', error: '', warning: '' }]);
    expect(await lifeOf('MUG-XL')).toEqual(before);
    expect(await unitsOf()).toEqual({ 'MUG-S': [small, 3], 'MUG-XL': [large, 38] });
    const { data } = sold.json<{ data: { order_id: string } }>();
    const [line] = (await api.get(`/v1/orders/${data.order_id}`)).json<{ data: { line_items: Row[] } }>().data
      .line_items;
    expect(line).toMatchObject({ sku: 'MUG-L', variant_id: large });
    await api.post(`/v1/orders/${data.order_id}/cancel`, {});
    expect(await unitsOf()).toMatchObject({ 'MUG-XL': [large, 50] });
  });

  it('is found by its new SKU only', async () => {
    await write(mug(SMALL, { ...LARGE, id: large, sku: 'MUG-XL' }));

    const [former, present] = [await order('MUG-L', 6), await order('MUG-XL', 6)];

    expect([former.statusCode, present.statusCode]).toEqual([400, 201]);
    expect(await move({ sku: 'MUG-L', adjust: 1, bin: 'A-1' })).toMatchObject([{ code: 'unknown_sku' }]);
    expect(await move({ sku: 'MUG-XL', adjust: 1, bin: 'A-1' })).toMatchObject([{ code: '', after: 25 }]);
    expect(await shown('/v1/skus?sku=MUG-L')).toEqual([]);
    expect(await shown('/v1/products?sku=MUG-XL')).toMatchObject([{ slug: 'mug' }]);
    expect(await shown('/v1/skus?search=ug-xl')).toMatchObject([{ variant_id: large }]);
  });

  it('comes in the feed with its new SKU, and so do its product and its bins; nothing is deleted', async () => {
    const reader = new FeedReader(api, 'kinds=products,skus,stock');
    await reader.catchUp();

    await write(mug(SMALL, { ...LARGE, id: large, sku: 'MUG-XL' }));

    const changed = await reader.catchUp();
    expect(changed.map((entry) => entry.replace(/-\d+$/, '')).sort()).toEqual(
      [`products ${product}`, `skus ${product}`, `stock ${product}-${large}`, `stock ${product}-${large}`].sort(),
    );
    expect(changed.map((entry) => JSON.stringify(reader.copy.get(entry)?.data))).toEqual(
      changed.map(() => expect.stringContaining('"MUG-XL"') as string),
    );
    const [row] = await shown('/v1/skus?sort=-updated_at&limit=1');
    expect(row).toMatchObject({ sku: 'MUG-XL' });
  });

  it('is unchanged when the line comes again', async () => {
    const line = mug(SMALL, { ...LARGE, id: large, sku: 'MUG-XL' });
    await write(line);

    expect(await write(line)).toMatchObject([{ result: 'unchanged', warning: '' }]);
  });

  it('keeps its own price and attributes when the line gives none, also when the line comes again', async () => {
    const variant = async () => {
      const { variants } = (await api.get('/v1/products/mug')).json<{ data: { variants: readonly Row[] } }>().data;
      return variants.find(({ sku }) => sku === 'MUG-XL');
    };
    await write(mug(SMALL, { ...LARGE, price: '12.00', attributes: { size: 'L' } }));
    const renamed = mug(SMALL, { id: large, sku: 'MUG-XL', name: 'Large' });

    expect(await write(renamed)).toMatchObject([{ result: 'updated' }]);
    expect(await write(renamed)).toMatchObject([{ result: 'unchanged' }]);
    expect(await variant()).toMatchObject({ sku: 'MUG-XL', price: 12, attributes: { size: 'L' } });

    await write(mug(SMALL, { id: large, sku: 'MUG-XL', name: 'Large', price: null, attributes: {} }));
    expect(await variant()).toMatchObject({ price: 9.9, attributes: {} });
  });

  it('gets other fields of the line, too, and its former SKU is free for a new variant', async () => {
    const variants = [{ ...LARGE, id: large, sku: 'MUG-XL', name: 'Huge', price: '12.00' }, { ...LARGE }, SMALL];

    expect(await write(mug(...variants))).toMatchObject([{ result: 'updated', warning: '' }]);

    expect(await shown('/v1/skus')).toMatchObject([
      { sku: 'MUG-L', quantity: 0, price: 9.9 },
      { sku: 'MUG-S', quantity: 3 },
      { sku: 'MUG-XL', variant_id: large, quantity: 50, price: 12 },
    ]);
  });

  it('stays inactive without a status', async () => {
    await write(mug(SMALL));

    const [renamed] = await write(mug(SMALL, { ...LARGE, id: large, sku: 'MUG-XL' }));

    const warning = 'product.variants without a status stay INACTIVE and are not for sale: "MUG-XL" (units: 50)';
    expect(renamed).toMatchObject({ result: 'updated', warning });
    expect(await shown('/v1/stock?sku=MUG-XL')).toHaveLength(2);
  });

  it('is the same in any letter case of its SKU', async () => {
    await write(mug(SMALL, { ...LARGE, id: large, sku: 'mug-l' }));

    expect(await unitsOf()).toEqual({ 'MUG-S': [small, 3], 'mug-l': [large, 50] });
  });

  it('may exchange its SKU with another variant, or pass it on', async () => {
    await write(mug({ ...SMALL, id: small, sku: 'MUG-L' }, { ...LARGE, id: large, sku: 'MUG-S' }));
    expect(await unitsOf()).toEqual({ 'MUG-L': [small, 3], 'MUG-S': [large, 50] });

    const [chained] = await write(mug({ ...SMALL, id: small, sku: 'MUG-S' }, { ...LARGE, id: large, sku: 'MUG-M' }));

    expect(chained).toMatchObject({ result: 'updated', warning: '' });
    expect(await unitsOf()).toEqual({ 'MUG-S': [small, 3], 'MUG-M': [large, 50] });
  });

  it.each<[string, () => Row[], () => string]>([
    [
      'has a SKU that another variant keeps',
      () => [{ ...LARGE, id: large, sku: 'MUG-S' }],
      () => `product.variants[0].sku "MUG-S" is that of variant ${small}, which gets no other SKU in this line`,
    ],
    [
      'names one variant twice',
      () => [
        { ...LARGE, id: large },
        { ...LARGE, id: large, sku: 'MUG-XL' },
      ],
      () => 'product.variants[1].id is listed twice',
    ],
  ])('is refused when the line %s, and other lines apply', async (_what, variants, error) => {
    const lines = await write(mug(...variants()), { kind: 'brand', slug: 'globex', name: 'Globex' });

    expect(lines).toMatchObject([{ result: 'refused', error: error() }, { result: 'created' }]);
    expect(await unitsOf()).toEqual({ 'MUG-S': [small, 3], 'MUG-L': [large, 50] });
  });

  it('is another variant when its id is that of another product', async () => {
    const cup = { kind: 'product', slug: 'cup', name: 'Cup', price: '1.00' };

    const [created] = await write({ ...cup, variants: [{ id: large, sku: 'CUP-L', name: 'Large' }] });

    expect(created).toMatchObject({ result: 'created' });
    expect(await unitsOf()).toMatchObject({ 'MUG-L': [large, 50], 'CUP-L': [expect.any(Number), 0] });
  });

  it('has its former SKU in earlier lines of a request, and its new one in later lines', async () => {
    const price = (variant: string, value: string) => ({
      ...{ ...LISTED, variant },
      price_breaks: [{ from_quantity: 1, price: value }],
    });

    const lines = await write(
      price('MUG-L', '7.00'),
      mug({ ...SMALL, id: small, sku: 'MUG-L' }, { ...LARGE, id: large, sku: 'MUG-XL' }),
      price('MUG-L', '5.00'),
      price('MUG-S', '4.00'),
    );

    expect(lines.map(({ id, error }) => error || id)).toEqual([
      `${product}-${large}`,
      `${product}`,
      `${product}-${small}`,
      'product "mug": variant "MUG-S" is not known',
    ]);
    expect(await shown('/v1/prices?list=VIP')).toMatchObject([
      { sku: 'MUG-L', price_breaks: [{ price: 5 }] },
      { sku: 'MUG-XL', price_breaks: [{ price: 7 }] },
    ]);
  });
});

it('a product without variants keeps its units under another SKU', async () => {
  await write({ kind: 'product', slug: 'cup', sku: 'CUP', name: 'Cup', price: '1.00' });
  await move({ sku: 'CUP', adjust: 5, bin: 'A-1' });
  const before = await lifeOf('CUP');

  const renamed = await write({ kind: 'product', slug: 'cup', sku: 'BEAKER' });

  expect(renamed).toMatchObject([{ result: 'updated', warning: '' }]);
  expect(await lifeOf('BEAKER')).toEqual(before);
});

describe('a variant that gets another SKU while', () => {
  const rename = (sku: string) => write(mug(SMALL, { ...LARGE, id: large, sku }));

  it('its stock goes into a new bin does so after a deadlock, too', async () => {
    await write({ kind: 'bin', warehouse: 'EAST', code: 'A-3' });
    // The receipt has referred to the variant, and waits for the product after the import, which then waits for the variant.
    const holder = await openTransaction(api.database, `SELECT FROM products WHERE id = ${product} FOR NO KEY UPDATE`);
    const renamed = rename('MUG-XL');
    await eventually(async () => expect(await lockWaits(api.database, '%import.products.lock_batch%')).toBe(1));
    const received = move({ product_id: product, variant_id: large, adjust: 7, bin: 'A-3' });
    await eventually(async () => expect(await lockWaits(api.database, '%stock.write%')).toBe(1));

    await holder.query('COMMIT');

    expect(await renamed).toMatchObject([{ result: 'updated' }]);
    expect(await received).toMatchObject([{ code: '', after: 7 }]);
    expect(await unitsOf()).toMatchObject({ 'MUG-XL': [large, 57] });
  });

  it('it is ordered, received and counted loses no unit and refuses no request that names its id', async () => {
    const names = ['MUG-L', 'MUG-XL', 'MUG-XXL'];
    const placed: number[] = [];
    const answers = new Set<number>();
    const during = async (work: (n: number) => Promise<unknown>) => {
      for (let n = 0; n < 12; n++) await work(n);
    };
    const buy = async (items: object) => {
      const response = await api.post('/v1/orders', { ...anOrderBody(0), items: [{ ...items, quantity: 2 }] });
      answers.add(response.statusCode);
      if (response.statusCode === 201) placed.push(2);
      return response.statusCode;
    };

    const [, , byId, received] = await Promise.all([
      during((n) => rename(names[n % 3] ?? '')),
      during((n) => buy({ sku: names[(n + 1) % 3] })),
      Promise.all([0, 1, 2, 3].map(() => buy({ product_id: product, variant_id: large }))),
      Promise.all(
        [0, 1, 2].map(() =>
          move({ product_id: product, variant_id: large, adjust: 1, bin: 'A-1' }).then(([line]) => line?.code),
        ),
      ),
    ]);

    expect(byId).toEqual([201, 201, 201, 201]);
    expect(received).toEqual(['', '', '']);
    expect([...answers].filter((status) => ![201, 400].includes(status))).toEqual([]);
    const sold = placed.reduce((sum, units) => sum + units, 0);
    expect((await unitsOf())['MUG-XXL']).toEqual([large, 53 - sold]);
    const [ledger] = await api.database.query<{ units: number }>(
      'SELECT sum(quantity)::int AS units FROM stock_movements WHERE store_id = $1 AND variant_key = $2',
      [api.store.id, large],
    );
    expect(ledger).toEqual({ units: 53 - sold });
  });

  it('it is counted as of a cursor before keeps the count', async () => {
    const reader = new FeedReader(api, 'kinds=skus');
    await reader.catchUp();
    await rename('MUG-XL');
    await order('MUG-XL', 6);

    const lines = [
      { sku: 'MUG-XL', warehouse: 'EAST', bin: 'A-1', counted: 28, as_of: reader.cursor, basis: 'available' },
    ];
    const counted = await api.post('/v1/stock', { lines });

    expect(counted.json()).toMatchObject({ data: { lines: [{ before: 24, after: 22, short: 0, code: '' }] } });
  });
});
