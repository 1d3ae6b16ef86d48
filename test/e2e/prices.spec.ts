import type { FeedEntry } from '../support/feed-reader.js';
import { anOrderBody } from '../builders/order-body.js';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
beforeAll(async () => (application = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' })));
afterAll(() => application.stop());

interface Line {
  readonly before: number | null;
  readonly after: number | null;
  readonly code: string;
  readonly error: string;
}

let api: RunningApi;
let runner: number;
let blue: number;
beforeEach(async () => {
  api = await application.withStore();
  runner = await api.store.product({ sku: 'R-1', price: 7990, stock: 5 });
  blue = await api.store.variant(runner, { sku: 'R-1-42', price: 8200, stock: 5 });
});

async function change(lines: readonly object[], more: object = {}, headers: Record<string, string> = {}) {
  const response = await api.post('/v1/prices', { lines, ...more }, headers);
  const { data, error } = response.json<{ data?: { lines: Line[] }; error?: string }>();
  return {
    status: response.statusCode,
    code: response.headers['x-error-code'],
    lines: data?.lines ?? [],
    error,
    response,
  };
}

const to = (price: number | string, expected: number | string | null, unit: object = { sku: 'R-1' }) => ({
  ...{ price, expected },
  ...unit,
});

async function shown(id = runner) {
  const { data } = (await api.get(`/v1/products/${id}`)).json<{
    data: { price: number; updated_at: string; variants: { price: number }[] };
  }>();
  return [data.price, ...data.variants.map(({ price }) => price)];
}

describe('POST /v1/prices', () => {
  it('sets the price of a product, and of a variant, as a number or as text', async () => {
    const { status, lines } = await change([
      to('84.90', 79.9),
      to(9, '82.00', { product_id: runner, variant_id: blue }),
      to('9.50', '9', { sku: 'r-1-42' }),
    ]);

    expect(status).toBe(200);
    expect(lines).toEqual([
      { line: 1, sku: 'R-1', product_id: runner, variant_id: null, before: 79.9, after: 84.9, code: '', error: '' },
      { line: 2, sku: 'R-1-42', product_id: runner, variant_id: blue, before: 82, after: 9, code: '', error: '' },
      { line: 3, sku: 'R-1-42', product_id: runner, variant_id: blue, before: 9, after: 9.5, code: '', error: '' },
    ]);
    expect(await shown()).toEqual([84.9, 9.5]);
    const items = [null, blue].map((variant_id) => ({ product_id: runner, variant_id, quantity: 1 }));
    const placed = await api.place({ ...anOrderBody(runner), items });
    expect(placed.items.map(({ price }) => price)).toEqual([84.9, 9.5]);
  });

  it('says which lines mean nothing, are stale or too precise, and applies the others', async () => {
    await api.store.product({ sku: 'TWICE' });
    await api.store.product({ sku: 'twice' });

    const { status, lines } = await change([
      to(1, null, { sku: 'NOPE' }),
      to(1, null, { product_id: runner, variant_id: 77 }),
      to(1, null, { product_id: 2_147_483_647 }),
      to(1, null, { sku: 'Twice' }),
      to(85, '79.91'),
      to(85, '79.901'),
      to('84.901', null),
      to(0.1 + 0.2, null),
      to('84.900', '79.9000'),
      to(85, 79.9),
    ]);

    expect(status).toBe(200);
    expect(lines.map(({ code, error }) => [code, error])).toEqual([
      ['unknown_sku', 'The store has no product or variant with the SKU NOPE'],
      ['unknown_sku', `The store has no variant 77 of product ${runner}`],
      ['unknown_sku', 'The store has no product 2147483647'],
      ['ambiguous_sku', 'Several products have this SKU: send product_id and variant_id'],
      ['stale', 'The price is 79.90, not 79.91'],
      ['stale', 'The price is 79.90, not 79.901'],
      ['too_precise', 'USD has 2 decimals: 84.901'],
      ['too_precise', 'USD has 2 decimals: 0.30000000000000004'],
      ['', ''],
      ['stale', 'The price is 84.90, not 79.9'],
    ]);
    expect(lines.slice(3).map(({ before, after }) => [before, after])).toEqual([
      [null, null],
      ...Array.from({ length: 4 }, () => [79.9, 79.9]),
      [79.9, 84.9],
      [84.9, 84.9],
    ]);
    expect(await shown()).toEqual([84.9, 82]);
  });

  it.each([
    ['JPY', '1250.00', 1250, '1250.5'],
    ['KWD', '1.234', 1.234, '1.2345'],
  ])('knows the decimals of %s', async (currency, price, after, tooPrecise) => {
    api = await application.withStore({ currency });
    await api.store.product({ sku: 'R-1', price: 1 });

    const { lines } = await change([to(price, null), to(tooPrecise, null)]);

    expect(lines).toMatchObject([
      { after, code: '' },
      { after, code: 'too_precise' },
    ]);
  });

  it('sets the prices of drafts, archived products and inactive variants, but a SKU means what can be ordered', async () => {
    const draft = await api.store.product({ sku: 'NEW', status: 'DRAFT' });
    const sold = await api.store.product({ sku: 'AGAIN' });
    const archived = await api.store.product({ sku: 'AGAIN', status: 'ARCHIVED' });
    const retired = await api.store.variant(runner, { sku: 'R-1-43', status: 'INACTIVE' });

    const { lines } = await change([
      to(1, null, { sku: 'NEW' }),
      to(2, null, { product_id: archived }),
      to(3, null, { sku: 'R-1-43' }),
      to(4, null, { sku: 'AGAIN' }),
    ]);

    expect(lines).toMatchObject([
      { product_id: draft, before: 10, after: 1, code: '' },
      { product_id: archived, before: 10, after: 2, code: '' },
      { product_id: runner, variant_id: retired, before: 10, after: 3, code: '' },
      { product_id: sold, before: 10, after: 4, code: '' },
    ]);
  });

  it('applies all lines or none when it is atomic, and names the refused ones', async () => {
    const lines = [to(85, 79.9), to(86, 79.9)];
    const { status, code, error } = await change(lines, { atomic: true, reference: 'ALL-1' });

    expect([status, code]).toEqual([422, 'prices_refused']);
    expect(error).toBe('Nothing was changed: lines[1]: stale: The price is 85.00, not 79.9');
    expect(await shown()).toEqual([79.9, 82]);
    expect((await change([to(85, 79.9)], { reference: 'ALL-1' })).status).toBe(200);
  });

  it('changes nothing where the price stays: no row, no time, no entry of the feed', async () => {
    const other = await api.store.product({ sku: 'OTHER', price: 100, stock: 3 });
    const reader = new FeedReader(api, 'kinds=products,skus,stock');
    await reader.catchUp();
    const versions = () =>
      application.database.query(
        `SELECT id, xmin::text FROM products WHERE store_id = $1
         UNION ALL SELECT id, xmin::text FROM product_variants WHERE store_id = $1 ORDER BY id`,
        [api.store.id],
      );
    const before = await versions();

    const { lines } = await change([
      to('79.90', 79.9),
      to(1, 82, { sku: 'R-1-42' }),
      to(82, 1, { sku: 'R-1-42' }),
      to(9, 2, { sku: 'OTHER' }),
    ]);

    expect(lines.map(({ code }) => code)).toEqual(['', '', '', 'stale']);
    expect(await versions()).toEqual(before);
    expect(await reader.catchUp()).toEqual([]);
    await change([to('79.90', 79.9), to(2, 1, { sku: 'OTHER' }), to(81, 82, { sku: 'R-1-42' })]);
    expect(new Set(await reader.catchUp())).toEqual(
      new Set([`products ${runner}`, `products ${other}`, `skus ${runner}-${blue}`, `skus ${other}`]),
    );
    expect(reader.copy.get(`skus ${runner}-${blue}`)).toMatchObject({
      data: { price: 81 },
    } satisfies Partial<FeedEntry>);
  });

  it('does not overwrite the price of a request that came first', async () => {
    const lock = `SELECT FROM products WHERE store_id = ${api.store.id} FOR UPDATE`;
    const holder = await openTransaction(application.database, lock);
    const both = Promise.all([change([to(85, 79.9)]), change([to(86, 79.9)])]);
    await eventually(async () => expect(await lockWaits(application.database)).toBe(2));
    await holder.end();

    const codes = (await both).map(({ lines }) => lines[0]?.code).sort();

    expect(codes).toEqual(['', 'stale']);
  });

  it('applies requests with the same reference once, apart from those of the stock', async () => {
    await api.post('/v1/stock', { reference: 'N-1', lines: [{ sku: 'R-1', adjust: 1 }] });
    const twice = () => Promise.all([1, 2].map(() => change([to(85, 79.9)], { reference: 'N-1' })));

    const bodies = new Set([...(await twice()), ...(await twice())].map(({ response }) => response.body));

    expect(bodies.size).toBe(1);
    expect([...bodies][0]).toContain('"after":85,"code":""');
    const other = await change([to(86, 85)], { reference: 'N-1' });
    expect([other.status, other.code]).toEqual([422, 'reference_taken']);
  });

  it('applies requests with the same idempotency key once', async () => {
    const key = { 'idempotency-key': 'prices-1' };
    const first = await change([to(85, 79.9)], {}, key);
    const second = await change([to(85, 79.9)], {}, key);

    expect(second.response.body).toBe(first.response.body);
    expect(second.response.headers['idempotent-replayed']).toBe('true');
    expect((await change([to(86, 85)], {}, key)).code).toBe('idempotency_mismatch');
  });

  const FORM = 'must be a decimal of at least 0 in major units, such as 79.90, as a number or text';
  it.each<[object, string]>([
    [{ expected: null }, 'price is required'],
    [{ price: 1 }, 'expected is required'],
    ...['', '1,50', '-1', '1e3', ' 1', '1.', true, {}, -1, '1e13'].map((price): [object, string] => [
      { price, expected: null },
      price === '' ? 'price is required' : `price ${FORM}`,
    ]),
    [{ price: 1, expected: '1,50' }, `expected ${FORM}`],
    ...['500000000.01', '100000000000.00', '9'.repeat(18), 1e11, 1e17].flatMap((high): [object, string][] => [
      [{ price: high, expected: null }, 'price must not be higher than 500000000.00'],
      [{ price: 1, expected: high }, 'expected must not be higher than 500000000.00'],
    ]),
    ...['9'.repeat(19), '9'.repeat(400), 1e21].flatMap((long): [object, string][] => [
      [{ price: long, expected: null }, `price ${FORM}`],
      [{ price: 1, expected: long }, `expected ${FORM}`],
    ]),
    [{ price: 1, expected: null, product_id: 1 }, 'must have either sku or product_id'],
    [{ price: 1, expected: null, variant_id: 1 }, 'variant_id requires product_id'],
    [{ price: 1, expected: null, currency: 'USD' }, 'currency is not a field of this request'],
    [[], 'must be an object'],
    [null as unknown as object, 'must be an object'],
  ])('refuses a line that is no price, and applies the others: %j', async (line, error) => {
    const sent = Array.isArray(line) || line === null ? line : { sku: 'R-1', ...line };

    const { status, lines } = await change([sent, to(85, 79.9)]);

    const nothing = { sku: '', product_id: null, variant_id: null, before: null, after: null };
    expect(status).toBe(200);
    expect(lines).toMatchObject([
      { line: 1, ...nothing, code: 'invalid', error },
      { line: 2, after: 85, code: '' },
    ]);
  });

  it('changes nothing when it is atomic and a line is no price', async () => {
    const { status, code, error } = await change([to(85, 79.9), { sku: 'R-1', price: '1,50' }], { atomic: true });

    expect([status, code]).toEqual([422, 'prices_refused']);
    expect(error).toBe(`Nothing was changed: lines[1]: invalid: price ${FORM}`);
    expect(await shown()).toEqual([79.9, 82]);
  });

  it('tells two requests with a reference apart by their malformed lines', async () => {
    const first = await change([to('1,50', null)], { reference: 'BAD-1' });
    const again = await change([to('1,50', null)], { reference: 'BAD-1' });
    const other = await change([to('2,50', null)], { reference: 'BAD-1' });

    expect([first.lines[0]?.code, again.response.body]).toEqual(['invalid', first.response.body]);
    expect(other.code).toBe('reference_taken');
  });

  it('takes 1 to 500 lines', async () => {
    const lines = (count: number) => Array.from({ length: count }, () => to(85, null));

    expect((await change(lines(500))).lines).toHaveLength(500);
    expect((await change(lines(501))).error).toBe('lines must have 1 to 500 entries');
    expect((await change([])).error).toBe('lines must have 1 to 500 entries');
  });

  it('neither deadlocks with orders that empty bins nor makes them fail', async () => {
    const products = await Promise.all(
      Array.from({ length: 20 }, (_, n) => api.store.product({ sku: `M-${n}`, stock: 1 })),
    );
    const orders = products.map((_, n) => {
      const picked = [products[n], products[(n * 7 + 3) % 20]];
      const items = picked.map((product_id) => ({ product_id, quantity: 1 }));
      return api.post('/v1/orders', { items, customer: { name: 'Ada' } });
    });
    const lines = products.map((product_id) => to(11, null, { product_id }));
    const changes = [lines, lines.toReversed()].map((each) => change(each));

    const [placed, changed] = await Promise.all([Promise.all(orders), Promise.all(changes)]);

    expect(new Set(placed.map(({ statusCode }) => statusCode))).toEqual(new Set([201, 422]));
    expect(changed.map(({ status }) => status)).toEqual([200, 200]);
    const [database] = await application.database.query<{ deadlocks: number }>(
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(database?.deadlocks).toBe(0);
  });
});

describe('a key whose scope names catalog', () => {
  let draft: number;
  let headers: Record<string, string>;
  beforeEach(async () => {
    draft = await api.store.product({ name: 'Draft', slug: 'draft', sku: 'D-1', status: 'DRAFT' });
    await api.store.product({ slug: 'old', status: 'ARCHIVED' });
    headers = { authorization: `Bearer ${await api.store.createKey('live', 'read,catalog')}` };
  });

  const listed = async (query: string, more: Record<string, string> = headers) => {
    const response = await api.get(`/v1/products?sort=created_at${query}`, more);
    const { data, pagination } = response.json<{ data?: { status: string }[]; pagination?: { total: number } }>();
    return {
      rows: [pagination?.total, ...(data ?? []).map(({ status }) => status)],
      ignored: response.headers['x-ignored-parameters'],
      status: response.statusCode,
    };
  };

  it('lists products of other statuses when it asks for them', async () => {
    expect((await listed('')).rows).toEqual([1, 'ACTIVE']);
    expect((await listed('&status=DRAFT,ARCHIVED,ACTIVE')).rows).toEqual([3, 'ACTIVE', 'DRAFT', 'ARCHIVED']);
    expect((await listed('&status=draft&search=raf')).rows).toEqual([1, 'DRAFT']);
    expect((await listed('&status=draft,archived&sku=d-1')).rows).toEqual([1, 'DRAFT']);
    expect((await listed('&status=DRAFT&include=updated_at')).rows).toEqual([1, 'DRAFT']);
    expect((await listed('&status=SOLD')).rows).toEqual([0]);
    expect((await listed('&status=SOLD', { ...headers, prefer: 'handling=strict' })).status).toBe(400);
  });

  it('reads one by its id and slug', async () => {
    for (const reference of [draft, 'draft', 'old', runner]) {
      expect((await api.get(`/v1/products/${reference}`, headers)).statusCode).toBe(200);
    }
    expect((await api.get(`/v1/products/${draft}`, headers)).json()).toMatchObject({
      data: { id: String(draft), status: 'DRAFT', sku: 'D-1', price: 10 },
    });
  });

  it.each([
    ['full', [1, 'DRAFT'], [2, 'ACTIVE', 'ARCHIVED']],
    ['read', [0], [1, 'ACTIVE']],
  ] as const)('a %s key lists those that it asks for and may see, and opens none', async (scope, drafts, others) => {
    const other = { authorization: `Bearer ${await api.store.createKey('live', scope)}` };

    expect((await listed('', other)).rows).toEqual([1, 'ACTIVE']);
    for (const prefer of ['handling=lenient', 'handling=strict']) {
      const { rows, ignored } = await listed('&status=DRAFT', { ...other, prefer });
      expect([rows, ignored]).toEqual([drafts, undefined]);
      expect((await listed('&status=ACTIVE,ARCHIVED', { ...other, prefer })).rows).toEqual(others);
    }
    for (const reference of [draft, 'draft', 'old']) {
      expect((await api.get(`/v1/products/${reference}`, other)).statusCode).toBe(404);
    }
  });
});
