import {
  CONFIRM,
  orderChanges,
  outcome,
  PAY,
  REFUND,
  SHIP,
  startShop,
  withKey,
  type Order,
} from '../support/order-changes.js';
import type { RunningApi } from '../support/start-api.js';

let api: RunningApi;
let mug: number;
let tee: number;
beforeAll(async () => ({ api, mug, tee } = await startShop()));
afterAll(() => api.stop());
const { orders, place, post, patch, history, eventsOf } = orderChanges(() => ({ api, mug, tee }));

const endMails = (id: string, state: string) =>
  api.database.query('UPDATE order_stages SET state = $2, attempts = 1 WHERE order_id = $1', [id, state]);

const OTHER_CONTENT: Readonly<Record<string, object>> = {
  shipments: { reference: 'another' },
  cancel: { reason: 'another' },
  hold: { reason: 'another' },
  lines: { expected_total: 1 },
  transitions: { to: 'FAILED' },
  payments: { reference: 'another' },
  refunds: { reference: 'another' },
  notes: { text: 'another' },
  mails: { stage: 'notify-customer' },
};

describe('every change of an order', () => {
  const CHANGES: [path: string, body: object, status: number, prepare: (id: string) => Promise<unknown>][] = [
    ['shipments', SHIP, 201, () => Promise.resolve()],
    ['cancel', { notify: false }, 200, () => Promise.resolve()],
    ['hold', { reason: 'The customer asks to wait' }, 200, () => Promise.resolve()],
    ['lines', { set: [{ line: 1, quantity: 1 }] }, 200, () => Promise.resolve()],
    ['cancel', { items: [{ line: 1, quantity: 1 }] }, 200, () => Promise.resolve()],
    ['transitions', CONFIRM, 200, () => Promise.resolve()],
    ['payments', PAY, 201, () => Promise.resolve()],
    ['refunds', REFUND, 201, (id) => post(id, 'payments', PAY)],
    ['notes', { text: 'Ring twice' }, 201, () => Promise.resolve()],
    ['mails', { stage: 'notify-merchant' }, 200, (id) => endMails(id, 'done')],
    [
      'release',
      {},
      200,
      (id) => api.database.query(`UPDATE orders SET held_reasons = '{amount_over_limit}' WHERE id = $1`, [id]),
    ],
  ];

  it.each(CHANGES)(
    'by POST %s answers with the order as GET returns it, is replayed byte for byte with its key, and made once',
    async (path, body, status, prepare) => {
      const id = await place();
      await prepare(id);
      const first = await post(id, path, body, withKey(`replay-${id}`));
      const order = await orders.read(id);
      const events = await eventsOf(id);

      const again = await post(id, path, body, withKey(`replay-${id}`));
      const another = await post(id, path, { ...body, ...OTHER_CONTENT[path] }, withKey(`replay-${id}`));

      expect([first.statusCode, first.json<{ data: Order }>().data]).toEqual([status, order]);
      expect(first.headers['idempotent-replayed']).toBeUndefined();
      expect([again.statusCode, again.headers['idempotent-replayed'], again.body]).toEqual([
        status,
        'true',
        first.body,
      ]);
      if (path !== 'release') expect(another.headers['x-error-code']).toBe('idempotency_mismatch');
      expect(await eventsOf(id)).toEqual(events);
    },
  );

  it('of a test order is made by a test key only', async () => {
    const testKey = { authorization: `Bearer ${await api.store.createKey('test')}` };
    const id = await place(testKey);

    expect((await post(id, 'cancel', {})).statusCode).toBe(404);
    expect((await post(id, 'cancel', {}, testKey)).statusCode).toBe(200);
  });

  it('takes a receipt number in any letter case, and no body where none is needed', async () => {
    const id = await place();
    const { receipt_number: receipt } = await orders.read<{ receipt_number: string }>(id);

    const answer = await api.inject({
      method: 'POST',
      url: `/v1/orders/${receipt.toLowerCase()}/cancel`,
      headers: { authorization: `Bearer ${api.store.key}` },
    });

    expect([answer.statusCode, answer.json<{ data: Order }>().data.id]).toEqual([200, id]);
  });

  it('is refused with a key that placed an order', async () => {
    const id = await place(withKey('placed'));

    expect(await outcome(post(id, 'cancel', {}, withKey('placed')))).toEqual([422, 'idempotency_mismatch']);
  });
});

describe('a request that is repeated without a key', () => {
  it.each([
    ['shipments', SHIP, { ...SHIP, carrier: 'UPS' }, 'shipment_reference_taken'],
    ['payments', PAY, { ...PAY, currency: 'EUR' }, 'payment_reference_taken'],
    ['refunds', REFUND, { ...REFUND, amount: 500 }, 'refund_reference_taken'],
  ])('to %s gets the same 201 and adds nothing, with other content 422', async (path, body, other, code) => {
    const id = await place();
    if (path === 'refunds') await post(id, 'payments', PAY);
    const first = await post(id, path, body);
    const events = await eventsOf(id);

    const again = await post(id, path, body);

    expect([again.statusCode, again.body]).toEqual([201, first.body]);
    expect(await outcome(post(id, path, other))).toEqual([422, code]);
    expect(await eventsOf(id)).toEqual(events);
  });
});

describe('a reference', () => {
  const AT = '2026-01-02T03:04:05Z';
  const LINES = [{ line: 1, quantity: 2 }];
  const { items: _items, ...ALL } = SHIP;

  it.each([
    ['shipments', SHIP, { ...SHIP, shipped_at: AT }],
    ['shipments', SHIP, ALL],
    ['payments', PAY, { ...PAY, at: AT }],
    ['refunds', REFUND, { ...REFUND, at: AT }],
    ['refunds', { ...REFUND, lines: LINES }, REFUND],
  ])('of %s stays that of the same request with another time or absent lines', async (path, body, again) => {
    const id = await place();
    if (path === 'refunds') await post(id, 'payments', PAY);
    const first = await post(id, path, body);

    const second = await post(id, path, again);

    expect([first.statusCode, second.statusCode, second.body]).toEqual([201, 201, first.body]);
  });

  it.each([
    ['shipments', { ...SHIP, items: [{ line: 1, quantity: 1 }] }, 'shipment_reference_taken'],
    ['refunds', { ...REFUND, lines: [{ line: 2, quantity: 1 }] }, 'refund_reference_taken'],
    ['refunds', { ...REFUND, lines: [...LINES, { line: 2, quantity: 1 }] }, 'refund_reference_taken'],
  ])('of %s is taken for other lines', async (path, other, code) => {
    const id = await place();
    if (path === 'refunds') await post(id, 'payments', PAY);
    await post(id, path, path === 'refunds' ? { ...REFUND, lines: LINES } : SHIP);

    expect(await outcome(post(id, path, other))).toEqual([422, code]);
  });

  it('of a refund without lines is taken for one that names lines', async () => {
    const id = await place();
    await post(id, 'payments', PAY);
    await post(id, 'refunds', REFUND);

    expect(await outcome(post(id, 'refunds', { ...REFUND, lines: LINES }))).toEqual([422, 'refund_reference_taken']);
  });

  it('that is being picked is shipped by a request to ship the same items, once and with 200', async () => {
    const id = await place();
    const parcel = { ...SHIP, shipped_at: AT, tracking_number: '0034' };
    await post(id, 'shipments', { ...SHIP, status: 'picking' });
    expect(await outcome(post(id, 'shipments', { ...parcel, items: [{ line: 1, quantity: 1 }] }))).toEqual([
      ...[422, 'shipment_reference_taken'],
    ]);

    const shipped = await post(id, 'shipments', parcel, withKey('picked'));
    const events = await eventsOf(id);

    expect([shipped.statusCode, shipped.json()]).toMatchObject([
      200,
      {
        data: {
          shipments: [
            { status: 'shipped', carrier: 'DHL', tracking_number: '0034', shipped_at: '2026-01-02T03:04:05.000Z' },
          ],
        },
      },
    ]);
    const replayed = await post(id, 'shipments', parcel, withKey('picked'));
    expect([replayed.statusCode, replayed.body]).toEqual([200, shipped.body]);
    const repeated = [parcel, { ...SHIP, status: 'picking' }].map((body) => post(id, 'shipments', body));
    for (const { statusCode, body } of await Promise.all(repeated)) {
      expect([statusCode, body]).toEqual([201, shipped.body]);
    }
    expect(await eventsOf(id)).toEqual(events);
  });
});

describe('a refusal', () => {
  it.each([
    [
      'shipments',
      { ...SHIP, items: undefined, lines: [{ line: 1, quantity: 1 }] },
      'lines is not a field of this request',
    ],
    [
      'shipments',
      { ...SHIP, items: [{ line: 1, quantity: 1, sku: 'x' }] },
      'items[0].sku is not a field of this request',
    ],
    ['refunds', { reference: 're_1', amount: 0, items: [], restock: true }, 'items is not a field of this request'],
    ['shipments', { reference: '..' }, 'reference must not be . or ..'],
    [
      'shipments',
      { ...SHIP, status: 'picking', shipped_at: '2026-02-01T00:00:00Z' },
      'shipped_at requires the status shipped',
    ],
    ['release', { reason: 'x' }, 'reason is not a field of this request'],
    ['lines', { expected_total: 35 }, 'set or add is required'],
    ['lines', { set: [1, 1].map((line) => ({ line, quantity: 2 })) }, 'set must contain each line once'],
    ['lines', { set: [{ line: 1, quantity: 1000 }] }, 'set[0].quantity must be an integer from 0 to 999'],
    ['cancel', JSON.parse('{"__proto__":{"restock":false}}') as object, '__proto__ is not a field of this request'],
    [
      'payments',
      { ...PAY, currency: 'US' },
      'currency must be a currency code of three letters, such as EUR (ISO 4217)',
    ],
    ['transitions', { ...CONFIRM, lines: [{ line: 1, quantity: 1 }] }, 'lines requires restock'],
    [
      'payments',
      { reference: 'pi_1', amount: 1, currency: 'USD', at: '2026-02-30T00:00:00Z' },
      'at must be a time with a zone, such as 2026-03-29T00:00:00+01:00 or 2026-03-28T23:00:00Z, and not in the future',
    ],
  ])('of a field that %s do not have, or cannot read, names it', async (path, body, error) => {
    const response = await post(await place(), path, body);

    expect([response.statusCode, response.json()]).toMatchObject([400, { success: false, error }]);
  });

  it('of a time without the status that it is for names it, and changes nothing', async () => {
    const id = await place();
    await post(id, 'shipments', SHIP);

    const response = await patch(id, 'S-1', { carrier: 'UPS', at: '2026-02-01T00:00:00Z' });

    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([
      400,
      'at requires the status shipped or delivered',
    ]);
  });

  it('is kept in the history up to 1,000 times', async () => {
    const id = await place();
    await post(id, 'cancel');
    await api.database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
       SELECT $1, $2, 'system', 'shipment_refused', 'S-' || n FROM generate_series(1, 998) AS n`,
      [api.store.id, id],
    );

    for (const reference of ['one', 'two', 'three']) await post(id, 'shipments', { reference });

    const [row] = await api.database.query(
      `SELECT count(*)::int AS count FROM order_events WHERE order_id = $1 AND event = 'shipment_refused'`,
      [id],
    );
    expect(row).toEqual({ count: 1000 });
  });

  const recordsIn = (table: string, column: string, value: string) =>
    `INSERT INTO ${table} (store_id, order_id, reference, number, ${column})
     SELECT $1, $2, 'EARLIER-' || n, n, ${value} FROM generate_series(1, $3) AS n`;
  const RECORDS: Readonly<Record<string, string>> = {
    payments: recordsIn('payments', 'amount', '0'),
    refunds: recordsIn('refunds', 'amount', '0'),
    shipments: recordsIn('shipments', 'status', `'void'`),
  };

  it.each([
    ['notes', { text: 'A' }, 'noted', 500, 'notes'],
    ['payments', { reference: 'P', amount: 1, currency: 'USD', partial: true }, 'payment_recorded', 100, 'payments'],
    ['refunds', { reference: 'R', amount: 0 }, 'refund_recorded', 100, 'refunds'],
    [
      'shipments',
      { reference: 'S', items: [{ line: 1, quantity: 1 }], status: 'picking' },
      'shipment_created',
      200,
      'shipments',
    ],
    ['mails', { stage: 'notify-merchant' }, 'mail_requested', 20, 'resent mails'],
    ['hold', { reason: 'A' }, 'held', 100, 'holds'],
  ])('of %s that an order has too many of is too_many_records', async (path, body, event, most, what) => {
    const id = await place();
    await api.database.query(`UPDATE order_stages SET state = 'done' WHERE order_id = $1`, [id]);
    const events = `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
      SELECT $1, $2, 'system', $4, 'EARLIER-' || n FROM generate_series(1, $3) AS n`;
    const record = RECORDS[path];
    const earlier = record ? `WITH happened AS (${events}) ${record}` : events;
    await api.database.query(earlier, [api.store.id, id, most - 1, event]);
    expect((await post(id, path, body)).statusCode).toBeLessThan(300);
    await api.database.query(`UPDATE order_stages SET state = 'done' WHERE order_id = $1`, [id]);
    if (path === 'hold') await post(id, 'release');

    const refused = await post(id, path, 'reference' in body ? { ...body, reference: 'other' } : body);

    expect([refused.statusCode, refused.headers['x-error-code'], refused.json<{ error: string }>().error]).toEqual([
      ...[422, 'too_many_records'],
      `The order already has ${most} ${what}, the maximum`,
    ]);
    const repeated = 'reference' in body && (await post(id, path, body));
    if (repeated) expect(repeated.statusCode).toBeLessThan(300);
  });

  it('is too_many_records for what could happen any number of times to an order with 5,000 events, and for nothing else', async () => {
    const id = await place();
    await post(id, 'shipments', SHIP);
    await api.database.query(
      `INSERT INTO order_events (store_id, order_id, actor_type, event, reference)
       SELECT $1, $2, 'key', 'shipment_changed', 'S-1' FROM generate_series(1, 5000 -
         (SELECT count(*)::int FROM order_events WHERE order_id = $2) - 1)`,
      [api.store.id, id],
    );
    const track = (tracking_number: string) => patch(id, 'S-1', { tracking_number });
    const fail = () => post(id, 'transitions', { field: 'status', expected: 'PENDING', to: 'FAILED' });

    const allowed = await track('A');
    const refused = [await track('B'), await fail()];
    const others = [
      await track('A'),
      await post(id, 'notes', { text: 'A' }),
      await patch(id, 'S-1', { status: 'delivered', tracking_number: 'C' }),
      await post(id, 'payments', PAY),
    ];

    expect(allowed.statusCode).toBe(200);
    for (const { statusCode, body } of refused) {
      expect([statusCode, JSON.parse(body)]).toMatchObject([
        422,
        { code: 'too_many_records', error: 'The order already has 5000 events, the maximum' },
      ]);
    }
    expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 201, 200, 201]);
  });

  it('has its code, and is recorded once where the parcel or the money may be on its way', async () => {
    const id = await place();
    await post(id, 'shipments', SHIP);
    const unpaid = await place();
    const refusals: [() => ReturnType<typeof post>, string][] = [
      [() => post(id, 'shipments', { reference: 'S-2', items: [{ line: 1, quantity: 2 }] }), 'already_shipped'],
      [() => post(id, 'cancel'), 'already_shipped'],
      [() => post(id, 'transitions', CONFIRM), 'stale'],
      [() => post(id, 'transitions', { ...CONFIRM, expected: 'PROCESSING' }), 'transition_not_allowed'],
      [() => post(id, 'release'), 'not_held'],
      [() => post(id, 'payments', { ...PAY, amount: 3499 }), 'amount_mismatch'],
      [() => post(unpaid, 'refunds', REFUND), 'refund_exceeds_payment'],
      [
        () => patch(id, 'S-1', { status: 'delivered' }).then(() => patch(id, 'S-1', { status: 'void' })),
        'transition_not_allowed',
      ],
    ];

    for (const [refuse, code] of refusals) {
      expect(await outcome(refuse())).toEqual([422, code]);
      expect(await outcome(refuse())).toEqual([422, code]);
    }

    const refused = (await history(id)).data.filter(({ event }) => event.endsWith('_refused'));
    expect(refused.map(({ event, reference }) => [event, reference])).toEqual([
      ['shipment_refused', 'S-2'],
      ['payment_refused', 'pi_1'],
    ]);
    expect(await eventsOf(unpaid)).toEqual(['placed']);
  });

  it('is recorded once for each content that has its reference, of each order', async () => {
    const [first, second] = [await place(), await place()];
    for (const id of [first, second]) await post(id, 'shipments', SHIP);
    const refused = async (id: string) =>
      (await history(id)).data
        .filter(({ event }) => event.endsWith('_refused'))
        .map(({ reference, details: { items, amount } }) => [reference, items ?? amount]);
    const refuse = async (id: string) => {
      for (const quantity of [2, 3]) await post(id, 'shipments', { reference: 'S-2', items: [{ line: 1, quantity }] });
      for (const amount of [1, 2]) await post(id, 'payments', { ...PAY, amount });
    };
    const recorded = [
      ...[2, 3].map((quantity) => ['S-2', [{ line: 1, quantity }]]),
      ...[1, 2].map((amount) => ['pi_1', amount]),
    ];

    for (let time = 0; time < 3; time++) await refuse(first);
    await refuse(second);

    expect([await refused(first), await refused(second)]).toEqual([recorded, recorded]);
  });

  it('leaves the key free', async () => {
    const id = await place();
    const short = { ...PAY, amount: 1 };

    expect(await outcome(post(id, 'payments', short, withKey('freed')))).toEqual([422, 'amount_mismatch']);
    expect((await post(id, 'payments', PAY, withKey('freed'))).statusCode).toBe(201);
  });

  it('of an order under review is order_held, until it is released', async () => {
    await api.database.query(`UPDATE stores SET fraud_settings = '{"review_amount": 1}' WHERE id = $1`, [api.store.id]);
    const id = await place();
    await api.database.query(`UPDATE stores SET fraud_settings = '{}' WHERE id = $1`, [api.store.id]);

    expect(await outcome(post(id, 'shipments', SHIP))).toEqual([422, 'order_held']);
    expect(await outcome(post(id, 'transitions', CONFIRM))).toEqual([422, 'order_held']);
    expect((await post(id, 'release')).statusCode).toBe(200);
    expect((await post(id, 'shipments', SHIP)).statusCode).toBe(201);
  });
});

describe('GET /v1/orders/{id}/history', () => {
  it('begins with the key that placed the order, and pages oldest first', async () => {
    const [key] = await api.database.query<{ id: string }>(
      `UPDATE api_keys SET name = 'Website' WHERE store_id = $1 AND mode = 'live' AND status = 'ACTIVE' RETURNING id`,
      [api.store.id],
    );
    const id = await place();
    await post(id, 'cancel', { reason: 'Broken', notify: false });

    const { data, pagination } = await history(id);
    const second = await history(id, '?limit=1&page=2');

    expect(data.map(({ event }) => event)).toEqual(['placed', 'cancelled', 'status_changed', 'status_changed']);
    const placed_by = { type: 'key', id: key?.id, name: 'Website' };
    expect(data[0]?.actor).toEqual(placed_by);
    expect(await orders.read(id)).toMatchObject({ placed_by });
    expect(data[1]).toMatchObject({ details: { reason: 'Broken', restock: true }, actor: data[0]?.actor });
    expect([pagination.total, second.data, second.pagination.total]).toEqual([4, [data[1]], 4]);
  });

  it('begins with the import of an imported order', async () => {
    const id = await api.store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });

    const placed_by = { type: 'system', id: '', name: '' };
    expect((await history(id)).data).toMatchObject([{ event: 'imported', actor: placed_by }]);
    expect(await orders.read(id)).toMatchObject({ placed_by });
    expect((await api.get('/v1/orders/POS-NONE/history')).statusCode).toBe(404);
  });
});
