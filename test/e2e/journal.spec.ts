import { writeStoreExport, type BundleLine } from '@app/bundles';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { anOrderBody } from '../builders/order-body.js';
import { bundleImports } from '../support/bundle-imports.js';
import { commandLine } from '../support/command-line.js';
import { orderChanges, outcome, PAY, startShop, withKey } from '../support/order-changes.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Row {
  readonly id: string;
  readonly at: string;
  readonly booked_at: string;
  readonly kind: string;
  readonly order_id: string;
  readonly receipt_number: string;
  readonly reference: string;
  readonly charged: number;
  readonly credited: number;
  readonly paid: number;
  readonly refunded: number;
  readonly tax_lines: readonly object[];
}

interface Page {
  readonly data: readonly Row[];
  readonly cursor: string;
  readonly has_more: boolean;
}

interface Amounts {
  readonly total_amount: number;
  readonly amount_credited: number;
  readonly amount_paid: number;
  readonly amount_refunded: number;
}

let api: RunningApi;
let mug: number;
let tee: number;
beforeAll(async () => ({ api, mug, tee } = await startShop()));
afterAll(() => api.stop());
const { orders, place, post } = orderChanges(() => ({ api, mug, tee }));
const { cli, directory } = commandLine(() => api.database);
const { importLines } = bundleImports(() => api.database);

const UNIT = [{ line: 1, quantity: 1 }];
const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const journal = async (query: string, of = api) => (await of.get(`/v1/journal?limit=100&${query}`)).json<Page>();
const rowsOf = async (id: string) => (await journal(`order_id=${id}`)).data;
const briefly = ({ kind, reference, charged, credited, paid, refunded }: Row) =>
  [kind, reference, charged, credited, paid, refunded].join(' ').trim();

function sumsOf(rows: readonly Row[]): Amounts {
  const sum = (field: 'charged' | 'credited' | 'paid' | 'refunded') =>
    rows.reduce((total, row) => total + row[field], 0);
  return {
    total_amount: sum('charged'),
    amount_credited: sum('credited'),
    amount_paid: sum('paid'),
    amount_refunded: sum('refunded'),
  };
}

async function expectSums(id: string): Promise<void> {
  const { total_amount, amount_credited, amount_paid, amount_refunded } = await orders.read<Amounts & object>(id);
  expect(sumsOf(await rowsOf(id))).toEqual({ total_amount, amount_credited, amount_paid, amount_refunded });
}

/** Places an order that is this many days old. */
async function placedAgo(days: number): Promise<string> {
  const id = await place();
  await api.database.query('UPDATE orders SET created_at = $2 WHERE id = $1', [id, ago(days)]);
  return id;
}

/** Reads pages from the cursor, or from the beginning. */
async function pages(query: string, limit: number, cursor = ''): Promise<readonly Row[][]> {
  const page = (await api.get(`/v1/journal?limit=${limit}&cursor=${cursor}&${query}`)).json<Page>();
  return [[...page.data], ...(page.has_more ? await pages(query, limit, page.cursor) : [])];
}

describe('the journal', () => {
  it('has a cancellation at its time, also where it sends no mail and returns no stock', async () => {
    const id = await place();
    const at = new Date(Date.now() - 3_600_000).toISOString();

    await post(id, 'cancel', { notify: false, restock: false, at });

    const rows = (await rowsOf(id)).map((row) => [row.kind, row.at]);
    expect(rows).toContainEqual(['cancellation', at]);
  });

  it('has a row for each change of the amounts of an order, with what its payment and its actor are', async () => {
    const id = await place();
    const details = { method: 'card', fee: 55, payout: 'po_1' };
    await post(id, 'lines', { set: [{ line: 2, quantity: 3 }] });
    await post(id, 'cancel', { items: UNIT });
    await post(id, 'payments', { ...PAY, amount: 3000, partial: true, ...details });
    await post(id, 'payments', { ...PAY, reference: 'pi_2', amount: 400, settles: true });
    await post(id, 'shipments', { reference: 'S-1', notify: false });
    await post(id, 'refunds', { reference: 're_1', amount: 900, lines: UNIT, notify: false });
    await post(id, 'refunds', { reference: 'cb_1', amount: 1000, reason: 'chargeback', notify: false });

    const rows = await rowsOf(id);

    expect(rows.map(briefly)).toEqual([
      'order  3500 0 0 0',
      'lines  1000 0 0 0',
      'credit  0 1000 0 0',
      'payment pi_1 0 0 3000 0',
      'payment pi_2 0 0 400 0',
      'write_off pi_2 0 100 0 0',
      'refund re_1 0 0 0 900',
      'credit re_1 0 900 0 0',
      'chargeback cb_1 0 0 0 1000',
    ]);
    await expectSums(id);
    const { payments } = await orders.read<{ payments: readonly { at: string }[] }>(id);
    const actor = expect.objectContaining({ type: 'key', id: expect.any(String) as string }) as object;
    const common = { order_id: id, external_reference: '', currency: 'USD', tax_lines: [], actor };
    const none = { method: '', fee: 0, payout: '' };
    expect(rows[0]).toMatchObject({ ...common, ...none, receipt_number: expect.stringMatching(/^WEB-/) as string });
    expect(rows[0]?.booked_at).toBe(rows[0]?.at);
    expect(rows[3]).toMatchObject({ ...common, ...details, at: payments[0]?.at });
    expect(rows[5]).toMatchObject({ ...none, at: payments[1]?.at });
  });

  it('books what an operator sets, and takes it back when it is recorded', async () => {
    const [paid, cancelled, unpaid] = [await place(), await place(), await place()];
    await cli(['orders', 'set-status', paid, '--status', 'SUCCEEDED']);
    await post(paid, 'payments', PAY);
    await cli(['orders', 'set-status', paid, '--status', 'REFUNDED']);
    await post(cancelled, 'payments', { ...PAY, amount: 500, partial: true });
    await post(cancelled, 'cancel', { notify: false });
    await cli(['orders', 'set-status', unpaid, '--status', 'CANCELLED']);

    expect((await rowsOf(paid)).map(briefly)).toEqual([
      ...['order  3500 0 0 0', 'payment  0 0 3500 0', 'payment pi_1 0 0 3500 0', 'payment  0 0 -3500 0'],
      ...['refund REFUNDED 0 0 0 3500', 'credit REFUNDED 0 3500 0 0'],
    ]);
    expect((await rowsOf(cancelled)).map(briefly)).toEqual([
      ...['order  3500 0 0 0', 'payment pi_1 0 0 500 0', 'cancellation  0 3500 0 0'],
    ]);
    expect((await rowsOf(unpaid)).map(briefly)).toEqual(['order  3500 0 0 0', 'cancellation  0 3500 0 0']);
    for (const id of [paid, cancelled, unpaid]) await expectSums(id);
    expect((await rowsOf(unpaid))[1]).toMatchObject({ actor: { type: 'operator' } });
  });

  it('writes nothing for an order that is placed, and no row twice for a repeated request', async () => {
    const count = async () => (await api.database.query<{ count: string }>('SELECT count(*) FROM bookings'))[0]?.count;
    const before = await count();
    const id = await place();
    expect(await count()).toBe(before);

    for (let times = 0; times < 2; times++) {
      await post(id, 'payments', { ...PAY, amount: 500, partial: true });
      await post(id, 'cancel', { items: UNIT }, withKey('k'));
    }

    expect((await rowsOf(id)).map(briefly)).toEqual([
      ...['order  3500 0 0 0', 'payment pi_1 0 0 500 0', 'credit  0 1000 0 0'],
    ]);
  });

  it('keeps its rows', async () => {
    await post(await place(), 'payments', PAY);

    for (const change of ['UPDATE bookings SET paid = 0', 'DELETE FROM bookings', 'TRUNCATE bookings']) {
      await expect(api.database.query(change)).rejects.toThrow('append-only');
    }
  });
});

describe('a change with a time', () => {
  it.each([
    ['payments', PAY, 201, 'payment'],
    ['cancel', { items: UNIT }, 200, 'credit'],
    ['cancel', { notify: false }, 200, 'cancellation'],
    ['lines', { set: [{ line: 1, quantity: 4 }] }, 200, 'lines'],
  ])('by %s %j counts for it', async (route, body, status, kind) => {
    const id = await placedAgo(70);
    const at = ago(59);

    const response = await post(id, route, { ...body, at });

    expect(response.statusCode).toBe(status);
    const [, row] = await rowsOf(id);
    expect(row).toMatchObject({ kind, at });
    expect(Date.parse(row?.booked_at ?? '')).toBeGreaterThan(Date.parse(ago(1)));
    expect((await journal(`from=${at}&to=${ago(58)}&order_id=${id}`)).data).toEqual([row]);
  });

  it.each([
    ['payments', PAY],
    ['refunds', { reference: 're_1', amount: 100, notify: false }],
    ['cancel', {}],
    ['lines', { set: [{ line: 1, quantity: 4 }] }],
  ])('by %s is refused more than a day before the order and more than 60 days ago', async (route, body) => {
    const [old, fresh] = [await placedAgo(90), await placedAgo(5)];
    const first = { ...PAY, reference: 'pi_0', partial: true, amount: 200 };
    for (const id of [old, fresh]) await post(id, 'payments', first);
    const { created_at } = await orders.read<{ created_at: string }>(fresh);
    const tooEarly = [422, 'dated_too_early'];

    expect(await outcome(post(old, route, { ...body, at: ago(61) }))).toEqual(tooEarly);
    expect(await outcome(post(fresh, route, { ...body, at: ago(6.1) }))).toEqual(tooEarly);
    expect((await post(fresh, route, { ...body, at: ago(6.1) })).json()).toMatchObject({
      error: `at must be ${new Date(Date.parse(created_at) - DAY_MS).toISOString()} or later`,
    });
    expect(await outcome(post(fresh, route, { ...body, at: ago(-2) }))).toEqual([400, 'invalid_request']);
    expect((await rowsOf(fresh)).map(({ kind }) => kind)).toEqual(['order', 'payment']);
    expect(await outcome(post(fresh, route, { ...body, at: ago(5.9) }))).toEqual([expect.any(Number), undefined]);
  });

  it('may be repeated when the time has become too old', async () => {
    const id = await placedAgo(70);
    expect((await post(id, 'payments', PAY)).statusCode).toBe(201);

    expect((await post(id, 'payments', { ...PAY, at: ago(69) })).statusCode).toBe(201);
  });
});

describe('GET /v1/journal', () => {
  let shop: RunningApi;
  beforeAll(async () => {
    shop = await api.withStore();
    const now = Date.now();
    const [late, ...times] = [12, 20, 19, 18, 18, 16, 15, 14].map((days) => new Date(now - days * DAY_MS));
    for (const [n, created_at] of times.entries()) {
      const isTest = n === 6;
      const id = await shop.store.order({ status: 'PENDING', created_at, is_test: isTest });
      for (const [at, kind] of [
        [created_at, 'payment'],
        [late, 'credit'],
        [late, n === 3 ? 'chargeback' : 'credit'],
      ] as const) {
        await shop.database.query(
          `INSERT INTO bookings (store_id, is_test, at, order_id, kind, charged, credited, paid, refunded)
           VALUES ($1, $2, $3, $4, $5, 0, 1, 1, 0)`,
          [shop.store.id, isTest, at, id, kind],
        );
      }
    }
  });

  const all = async () => (await journal('', shop)).data;
  const read = async (query: string) => (await journal(query, shop)).data;

  it('lists all rows by their time, orders before what was booked for the same time', async () => {
    const rows = await all();

    expect(rows).toHaveLength(24);
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).sort());
    expect(rows.slice(0, 8).map(({ kind }) => kind)).toEqual([
      ...['order', 'payment', 'order', 'payment', 'order', 'order', 'payment', 'payment'],
    ]);
  });

  it.each([1, 2, 5, 24])('continues by its cursor exactly, by %d rows', async (limit) => {
    const get = shop.get;
    const read: Row[] = [];
    let page: Page = { data: [], cursor: '', has_more: true };
    while (page.has_more) {
      page = (await get(`/v1/journal?limit=${limit}&cursor=${page.cursor}`)).json<Page>();
      read.push(...page.data);
    }

    expect(read).toEqual(await all());
    expect((await get(`/v1/journal?cursor=${page.cursor}`)).json()).toMatchObject({ data: [], cursor: page.cursor });
  });

  it('continues by page', async () => {
    const rows = await all();

    expect((await shop.get('/v1/journal?limit=5&page=2')).json<Page>()).toMatchObject({
      ...{ data: rows.slice(5, 10), has_more: true },
    });
    expect((await shop.get('/v1/journal?limit=12&page=2')).json<Page>()).toMatchObject({
      ...{ data: rows.slice(12), has_more: false },
    });
    expect((await shop.get('/v1/journal?limit=12&page=3')).json()).toMatchObject({ data: [], cursor: '' });
  });

  it('continues from a cursor while rows are booked into times that it has passed', async () => {
    const id = await place();
    const from = ago(1);
    const first = (await api.get(`/v1/journal?limit=2&from=${from}`)).json<Page>();
    const rest = async () => (await pages(`from=${from}`, 3, first.cursor)).flat();
    const before = await rest();

    await post(id, 'payments', { ...PAY, at: (await rowsOf(id))[0]?.at });
    const [, booked] = await rowsOf(id);

    expect(await rest()).toEqual([
      ...before.filter(({ at }) => at <= booked!.at),
      booked,
      ...before.filter(({ at }) => at > booked!.at),
    ]);
  });

  it('filters by time, kind, order and mode, and finds nothing for a value that no row has', async () => {
    const rows = await all();
    const [, , third] = rows.filter(({ kind }) => kind === 'order');
    const [at, id] = [third?.at ?? '', third?.order_id ?? ''];

    expect(await read(`from=${at}`)).toEqual(rows.filter((row) => row.at >= at));
    expect(await read(`to=${at}`)).toEqual(rows.filter((row) => row.at < at));
    expect(await read('kind=ORDER')).toEqual(rows.filter(({ kind }) => kind === 'order'));
    expect(await read('kind=chargeback')).toEqual(rows.filter(({ kind }) => kind === 'chargeback'));
    expect(await read(`order_id=${id}`)).toEqual(rows.filter(({ order_id }) => order_id === id));
    expect(await read('is_test=false')).toEqual(rows);
    expect((await read('is_test=true')).map(({ kind }) => kind).sort()).toEqual([
      'credit',
      'credit',
      'order',
      'payment',
    ]);
    for (const query of ['kind=FOO', 'kind=', 'order_id=1', 'order_id=', `order_id=${crypto.randomUUID()}`]) {
      expect(await read(query)).toEqual([]);
    }
  });

  it('shows no row of another store, whose cursor it refuses', async () => {
    const [row] = await all();
    const { cursor } = await journal('', shop);

    expect(await rowsOf(row?.order_id ?? '')).toEqual([]);
    expect(await outcome(api.get(`/v1/journal?cursor=${cursor}`))).toEqual([400, 'cursor_invalid']);
  });

  it.each([
    ['from=2026', 'from must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z'],
    ['to=', 'to must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z'],
    ['is_test=yes', 'is_test must be true or false'],
  ])('refuses %s by its name', async (query, error) => {
    const response = await api.get(`/v1/journal?${query}`);

    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([400, error]);
  });

  it.each([
    ['cursor=abc', 'cursor_invalid'],
    [`cursor=${Buffer.from('1.2.3').toString('base64url')}`, 'cursor_invalid'],
    ['page=12&limit=100', 'page_too_deep'],
  ])('refuses %s as %s', async (query, code) => {
    expect(await outcome(api.get(`/v1/journal?${query}`))).toEqual([400, code]);
  });

  it('names the cursor to the reader of a page that skips too many rows', async () => {
    const { error } = (await api.get('/v1/journal?page=21474836')).json<{ error: string }>();

    expect(error).toBe('A page can skip at most 1000 rows: continue with the cursor of the previous page and page=1');
  });
});

describe('a page of much tax', () => {
  let shop: RunningApi;
  let order: string;
  const taxes = (count: number, from = 0) =>
    JSON.stringify(
      Array.from({ length: count }, (_, n) => ({ name: 'x'.repeat(64), rate: from + n, amount: 1, included: false })),
    );
  /** Writes bookings of one hour each. */
  const book = (bookings: number, taxLines: string) =>
    shop.database.query(
      `INSERT INTO bookings (store_id, is_test, at, order_id, kind, charged, credited, paid, refunded, tax_lines)
       SELECT $1, false, now() + make_interval(hours => n), $2, 'lines', 0, 0, 0, 0, $3 FROM generate_series(1, $4::int) AS n`,
      [shop.store.id, order, taxLines, bookings],
    );
  beforeEach(async () => {
    shop = await api.withStore();
    order = await shop.store.order({ status: 'PENDING', created_at: new Date() });
  });

  const refusal = async (query: string) => {
    const answer = await shop.get(`/v1/journal?${query}`);
    return [answer.statusCode, answer.headers['x-error-code'], answer.json<{ error: string }>().error];
  };

  it('is refused, and the reader goes on from its cursor with the smaller limit that it names', async () => {
    await book(120, taxes(100));
    const { cursor } = (await shop.get('/v1/journal?limit=1')).json<Page>();

    const [status, code, error] = await refusal(`limit=100&cursor=${cursor}`);
    const limit = Number(/limit=(\d+)/.exec(String(error))?.[1]);
    const rest: Row[] = [];
    for (let page: Page = { data: [], cursor, has_more: true }; page.has_more; rest.push(...page.data)) {
      page = (await shop.get(`/v1/journal?limit=${limit}&cursor=${page.cursor}`)).json<Page>();
    }

    expect([status, code]).toEqual([422, 'page_too_large']);
    expect(limit).toBeGreaterThan(10);
    expect(new Set(rest.map(({ id }) => id)).size).toBe(120);
  });

  it('is never refused with one row, also where another follows', async () => {
    await book(2, taxes(12_000));

    const pages = (await shop.get('/v1/journal?limit=1&page=2')).json<Page & { data: { tax_lines: object[] }[] }>();

    expect([pages.data[0]?.tax_lines.length, pages.has_more]).toEqual([12_000, true]);
    expect(await refusal('limit=3')).toEqual([422, 'page_too_large', expect.stringContaining('limit=1')]);
  });

  it('is refused by the taxes of the lines of orders, which its rows sum', async () => {
    const other = await shop.store.order({ status: 'PENDING', created_at: new Date() });
    const tax = taxes(1);
    await shop.database.query(
      `INSERT INTO order_lines (store_id, order_id, position, sku, name, attributes, attribute_names, unit_price, quantity,
         line_total, metadata, tax)
       SELECT $1, id, n, '', 'Lamp', '{}', '{}', 1, 1, 1, '{}', $3::jsonb
       FROM unnest($2::uuid[]) AS id, generate_series(100, 6100) AS n`,
      [shop.store.id, [order, other], tax],
    );

    expect(await refusal('kind=order')).toEqual([422, 'page_too_large', expect.stringContaining('limit=1')]);
    const { data } = (await shop.get('/v1/journal?limit=1&kind=order')).json<{ data: { tax_lines: object[] }[] }>();
    expect(data).toMatchObject([{ tax_lines: [{ rate: 0, amount: 6001 }] }]);
  });
});

describe('the statistics', () => {
  it('sum what was booked for a period, whenever the order was placed', async () => {
    const shop = await startShop();
    const { place, post } = orderChanges(() => shop);
    try {
      const id = await place();
      await shop.api.database.query('UPDATE orders SET created_at = $2 WHERE id = $1', [id, ago(50)]);
      await post(id, 'payments', { ...PAY, amount: 3400, settles: true, at: ago(40) });
      await post(id, 'refunds', { reference: 're_1', amount: 300, notify: false, at: ago(30) });
      await post(await place(), 'cancel', { notify: false });

      const periods = async () => {
        const range = `from=${ago(60).slice(0, 10)}&to=${ago(-1).slice(0, 10)}`;
        const { data } = (await shop.api.get(`/v1/statistics/orders?${range}`)).json<{
          data: { period: string; paid: number; credited: number; given_up: number }[];
        }>();
        return data
          .filter(({ paid, credited, given_up }) => paid || credited || given_up)
          .map(({ period, paid, credited, given_up }) => [period, paid, credited, given_up]);
      };
      const before = await periods();
      await shop.api.database.query('SELECT fold_list_tally_changes_of($1)', [shop.api.store.id]);

      expect(before).toEqual([
        [ago(40).slice(0, 10), 3400, 0, 100],
        [ago(30).slice(0, 10), 0, 300, 0],
        [ago(0).slice(0, 10), 0, 0, 3500],
      ]);
      expect(await periods()).toEqual(before);
    } finally {
      await shop.api.stop();
    }
  });
});

describe('an import', () => {
  const AT = '2026-01-02T03:04:05.000Z';
  const anOrder = (number: number, values: object): BundleLine => ({
    ...{ kind: 'order', store: api.store.subdomain, receipt_number: `IMP-${number}`, source: 'POS', currency: 'USD' },
    ...{ payment_method: 'CASH', status: 'PENDING', fulfillment_status: 'DELIVERED', created_at: AT },
    ...{ amount: 3000, total_amount: 3000, line_items: [{ name: 'Mug', unit_price: 1000, quantity: 3 }] },
    ...values,
  });
  const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
  const status = (day: number, from: string, to: string) => {
    return { at: at(day), actor: { type: 'system' }, event: 'status_changed', field: 'status', from, to };
  };

  it.each<[string, object, readonly string[]]>([
    ['is open', {}, []],
    ['was paid without a record', { status: 'SUCCEEDED', updated_at: at(9) }, [`${AT} payment  0 0 3000 0`]],
    [
      'was set as paid later',
      { status: 'SUCCEEDED', history: [status(5, 'PENDING', 'SUCCEEDED')] },
      [`${at(5)} payment  0 0 3000 0`],
    ],
    [
      'was paid, written off and paid back',
      {
        payments: [{ reference: 'p', amount: 2900, at: at(4), written_off: 100 }],
        refunds: [{ reference: 'r', amount: 900, at: at(6), reason: 'goods', credited: 1000 }],
        status: 'SUCCEEDED',
      },
      [
        ...[`${at(4)} payment p 0 0 2900 0`, `${at(4)} write_off p 0 100 0 0`, `${at(6)} refund r 0 0 0 900`],
        `${at(6)} credit r 0 1000 0 0`,
      ],
    ],
    [
      'was cancelled',
      { status: 'CANCELLED', fulfillment_status: 'CANCELLED', updated_at: at(9) },
      [`${at(9)} cancellation  0 3000 0 0`],
    ],
    [
      'was refunded without records',
      { status: 'REFUNDED', history: [status(3, 'PENDING', 'SUCCEEDED'), status(8, 'SUCCEEDED', 'REFUNDED')] },
      [`${at(3)} payment  0 0 3000 0`, `${at(8)} refund  0 0 0 3000`, `${at(8)} credit  0 3000 0 0`],
    ],
    [
      'changed its lines',
      {
        history: [
          {
            ...{ at: at(7), actor: { type: 'system' }, event: 'lines_changed' },
            details: { total_before: 2000, total_after: 3000 },
          },
        ],
      },
      [`${at(7)} lines  1000 0 0 0`],
    ],
  ])('of an order that %s books it at the times of its records', async (what, values, expected) => {
    const number = what.length;
    await importLines(anOrder(number, values));
    const { id } = await orders.read<{ id: string }>(`IMP-${number}`);

    const [first, ...rows] = await rowsOf(id);

    await expectSums(id);
    expect(rows.map((row) => `${row.at} ${briefly(row)}`).sort()).toEqual([...expected].sort());
    expect(first).toMatchObject({ kind: 'order', at: AT });
    expect(Date.parse(first?.booked_at ?? '')).toBeGreaterThan(Date.parse(ago(1)));
  });

  /** Changes an order so that its booking has the maximum number of taxes. */
  const changedTwiceToOtherTaxes = async () => {
    const key = await api.store.createKey('live', 'read,orders,fulfillment,payments,pricing');
    const headers = { authorization: `Bearer ${key}` };
    const lines = (from: number) =>
      [0, 1, 2, 3, 4].map((n) => ({
        ...{ line: n + 1, quantity: 1 },
        tax: Array.from({ length: 10 }, (_, rate) => ({ name: 'VAT', rate: from + 10 * n + rate, amount: 1 })),
      }));
    const items = lines(0).map(({ line: _, ...item }) => ({ ...item, product_id: mug }));
    const placed = await api.post('/v1/orders', { ...anOrderBody(mug), items }, headers);
    const { order_id: id } = placed.json<{ data: { order_id: string } }>().data;
    for (const from of [100, 200]) await api.post(`/v1/orders/${id}/lines`, { set: lines(from) }, headers);
    return id;
  };

  it('of an exported store has the same journal', async () => {
    const target = await startApi();
    try {
      const id = await placedAgo(30);
      await post(id, 'payments', { ...PAY, at: ago(20) });
      await post(id, 'cancel', { items: UNIT, at: ago(10) });
      const taxed = await changedTwiceToOtherTaxes();
      const file = path.join(directory, 'journal.ndjson');
      await writeStoreExport(api.database.url, api.store.subdomain, file);
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as BundleLine);
      const { warnings } = await bundleImports(() => target.database).importLines(...lines);
      expect(warnings).toEqual([]);
      const [store] = await target.database.query<{ id: number }>('SELECT id FROM stores WHERE subdomain = $1', [
        api.store.subdomain,
      ]);
      await target.database.query('UPDATE api_keys SET store_id = $1', [store?.id]);

      // Entries of the same time may be in any sequence.
      const byOrder = (one: { at: string; order_id: string }, other: typeof one) =>
        `${one.at} ${one.order_id}` < `${other.at} ${other.order_id}` ? -1 : 1;
      const journals = await Promise.all([api, target].map((each) => journal('', each)));
      const rows = journals.map(({ data }) =>
        data.map(({ id: _id, booked_at: _, ...row }) => ({ ...row, actor: null })).sort(byOrder),
      );

      expect(rows[1]).toEqual(rows[0]);
      expect(rows[0]?.length).toBeGreaterThan(10);
      const ofTaxed = rows[0]?.filter(({ order_id }) => order_id === taxed);
      expect(ofTaxed?.map(({ kind, tax_lines }) => [kind, tax_lines.length])).toEqual([
        ['order', 50],
        ['lines', 100],
        ['lines', 100],
      ]);
    } finally {
      await target.stop();
    }
  });
});
