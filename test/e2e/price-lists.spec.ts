import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Line {
  readonly before: number | null;
  readonly after: number | null;
  readonly code: string;
  readonly error: string;
}

interface Prices {
  readonly sku: string;
  readonly price_breaks: readonly { readonly from_quantity: number; readonly price: number }[];
  readonly min_quantity: number | null;
  readonly step: number | null;
}

let application: RunningApi;
beforeAll(async () => (application = await startApi({ DATABASE_POOL_SIZE: '10', THROTTLE_PER_10S: '0' })));
afterAll(() => application.stop());

let api: RunningApi;
let runner: number;
let blue: number;
beforeEach(async () => {
  api = await application.withStore();
  runner = await api.store.product({ sku: 'R-1', price: 7990 });
  blue = await api.store.variant(runner, { sku: 'R-1-42', price: 8200 });
});

const send = (method: 'PUT' | 'DELETE', code: string, body?: object, key = api.store.key) =>
  api.inject({
    ...{ method, url: `/v1/price-lists/${encodeURIComponent(code)}`, headers: { authorization: `Bearer ${key}` } },
    ...(body && { payload: body }),
  });

async function put(code: string, body: object = {}) {
  const response = await send('PUT', code, { name: `List ${code}`, ...body });
  return {
    status: response.statusCode,
    code: response.headers['x-error-code'],
    ...response.json<{ data?: object; error?: string }>(),
  };
}

async function change(list: string | null, lines: readonly object[], more: object = {}, headers = {}) {
  const response = await api.post('/v1/prices', { list, lines, ...more }, headers);
  const { data, error, faults } = response.json<{ data?: { lines: Line[] }; error?: string; faults?: object[] }>();
  const code = response.headers['x-error-code'];
  return { status: response.statusCode, code, error, faults, lines: data?.lines ?? [], headers: response.headers };
}

const price = (value: number | string | null, more: object = {}) => ({
  sku: 'R-1',
  price: value,
  expected: null,
  ...more,
});

async function prices(query: string): Promise<{ data: Prices[]; cursor: string; has_more: boolean }> {
  return (await api.get(`/v1/prices?${query}`)).json();
}

const shown = async (query: string) =>
  (await prices(query)).data.map(({ sku, price_breaks: breaks, min_quantity, step }) => [
    sku,
    breaks.map((each) => `${each.from_quantity}: ${each.price}`).join(', '),
    ...(step === null ? [] : [`${min_quantity} in ${step}`]),
  ]);

describe('PUT /v1/price-lists/{code}', () => {
  it('creates a list, and replaces what it says but not its prices', async () => {
    const terms = { priority: 10, valid_from: '2026-01-01', valid_to: '2026-12-31', customer_groups: ['reseller'] };
    const list = { code: 'RESELLER', name: 'Resellers', currency: 'USD', ...terms };
    expect(await put('RESELLER', { name: ' Resellers ', currency: 'usd', ...terms })).toMatchObject({
      status: 200,
      data: list,
    });
    await change('RESELLER', [price(65)]);
    expect((await api.get('/v1/price-lists/RESELLER')).json()).toEqual({ success: true, data: list });

    const replaced = {
      code: 'RESELLER',
      name: 'R',
      currency: 'USD',
      priority: 0,
      valid_from: null,
      valid_to: null,
      customer_groups: [],
    };
    expect(await put('RESELLER', { name: 'R' })).toMatchObject({ status: 200, data: replaced });

    expect((await api.get('/v1/price-lists/RESELLER')).json()).toEqual({ success: true, data: replaced });
    expect(await shown('list=RESELLER')).toEqual([['R-1', '1: 65']]);
  });

  it.each<[string, object, number, string]>([
    ['A B', {}, 400, 'code must be 1 to 64 characters without whitespace or slashes'],
    ['x'.repeat(65), {}, 400, 'code must be 1 to 64 characters without whitespace or slashes'],
    ['VIP\u2764\ufe0f', {}, 400, 'code must be 1 to 64 visible characters, with plain spaces only between them'],
    ['A', { name: ' ' }, 400, 'name is required'],
    ['A', { valid_from: '2026-02-30' }, 400, 'valid_from must be a date such as 2026-03-29'],
    ['A', { valid_from: '2026-03-02', valid_to: '2026-03-01' }, 400, 'valid_to must not be before valid_from'],
    ['A', { priority: 1.5 }, 400, 'priority must be an integer from -2147483647 to 2147483647'],
    ['A', { customer_groups: ['a', 'a'] }, 400, 'customer_groups must be a list of at most 100 different texts'],
    ['A', { customer_groups: [' a'] }, 400, 'customer_groups must be a list of at most 100 different texts'],
    [
      'A',
      { customer_groups: Array.from({ length: 101 }, (_, n) => `g${n}`) },
      400,
      'customer_groups must be a list of',
    ],
    ['A', { currency: 'EUR' }, 422, 'currency must be USD, the currency of the store'],
    ['A', { group: 'a' }, 400, 'group is not a field of this request'],
  ])('refuses %j with %j', async (code, body, status, error) => {
    const refused = await put(code, body);

    expect(refused).toMatchObject({ status, error: expect.stringContaining(error) as string });
    expect((await api.get('/v1/price-lists')).json()).toMatchObject({ data: [] });
  });

  it('makes at most 1,000 lists, also two at once, and still replaces each of them', async () => {
    await api.database.query(
      `INSERT INTO price_lists (store_id, code, name) SELECT $1, 'L-' || n, 'x' FROM generate_series(1, 999) AS n`,
      [api.store.id],
    );

    const made = await Promise.all([put('ONE'), put('TWO')]);

    expect(made.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(made.find(({ status }) => status === 422)).toMatchObject({
      ...{ code: 'too_many_records', error: 'A store can have at most 1000 price lists' },
    });
    expect((await put('L-1', { name: 'New' })).status).toBe(200);
  });

  it('touches no list of another store, whatever its code', async () => {
    const other = await application.withStore();
    await other.store.priceList({ code: 'SAME', name: 'Theirs', groups: ['g'] });
    await other.store.listPrice('SAME', { productId: await other.store.product({ sku: 'T' }), price: 1 });
    const rows = () =>
      api.database.query(
        'SELECT to_jsonb(price_lists), to_jsonb(list_prices) FROM price_lists JOIN list_prices USING (store_id) WHERE store_id = $1',
        [other.store.id],
      );
    const before = await rows();

    expect((await api.get('/v1/price-lists/SAME')).statusCode).toBe(404);
    expect((await send('DELETE', 'SAME')).statusCode).toBe(404);
    expect(await change('SAME', [price(1)])).toMatchObject({ status: 422, code: 'unknown_price_list' });
    expect(await prices('list=SAME')).toMatchObject({ data: [], has_more: false });
    expect((await api.get('/v1/price-lists?customer_group=g')).json()).toMatchObject({ data: [] });
    expect((await put('SAME')).status).toBe(200);
    expect((await send('DELETE', 'SAME')).statusCode).toBe(200);

    expect(await rows()).toEqual(before);
  });

  it('needs the scope catalog, as its deletion does', async () => {
    const key = await api.store.createKey('live', 'read,orders');

    const answers = [await send('PUT', 'A', { name: 'A' }, key), await send('DELETE', 'A', undefined, key)];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403]);
  });
});

describe('GET /v1/price-lists', () => {
  beforeEach(async () => {
    await put('b', { customer_groups: ['vip', 'staff'], valid_from: '2026-03-01', valid_to: '2026-03-31' });
    await put('B', { customer_groups: ['staff'], valid_to: '2026-02-28' });
    await put('a', { valid_from: '2026-04-01' });
    await put('A');
  });

  it.each<[string, ...string[]]>([
    ['', 'A', 'B', 'a', 'b'],
    ['limit=2&page=2', 'a', 'b'],
    ['code=b', 'b'],
    ['code=c'],
    ['code=%00'],
    ['customer_group=staff', 'B', 'b'],
    ['customer_group=STAFF'],
    ['valid_on=2026-02-28', 'A', 'B'],
    ['valid_on=2026-03-01', 'A', 'b'],
    ['valid_on=2026-03-31', 'A', 'b'],
    ['valid_on=2026-04-01', 'A', 'a'],
    ['valid_on=2026-03-31&customer_group=vip', 'b'],
  ])('lists them by code points, by %j', async (query, ...expected) => {
    const { data, pagination } = (await api.get(`/v1/price-lists?${query}`)).json<{
      data: { code: string }[];
      pagination: { total: number };
    }>();

    expect(data.map(({ code }) => code)).toEqual(expected);
    expect(pagination.total).toBe(query.startsWith('limit') ? 4 : expected.length);
  });

  it('rejects what is no day', async () => {
    const { statusCode, body } = await api.get('/v1/price-lists?valid_on=today');

    expect([statusCode, body]).toEqual([400, expect.stringContaining('valid_on must be a date')]);
  });
});

describe('POST /v1/prices with a list', () => {
  beforeEach(() => put('VIP'));

  it('sets, changes and removes prices by quantity, and leaves the catalog alone', async () => {
    const first = await change('VIP', [
      price(70),
      price('65.50', { from_quantity: 12 }),
      price(60, { sku: 'R-1-42', from_quantity: 100 }),
    ]);
    const second = await change('VIP', [
      price(69, { expected: 70 }),
      price(null, { expected: '65.5', from_quantity: 12 }),
      price(61, { sku: null, product_id: runner, variant_id: blue, expected: 60, from_quantity: 100 }),
    ]);

    expect(first.lines.map(({ before, after, code }) => [before, after, code])).toEqual([
      [null, 70, ''],
      [null, 65.5, ''],
      [null, 60, ''],
    ]);
    expect(second.lines.map(({ before, after, code }) => [before, after, code])).toEqual([
      [70, 69, ''],
      [65.5, null, ''],
      [60, 61, ''],
    ]);
    expect(await shown('list=VIP')).toEqual([
      ['R-1', '1: 69'],
      ['R-1-42', '100: 61'],
    ]);
    expect(await shown('')).toEqual([
      ['R-1', '1: 79.9'],
      ['R-1-42', '1: 82'],
    ]);
  });

  it('refuses lines one by one, or all of them when it is atomic', async () => {
    await change('VIP', [price(70)]);
    const lines = [
      price(1, { expected: 71 }),
      price(1, { expected: 70, from_quantity: 2 }),
      price(1, { sku: 'NONE' }),
      price('1.001'),
      price(1, { from_quantity: 0 }),
      price(1, { from_quantity: 99_901 }),
      { sku: 'R-1', expected: null },
      { sku: 'R-1-42', step: 2 },
      price(69),
    ];

    const atomic = await change('VIP', lines, { atomic: true });
    const { lines: results } = await change('VIP', lines);

    expect(atomic).toMatchObject({ status: 422, code: 'prices_refused' });
    expect(results.map(({ code, error }) => [code, error])).toEqual([
      ['stale', 'The price is 70.00, not 71'],
      ['stale', 'The list has no price for this quantity, not 70'],
      ['unknown_sku', 'The store has no product or variant with the SKU NONE'],
      ['too_precise', 'USD has 2 decimals: 1.001'],
      ['invalid', 'from_quantity must be an integer from 1 to 99900'],
      ['invalid', 'from_quantity must be an integer from 1 to 99900'],
      ['invalid', 'price is required'],
      ['stale', 'The list has no price for the unit'],
      ['', ''],
    ]);
    expect(await shown('list=VIP')).toEqual([['R-1', '1: 69']]);
  });

  it('names the list that the store does not have, and a code that is none', async () => {
    expect(await change('NONE', [price(1)])).toMatchObject({
      ...{ status: 422, code: 'unknown_price_list', error: 'The store has no price list NONE' },
      faults: [{ path: 'list', message: 'The store has no price list NONE' }],
    });
    expect(await change('', [price(1)])).toMatchObject({ status: 400 });
  });

  it('takes no quantity and removes no price without a list', async () => {
    const { lines } = await change(null, [price(1, { from_quantity: 2 }), price(null)]);

    expect(lines.map(({ code, error }) => [code, error])).toEqual([
      ['invalid', 'from_quantity requires list'],
      ['invalid', 'price is required'],
    ]);
  });

  it('has at most 20 prices of a unit', async () => {
    const all = Array.from({ length: 21 }, (_, n) => price(90 - n, { from_quantity: n + 1 }));

    const { lines } = await change('VIP', all);
    const { lines: again } = await change('VIP', [price(null), price(1, { from_quantity: 21 })]);

    expect(lines.map(({ code }) => code)).toEqual([...Array<string>(20).fill(''), 'too_many_prices']);
    expect(lines[20]?.error).toBe('A list can have at most 20 prices for each product or variant');
    expect(again.map(({ code }) => code)).toEqual(['', '']);
  });

  it('leaves no rule for a unit that has no price in the list', async () => {
    await put('VIP');
    const rule = { sku: 'R-1', min_quantity: 500, step: 500 };

    await change('VIP', [{ ...rule, price: null, expected: null }]);
    await change('VIP', [
      { ...rule, price: '70.00' },
      { sku: 'R-1', price: null },
    ]);

    const rules = 'SELECT list FROM quantity_rules WHERE store_id = $1';
    expect(await api.database.query(rules, [api.store.id])).toEqual([]);
  });

  it('is applied once for a reference and for a key, which are those of the catalog, too', async () => {
    const key = { 'idempotency-key': 'k-1' };
    const first = await change('VIP', [price(70)], { reference: 'P-1' }, key);
    const replays = [
      await change('VIP', [price(70)], { reference: 'P-1' }, key),
      await change('VIP', [price(70)], { reference: 'P-1' }),
    ];
    await put('OTHER');

    expect(replays.map(({ lines }) => lines)).toEqual([first.lines, first.lines]);
    expect(replays.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    expect(await change('OTHER', [price(70)], { reference: 'P-1' })).toMatchObject({ code: 'reference_taken' });
  });

  it('lets one of two requests change an expected price', async () => {
    await change('VIP', [price(70)]);

    const outcomes = await Promise.all([71, 72, 73, 74].map((to) => change('VIP', [price(to, { expected: 70 })])));

    expect(outcomes.flatMap(({ lines }) => lines.map(({ code }) => code)).sort()).toEqual([
      '',
      'stale',
      'stale',
      'stale',
    ]);
  });

  it('waits for the request before, and sees what that has written', async () => {
    await change('VIP', [price(70)]);
    const writer = await openTransaction(api.database);
    await writer.query('SELECT 1 FROM price_lists WHERE store_id = $1 FOR NO KEY UPDATE', [api.store.id]);
    await writer.query('UPDATE list_prices SET price = 7100 WHERE store_id = $1', [api.store.id]);

    const waiting = change('VIP', [price(72, { expected: 70 })]);
    await eventually(async () => expect(await lockWaits(api.database)).toBe(1));
    await writer.query('COMMIT');
    await writer.end();

    expect((await waiting).lines).toMatchObject([{ before: 71, after: 71, code: 'stale' }]);
  });
});

describe('the rules of quantity', () => {
  it('are those of the catalog without a list: with the price, or alone', async () => {
    await change(null, [price(80, { min_quantity: 6, step: 6 }), { sku: 'R-1-42', min_quantity: 3 }]);
    expect(await shown('')).toEqual([
      ['R-1', '1: 80', '6 in 6'],
      ['R-1-42', '1: 82', '3 in 1'],
    ]);

    await change(null, [price(81), { sku: 'R-1-42', step: 4 }]);
    expect(await shown('')).toEqual([
      ['R-1', '1: 81', '6 in 6'],
      ['R-1-42', '1: 82', '1 in 4'],
    ]);

    await change(null, [
      { sku: 'R-1', min_quantity: null },
      { sku: 'R-1-42', step: null, min_quantity: null },
    ]);
    expect(await shown('')).toEqual([
      ['R-1', '1: 81'],
      ['R-1-42', '1: 82'],
    ]);
  });

  it('leave the price of a variant that follows its product', async () => {
    await api.database.query('UPDATE product_variants SET price = NULL WHERE id = $1', [blue]);

    await change(null, [{ sku: 'R-1-42', min_quantity: 3 }]);
    await change(null, [price(50)]);

    expect(await shown('sku=R-1-42')).toEqual([['R-1-42', '1: 50', '3 in 1']]);
  });

  it('of a list go with the last price of the unit, and a refused line gives none', async () => {
    await put('VIP');
    await change('VIP', [price(70, { step: 2 }), price(60, { from_quantity: 5 }), price(1, { expected: 5, step: 9 })]);
    expect(await shown('list=VIP')).toEqual([['R-1', '1: 70, 5: 60', '1 in 2']]);

    await change('VIP', [price(null)]);
    expect(await shown('list=VIP')).toEqual([['R-1', '5: 60', '1 in 2']]);
    await change('VIP', [price(null, { from_quantity: 5 })]);
    await change('VIP', [price(70)]);

    expect(await shown('list=VIP')).toEqual([['R-1', '1: 70']]);
    expect(await shown('sku=R-1')).toEqual([['R-1', '1: 79.9']]);
  });
});

describe('GET /v1/prices', () => {
  it('has every unit once, page by page, in the catalog and in a list', async () => {
    await put('VIP');
    await api.store.variant(runner, { sku: 'R-1-43', status: 'INACTIVE', price: 100 });
    await api.store.product({ sku: 'DRAFT', status: 'DRAFT', price: 200 });
    const skus = ['R-1', 'R-1-42', 'R-1-43', 'DRAFT'];
    await change(
      'VIP',
      skus.slice(1).flatMap((sku) => [price(2, { sku }), price(1, { sku, from_quantity: 9 })]),
    );

    for (const [list, expected] of [
      ['', skus],
      ['&list=VIP', skus.slice(1)],
    ] as const) {
      for (const limit of [1, 2, 3, 100]) {
        const read: string[] = [];
        for (
          let page = await prices(`limit=${limit}${list}`);
          ;
          page = await prices(`limit=${limit}${list}&cursor=${page.cursor}`)
        ) {
          read.push(...page.data.map(({ sku }) => sku));
          if (!page.has_more) break;
        }
        expect([list, limit, read]).toEqual([list, limit, expected]);
      }
    }
  });

  it('filters by SKUs, which mean what they mean in a change', async () => {
    await put('VIP');
    await change('VIP', [price(70)]);
    await api.store.product({ sku: 'r-1', status: 'ARCHIVED' });
    await api.store.product({ sku: 'AGAIN', status: 'ARCHIVED', price: 100 });
    await api.store.product({ sku: 'AGAIN', price: 200 });

    expect(await shown('sku=R-1,NONE,AGAIN')).toEqual([
      ['R-1', '1: 79.9'],
      ['AGAIN', '1: 2'],
    ]);
    expect(await shown('list=VIP&sku=R-1,R-1-42')).toEqual([['R-1', '1: 70']]);
    expect(await shown('sku=')).toEqual([]);
    expect(await shown('list=NONE')).toEqual([]);
    expect(await shown('list=')).toEqual([]);
  });

  it('takes no cursor of another store, and no damaged one', async () => {
    const { cursor } = await prices('limit=1');
    const other = await application.withStore();

    const answers = [
      await other.get(`/v1/prices?cursor=${cursor}`),
      await api.get(`/v1/prices?cursor=${cursor.slice(1)}`),
    ];

    expect(answers.map(({ headers }) => headers['x-error-code'])).toEqual(['cursor_invalid', 'cursor_invalid']);
  });
});

describe('DELETE /v1/price-lists/{code}', () => {
  it('deletes the list with its prices and rules, and answers with it', async () => {
    await put('VIP', { customer_groups: ['vip'] });
    await put('OTHER');
    await change('VIP', [price(70, { step: 2 }), price(1, { sku: 'R-1-42' })]);
    await change('OTHER', [price(71, { step: 3 })]);
    await change(null, [{ sku: 'R-1', step: 5 }]);

    const deleted = await send('DELETE', 'VIP');

    expect([deleted.statusCode, deleted.json()]).toMatchObject([
      200,
      { data: { code: 'VIP', customer_groups: ['vip'] } },
    ]);
    expect((await send('DELETE', 'VIP')).statusCode).toBe(404);
    const left = await api.database.query(
      `SELECT list FROM list_prices WHERE store_id = $1 UNION ALL SELECT list FROM quantity_rules WHERE store_id = $1 ORDER BY 1`,
      [api.store.id],
    );
    expect(left).toEqual([{ list: '' }, { list: 'OTHER' }, { list: 'OTHER' }]);
  });

  it('is refused while a customer has the list, and changes nothing', async () => {
    await put('VIP');
    await change('VIP', [price(70)]);
    const id = await api.store.customer();
    await api.database.query('UPDATE customers SET price_list = $2 WHERE id = $1', [id, 'VIP']);

    const refused = await send('DELETE', 'VIP');

    expect([refused.statusCode, refused.json()]).toMatchObject([
      422,
      { code: 'price_list_in_use', error: 'Customers use the price list VIP: first assign them another one, or none' },
    ]);
    expect(await shown('list=VIP')).toEqual([['R-1', '1: 70']]);
  });

  it('deletes a list of many prices as a whole or not at all', async () => {
    await put('VIP', { customer_groups: ['vip'] });
    await api.database.query(
      `INSERT INTO list_prices (store_id, list, product_id, from_quantity, price)
       SELECT $1, 'VIP', $2, n, 1 FROM generate_series(1, 11000) AS n`,
      [api.store.id, runner],
    );

    const left = async () => ({
      list: (await api.get('/v1/price-lists/VIP')).json<object>(),
      prices: await api.database.query('SELECT count(*)::int AS count FROM list_prices WHERE store_id = $1', [
        api.store.id,
      ]),
    });
    const before = await left();
    const last = `SELECT FROM list_prices WHERE store_id = ${api.store.id} AND from_quantity = 11000 FOR UPDATE`;
    const other = await openTransaction(api.database, last);

    const late = await send('DELETE', 'VIP');
    await other.query('ROLLBACK');

    expect([late.statusCode, await left()]).toEqual([503, before]);
    expect((await send('DELETE', 'VIP')).statusCode).toBe(200);
    expect(await api.database.query('SELECT 1 FROM list_prices WHERE store_id = $1', [api.store.id])).toEqual([]);
  });
});
