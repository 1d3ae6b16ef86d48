import { RescreenHeldOrders } from '@app/application';
import { FeedReader } from '../support/feed-reader.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Order {
  readonly id: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly amount_owed: number;
  readonly amount_paid: number;
  readonly refund_due: number;
  readonly line_items: readonly { readonly shipped_quantity: number; readonly allocations: readonly object[] }[];
}

interface HistoryEvent {
  readonly at: string;
  readonly event: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly reference: string;
  readonly details: Readonly<Record<string, unknown>>;
}

let api: RunningApi;
let mug: number;
let tee: number;
beforeAll(async () => {
  api = await startApi();
  mug = await api.store.product({ price: 1000, stock: [600, 400] });
  tee = await api.store.product({ price: 500, stock: 1000 });
});
afterAll(() => api.stop());
const orders = new OrdersClient(() => api);

/** Places an order over 35.00 USD: three units of line 1 and one of line 2. Returns its id. */
async function place(headers?: Record<string, string>): Promise<string> {
  const items = [
    { product_id: mug, quantity: 3 },
    { product_id: tee, quantity: 1 },
  ];
  return (await orders.create({ items, customer: { name: 'Ada' } }, headers)).order_id;
}

const post = (id: string, path: string, body: object = {}, headers?: Record<string, string>) =>
  api.post(`/v1/orders/${id}/${path}`, body, headers);
const patch = (id: string, reference: string, payload: object, headers?: Record<string, string>) =>
  api.patch(`/v1/orders/${id}/shipments/${reference}`, payload, headers);
const outcome = async (response: ReturnType<typeof post>) => {
  const { statusCode, headers } = await response;
  return [statusCode, headers['x-error-code']];
};
const history = async (id: string, query = '') =>
  (await api.get(`/v1/orders/${id}/history${query}`)).json<{ data: HistoryEvent[]; pagination: { total: number } }>();
const eventsOf = async (id: string) => (await history(id)).data.map(({ event }) => event);
const endMails = (id: string, state: string) =>
  api.database.query('UPDATE order_stages SET state = $2, attempts = 1 WHERE order_id = $1', [id, state]);
const withKey = (key: string) => ({ 'idempotency-key': key });

const SHIP = { reference: 'S-1', items: [{ line: 1, quantity: 2 }], carrier: 'DHL', notify: false };
const PAY = { reference: 'pi_1', amount: 3500, currency: 'USD' };
const REFUND = { reference: 're_1', amount: 1000, notify: false };
const CONFIRM = { field: 'fulfillment_status', expected: 'PENDING', to: 'CONFIRMED' };

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
      (id) =>
        api.database.query(
          `UPDATE order_stages SET state = 'held', held_for = '{amount_over_limit}' WHERE order_id = $1 AND stage = 'notify-customer'`,
          [id],
        ),
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

describe('PATCH /v1/orders/{id}', () => {
  const correct = (id: string, patch: object) => api.patch(`/v1/orders/${id}`, patch);
  const PATCH = {
    customer: { name: 'Ada King', email: 'ada@example.org', phone: null },
    shipping_address: { address: '2 Main St', address2: 'Floor 4', country: 'gb' },
  };
  const CORRECTED = {
    customer: { id: null, name: 'Ada King', email: 'ada@example.org', phone: '' },
    shipping_address: {
      company: 'Engines Ltd',
      address: '2 Main St',
      address2: 'Floor 4',
      city: 'London',
      country: 'GB',
    },
  };
  const placeAt = async (more: object = {}) => {
    const customer = { name: 'Ada', email: 'ada@exmaple.org', phone: '1', company: 'Engines Ltd', city: 'London' };
    const items = [{ product_id: mug, quantity: 1 }];
    return (await orders.create({ items, customer, ...more })).order_id;
  };

  it('corrects what it names, also of the billing address that is the same, and writes no value into the history', async () => {
    const id = await placeAt();

    const first = await correct(id, PATCH);
    const again = await correct(id, PATCH);

    expect([first.statusCode, first.json<{ data: Order }>().data]).toEqual([200, await orders.read(id)]);
    expect(first.json()).toMatchObject({ data: { ...CORRECTED, billing_address: CORRECTED.shipping_address } });
    expect(again.body).toBe(first.body);
    const [, event, ...others] = (await history(id)).data;
    const changed = [
      ...['customer.name', 'customer.email', 'customer.phone'],
      ...['shipping_address.address', 'shipping_address.address2', 'shipping_address.country'],
    ];
    expect([event?.event, event?.details, others]).toEqual(['contact_changed', { changed }, []]);
    const found = (await api.get('/v1/orders?search=ada@example.org')).json<{ data: { id: string }[] }>().data;
    expect(found.map((row) => row.id)).toEqual([id]);
  });

  it('leaves a billing address apart as it is, and goes into the feed', async () => {
    const id = await placeAt({ billing: { name: 'Accounts', city: 'Bonn' } });
    const reader = new FeedReader(api);
    await reader.catchUp();

    const { data } = (await correct(id, PATCH)).json<{ data: { updated_at: string } }>();
    await reader.catchUp();

    expect(data).toMatchObject({ ...CORRECTED, billing_address: { name: 'Accounts', city: 'Bonn', address: '' } });
    const updated_at = expect.any(String) as string;
    expect(reader.copy.get(`orders ${id}`)?.data).toEqual({ ...data, updated_at });
  });

  it.each([
    [{ customer: { nmae: 'Ada' } }, 'customer.nmae is not a field of this request'],
    [{ shipping_address: { name: 'Ada' } }, 'shipping_address.name is not a field of this request'],
    [{ customer: { name: ' ' } }, 'customer.name is required'],
    [{ customer: { name: null } }, 'customer.name is required'],
    [{ customer: 'Ada' }, 'customer must be an object'],
    [
      { shipping_address: { zip: 'x'.repeat(33) } },
      'shipping_address.zip must be text of at most 32 characters, without NUL or lone surrogates',
    ],
  ])('refuses %j, and names the field', async (body, error) => {
    const response = await correct(await placeAt(), body);

    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([400, error]);
  });

  it('is possible until something ships or the order is cancelled, while units are being picked and for imported orders', async () => {
    const [picked, shipped, cancelled] = [await place(), await place(), await place()];
    await post(picked, 'shipments', { ...SHIP, status: 'picking' });
    await post(shipped, 'shipments', SHIP);
    await post(cancelled, 'cancel');
    const imported = await api.store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });

    for (const id of [picked, imported]) expect((await correct(id, PATCH)).statusCode).toBe(200);
    expect(await outcome(correct(shipped, PATCH))).toEqual([422, 'already_shipped']);
    expect(await outcome(correct(cancelled, PATCH))).toEqual([422, 'order_cancelled']);
  });
});

describe('a refund', () => {
  it('shows the units that it was for, each line once, and none where it named none', async () => {
    const id = await place();
    await post(id, 'payments', PAY);
    const lines = [2, 1, 1].map((line) => ({ line, quantity: 1 }));

    for (const request of [
      { ...REFUND, lines },
      { ...REFUND, reference: 're_2' },
    ])
      expect((await post(id, 'refunds', request)).statusCode).toBe(201);

    const named = [
      { line: 2, quantity: 1 },
      { line: 1, quantity: 2 },
    ];
    const refunds = [
      { reference: 're_1', amount: 1000, lines: named },
      { reference: 're_2', amount: 1000, lines: [] },
    ];
    expect(await orders.read(id)).toMatchObject({ refunds });
    const everything = new FeedReader(api);
    await everything.catchUp();
    expect(everything.copy.get(`orders ${id}`)?.data).toMatchObject({ refunds });
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
    ['refunds', REFUND, { ...REFUND, lines: LINES }],
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
  ])('of %s is taken for other lines', async (path, other, code) => {
    const id = await place();
    if (path === 'refunds') await post(id, 'payments', PAY);
    await post(id, path, path === 'refunds' ? { ...REFUND, lines: LINES } : SHIP);

    expect(await outcome(post(id, path, other))).toEqual([422, code]);
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
      'shipped_at needs the status shipped',
    ],
    ['release', { reason: 'x' }, 'reason is not a field of this request'],
    ['lines', { expected_total: 35 }, 'set or add is required'],
    ['lines', { set: [1, 1].map((line) => ({ line, quantity: 2 })) }, 'set must name each line once'],
    ['lines', { set: [{ line: 1, quantity: 1000 }] }, 'set[0].quantity must be an integer from 0 to 999'],
    ['cancel', JSON.parse('{"__proto__":{"restock":false}}') as object, '__proto__ is not a field of this request'],
    [
      'payments',
      { ...PAY, currency: 'US' },
      'currency must be a currency code of three letters, such as EUR (ISO 4217)',
    ],
    ['transitions', { ...CONFIRM, lines: [{ line: 1, quantity: 1 }] }, 'lines needs restock'],
    [
      'payments',
      { reference: 'pi_1', amount: 1, currency: 'USD', at: '2026-02-30T00:00:00Z' },
      'at must be a time in ISO 8601 with a time zone, such as 2026-11-20T09:30:00Z, and not in the future',
    ],
  ])('of a field that %s do not have, or cannot read, names it', async (path, body, error) => {
    const response = await post(await place(), path, body);

    expect([response.statusCode, response.json()]).toEqual([400, { success: false, error }]);
  });

  it('of a time without the status that it is for names it, and changes nothing', async () => {
    const id = await place();
    await post(id, 'shipments', SHIP);

    const response = await patch(id, 'S-1', { carrier: 'UPS', at: '2026-02-01T00:00:00Z' });

    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([
      400,
      'at needs the status shipped or delivered',
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

describe('a change of lines', () => {
  interface Edited extends Order {
    readonly amount: number;
    readonly total_amount: number;
    readonly line_items: readonly (Order['line_items'][number] & {
      readonly line: number;
      readonly product_id: string;
      readonly quantity: number;
      readonly unit_price: number;
    })[];
  }
  const linesOf = async (id: string) =>
    (await orders.read<Edited>(id)).line_items.map(({ line, quantity, unit_price: price }) => [line, quantity, price]);
  const sums = async () => {
    const { data } = (await api.get('/v1/statistics/orders?by=month')).json<{
      data: { units: number; amount: number }[];
    }>();
    return data.reduce((sum, { units, amount }) => ({ units: sum.units + units, amount: sum.amount + amount }), {
      units: 0,
      amount: 0,
    });
  };
  const inStock = async () => [await api.store.onHand(mug), await api.store.onHand(tee)];

  it('takes and returns stock, keeps prices and numbers, and moves totals and statistics', async () => {
    const id = await place();
    const [mugs = 0, tees = 0] = await inStock();
    const before = await sums();
    await api.database.query('UPDATE products SET price = 700 WHERE store_id = $1 AND id = $2', [api.store.id, tee]);
    const body = {
      set: [
        { line: 1, quantity: 5 },
        { line: 2, quantity: 0 },
      ],
      add: [{ product_id: tee, quantity: 2 }],
      expected_total: 64,
    };

    const edited = await post(id, 'lines', body);
    await api.database.query('UPDATE products SET price = 500 WHERE store_id = $1 AND id = $2', [api.store.id, tee]);

    expect([edited.statusCode, edited.json()]).toMatchObject([200, { data: { amount: 6400, total_amount: 6400 } }]);
    expect(await linesOf(id)).toEqual([
      [1, 5, 1000],
      [2, 0, 500],
      [3, 2, 700],
    ]);
    expect(await inStock()).toEqual([mugs - 2, tees - 1]);
    expect(await sums()).toEqual({ units: before.units + 3, amount: before.amount + 2900 });
    const [placed, changed] = (await history(id)).data;
    expect(placed?.details).toMatchObject({ total_amount: 3500 });
    expect(changed).toMatchObject({
      event: 'lines_changed',
      details: {
        ...{ total_before: 3500, total_after: 6400 },
        items: [
          { line: 1, before: 3, after: 5 },
          { line: 2, before: 1, after: 0 },
          { line: 3, before: 0, after: 2 },
        ],
      },
    });
  });

  it('that is refused writes nothing, and names the fault as a placing does', async () => {
    const id = await place();
    const draft = await api.store.product({ status: 'DRAFT' });
    const before = [await orders.read(id), await inStock(), await eventsOf(id)];
    const refusals: [object, number, string, string][] = [
      [
        { set: [{ line: 2, quantity: 0 }], add: [{ product_id: mug, quantity: 999 }] },
        422,
        'out_of_stock',
        'add[0]: requested 999',
      ],
      [{ set: [{ line: 1, quantity: 999 }] }, 422, 'out_of_stock', 'set[0]: requested 996'],
      [{ add: [{ product_id: draft, quantity: 1 }] }, 400, 'item_unavailable', `add[0].product_id ${draft} is not`],
      [{ set: [{ line: 1, quantity: 1 }], expected_total: 35 }, 422, 'price_changed', '15.00 USD'],
      [{ set: [1, 2].map((line) => ({ line, quantity: 0 })) }, 422, 'no_units_left', 'cancel it instead'],
      [{ set: [{ line: 9, quantity: 1 }] }, 404, 'not_found', 'Line 9 not found'],
    ];

    for (const [body, status, code, error] of refusals) {
      const response = await post(id, 'lines', body, withKey('refused-lines'));
      expect([response.statusCode, response.headers['x-error-code']]).toEqual([status, code]);
      expect(response.json<{ error: string }>().error).toContain(error);
    }
    expect([await orders.read(id), await inStock(), await eventsOf(id)]).toEqual(before);
  });

  it('is replayed with its key, although its product is no longer for sale', async () => {
    const id = await place();
    const product = await api.store.product({ price: 100, stock: 5 });
    const body = { add: [{ product_id: product, quantity: 1 }] };
    const first = await post(id, 'lines', body, withKey('replayed-lines'));
    await api.database.query(`UPDATE products SET status = 'ARCHIVED' WHERE id = $1`, [product]);

    const again = await post(id, 'lines', body, withKey('replayed-lines'));

    expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 200, first.body]);
    expect(await outcome(post(id, 'lines', body))).toEqual([400, 'item_unavailable']);
  });

  it('leaves what has shipped or is being picked, and ships the order that keeps nothing else', async () => {
    const id = await place();
    const lines = (...quantities: number[]) => ({ set: quantities.map((quantity, n) => ({ line: n + 1, quantity })) });
    await post(id, 'shipments', SHIP);
    await post(id, 'shipments', { reference: 'S-2', items: [{ line: 2, quantity: 1 }], status: 'picking' });

    expect(await outcome(post(id, 'lines', lines(1)))).toEqual([422, 'already_shipped']);
    expect(await outcome(post(id, 'lines', lines(2, 0)))).toEqual([422, 'being_picked']);
    await patch(id, 'S-2', { status: 'void' });
    expect((await post(id, 'lines', lines(2, 0))).json()).toMatchObject({
      data: { fulfillment_status: 'SHIPPED', total_amount: 2000 },
    });
    expect(await outcome(post(id, 'lines', lines(3)))).toEqual([422, 'already_shipped']);
    await patch(id, 'S-1', { status: 'void' });
    expect(await orders.read(id)).toMatchObject({ fulfillment_status: 'PENDING' });
  });

  it('of a paid order leaves a refund or a rest to pay', async () => {
    const id = await place();
    await post(id, 'payments', PAY);

    const less = await post(id, 'lines', { set: [{ line: 1, quantity: 1 }] });
    const more = await post(id, 'lines', { set: [{ line: 1, quantity: 4 }] });

    expect(less.json()).toMatchObject({ data: { status: 'SUCCEEDED', refund_due: 2000, amount_owed: 1500 } });
    expect(more.json()).toMatchObject({ data: { status: 'PENDING', refund_due: 0, amount_owed: 4500 } });
    const rest = { reference: 'pi_2', amount: 1000, currency: 'USD' };
    expect((await post(id, 'payments', rest)).json()).toMatchObject({ data: { status: 'SUCCEEDED' } });
  });

  it('is not for imported orders', async () => {
    const id = await api.store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });

    expect(await outcome(post(id, 'lines', { add: [{ product_id: tee, quantity: 1 }] }))).toEqual([
      ...[422, 'units_without_bin'],
    ]);
  });
});

describe('a hold by a person', () => {
  const HOLD = { reason: 'The customer asks to wait' };
  const CONFIRMATION = `UPDATE order_stages SET state = $2, locked_until = $3, held_for = $4
    WHERE order_id = $1 AND stage = 'notify-customer'`;
  interface Held {
    readonly pipeline: readonly { readonly stage: string; readonly state: string }[];
  }
  const statesOf = async (id: string) =>
    Object.fromEntries((await orders.read<Held>(id)).pipeline.map(({ stage, state }) => [stage, state]));
  const isListed = async (id: string) => {
    const { data } = (await api.get(`/v1/orders?held=true&ids=${id}`)).json<{ data: object[] }>();
    return data.length === 1;
  };
  const soon = new Date(Date.now() + 3_600_000);

  it.each([
    ['a confirmation that waits', 'pending', null, { 'notify-customer': 'held' }, { 'notify-customer': 'pending' }],
    ['a confirmation that a worker sends', 'pending', soon, { review: 'held' }, { 'notify-customer': 'pending' }],
    ['a confirmation that was sent', 'done', null, { review: 'held' }, { 'notify-customer': 'done' }],
    ['a confirmation that failed', 'dead', null, { review: 'held' }, { 'notify-customer': 'dead' }],
  ])('of an order with %s ships nothing until it is released', async (_case, state, lockedUntil, held, released) => {
    const id = await place();
    await api.database.query(CONFIRMATION, [id, state, lockedUntil, null]);
    const reader = new FeedReader(api, 'kinds=orders');
    await reader.catchUp();

    const first = await post(id, 'hold', HOLD);
    const again = await post(id, 'hold', { reason: 'Once more' });

    expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 200, first.body]);
    expect([await statesOf(id), await isListed(id)]).toEqual([expect.objectContaining(held), true]);
    expect((await reader.page()).data.map((change) => change.id)).toEqual([id]);
    expect(await outcome(post(id, 'shipments', SHIP))).toEqual([422, 'order_held']);
    expect((await post(id, 'release')).statusCode).toBe(200);
    expect(await statesOf(id)).toEqual({
      ...{ 'fraud-analysis': 'done', inventory: 'done', 'notify-merchant': 'pending' },
      ...released,
    });
    expect((await reader.page()).data.map((change) => change.id)).toEqual([id]);
    expect((await history(id)).data.filter(({ event }) => event === 'held' || event === 'released')).toMatchObject([
      { event: 'held', details: HOLD },
      { event: 'released' },
    ]);
    expect((await post(id, 'shipments', SHIP)).statusCode).toBe(201);
  });

  it('of an order whose analysis failed is not ended by the next analysis', async () => {
    const id = await place();
    await api.database.query(CONFIRMATION, [id, 'held', null, ['analysis_unavailable']]);
    await post(id, 'hold', HOLD);

    await api.app.get(RescreenHeldOrders).execute(null, new AbortController().signal);

    expect(await statesOf(id)).toMatchObject({ 'notify-customer': 'held' });
    expect(await eventsOf(id)).toEqual(['placed', 'held']);
  });

  it.each([
    ['sent', 'done', ['notify-cancellation']],
    ['waits', 'pending', []],
  ])('and then cancelled mails that where the confirmation %s', async (_case, state, mails) => {
    const id = await place();
    await api.database.query(CONFIRMATION, [id, state, null, null]);
    await post(id, 'hold', HOLD);

    await post(id, 'cancel');

    const { review, ...states } = await statesOf(id);
    expect([review, await isListed(id)]).toEqual([undefined, false]);
    expect(Object.keys(states).filter((stage) => stage === 'notify-cancellation')).toEqual(mails);
  });

  it('is possible for an imported order, and for none that ships, is picked or is cancelled', async () => {
    const imported = await api.store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });
    const [shipped, picked, cancelled] = [await place(), await place(), await place()];
    await post(shipped, 'shipments', SHIP);
    await post(picked, 'shipments', { ...SHIP, status: 'picking' });
    await post(cancelled, 'cancel');

    expect((await post(imported, 'hold', HOLD)).statusCode).toBe(200);
    expect(await isListed(imported)).toBe(true);
    for (const [id, code] of [
      [shipped, 'already_shipped'],
      [picked, 'being_picked'],
      [cancelled, 'order_cancelled'],
    ] as const) {
      expect(await outcome(post(id, 'hold', HOLD))).toEqual([422, code]);
    }
    expect((await post(picked, 'hold', {})).json()).toMatchObject({ error: 'reason is required' });
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

describe('stock and money', () => {
  it('of an imported order do not go to bins from which no unit came', async () => {
    const importOrder = async (fulfillment_status: string) => {
      const id = await api.store.order({ status: 'SUCCEEDED', fulfillment_status });
      await api.store.orderLine(id, { product_id: mug, quantity: 2 });
      return id;
    };
    const [arrived, open] = [await importOrder('DELIVERED'), await importOrder('PENDING')];
    const before = await api.store.onHand(mug);
    const restock = true;
    const returned = { field: 'fulfillment_status', expected: 'DELIVERED', to: 'RETURNED', restock };

    const refused = await post(arrived, 'refunds', { reference: 're_1', amount: 0, restock });

    expect([refused.statusCode, refused.headers['x-error-code'], refused.json<{ error: string }>().error]).toEqual([
      ...[422, 'units_without_bin'],
      'The units of an imported order came from no bin: name restock_to, or record the goods with POST /v1/stock',
    ]);
    const lines = [{ line: 1, quantity: 1 }];
    for (const [id, path, body] of [
      [arrived, 'refunds', { reference: 're_1', amount: 0, restock, lines }],
      [arrived, 'transitions', returned],
      [open, 'cancel', { restock }],
    ] as const) {
      expect(await outcome(post(id, path, body))).toEqual([422, 'units_without_bin']);
    }
    expect((await post(open, 'cancel', { notify: false })).statusCode).toBe(200);
    expect((await history(open)).data).toContainEqual(
      expect.objectContaining({ event: 'cancelled', details: { restock: false } }),
    );
    expect(await eventsOf(arrived)).toEqual(['imported']);
    expect(await api.store.onHand(mug)).toBe(before);
  });

  it.each([
    ['cancel', {}],
    ['refunds', { reference: 'R-1', amount: 0, restock: true, lines: [{ line: 1, quantity: 1 }] }],
  ])('of %s do not go to a bin that cannot hold them', async (path, body) => {
    const product = await api.store.product({ stock: 2 });
    const { order_id: id } = await orders.create({
      items: [{ product_id: product, quantity: 2 }],
      customer: { name: 'Ada' },
    });
    if (path === 'refunds') expect((await post(id, 'shipments', { reference: 'S-1' })).statusCode).toBe(201);
    const fill = (line: object) => api.post('/v1/stock', { lines: [{ product_id: product, ...line }] });
    await fill({ set: 2_147_483_647, expected: null });

    const response = await post(id, path, body);
    await fill({ set: 0, expected: null });

    expect([response.statusCode, response.headers['x-error-code'], response.json()]).toEqual([
      ...[422, 'above_limit', { success: false, error: 'A bin holds at most 2147483647' }],
    ]);
    expect((await post(id, path, body)).statusCode).toBe(path === 'refunds' ? 201 : 200);
  });
});

describe('units that an order gives up', () => {
  const SHORT = { items: [{ line: 1, quantity: 2 }], reason: 'Not on the shelf' };
  const rest = { ...SHIP, items: [1, 2].map((line) => ({ line, quantity: 1 })) };

  it('leave an order that has shipped, whose money for them is due', async () => {
    const id = await place();
    await post(id, 'payments', PAY);
    const before = await api.store.onHand(mug);
    await post(id, 'shipments', rest);

    const { statusCode, body } = await post(id, 'cancel', SHORT, withKey('short'));
    expect([statusCode, body]).toEqual([200, (await post(id, 'cancel', SHORT, withKey('short'))).body]);
    expect(await outcome(post(id, 'cancel', SHORT))).toEqual([422, 'already_shipped']);

    const order = await orders.read<Order>(id);
    expect(order).toMatchObject({
      fulfillment_status: 'SHIPPED',
      amount_owed: 1500,
      amount_paid: 3500,
      refund_due: 2000,
    });
    expect(order.line_items).toMatchObject([
      { quantity: 3, shipped_quantity: 1, cancelled_quantity: 2, allocations: [{ quantity: 1 }] },
      { quantity: 1, shipped_quantity: 1, cancelled_quantity: 0 },
    ]);
    expect(await api.store.onHand(mug)).toBe(before + 2);
    expect(await eventsOf(id)).toEqual([
      ...['placed', 'payment_recorded', 'status_changed', 'shipment_created', 'status_changed', 'status_changed'],
      ...['units_cancelled', 'status_changed'],
    ]);
    const [due] = (await api.get(`/v1/orders?refund_due=true&ids=${id}&include=refund_due`)).json<{ data: object[] }>()
      .data;
    expect(due).toMatchObject({ refund_due: 2000 });
    await post(id, 'refunds', { reference: 're_1', amount: 2000, notify: false });
    await patch(id, 'S-1', { status: 'delivered' });
    expect(await orders.read<Order>(id)).toMatchObject({
      ...{ fulfillment_status: 'DELIVERED', status: 'SUCCEEDED', refund_due: 0 },
    });
  });

  it('stay given up when a shipment is void, and return to no bin when the rest is cancelled', async () => {
    const before = await api.store.onHand(mug);
    const id = await place();
    await post(id, 'cancel', { ...SHORT, restock: false });
    await post(id, 'shipments', rest);
    expect((await orders.read<Order>(id)).fulfillment_status).toBe('SHIPPED');
    await patch(id, 'S-1', { status: 'void' });
    expect((await orders.read<Order>(id)).fulfillment_status).toBe('PENDING');

    const cancelled = await post(id, 'cancel', { items: rest.items, notify: false });

    expect(cancelled.json<{ data: Order }>().data).toMatchObject({
      ...{ status: 'CANCELLED', fulfillment_status: 'CANCELLED', amount_owed: 0 },
      line_items: [{ cancelled_quantity: 3 }, { cancelled_quantity: 1 }],
    });
    expect(await api.store.onHand(mug)).toBe(before - 2);
  });
});

describe('money in parts', () => {
  it('makes an order SUCCEEDED with the last part, and again after a chargeback', async () => {
    const id = await place();
    const pay = (reference: string, amount: number, more: object = {}) =>
      post(id, 'payments', { reference, amount, currency: 'USD', ...more });
    const read = async () => {
      const { status, amount_owed, amount_paid, refund_due } = await orders.read<Order>(id);
      return [status, amount_owed, amount_paid, refund_due];
    };

    expect(await outcome(pay('pi_1', 1000))).toEqual([422, 'amount_mismatch']);
    expect((await pay('pi_2', 1000, { partial: true })).statusCode).toBe(201);
    expect(await read()).toEqual(['PENDING', 3500, 1000, 0]);
    expect(await outcome(pay('pi_3', 2501, { partial: true }))).toEqual([422, 'amount_mismatch']);
    const last = await pay('pi_4', 2430, { settles: true });
    expect(last.json<{ data: object }>().data).toMatchObject({
      payments: [
        { reference: 'pi_2', amount: 1000, written_off: 0 },
        { reference: 'pi_4', amount: 2430, written_off: 70 },
      ],
    });
    expect(await read()).toEqual(['SUCCEEDED', 3430, 3430, 0]);
    await post(id, 'refunds', { reference: 'chargeback', amount: 3430, notify: false });
    expect(await read()).toEqual(['REFUNDED', 3430, 3430, 0]);
    await pay('pi_5', 3430);
    expect(await read()).toEqual(['SUCCEEDED', 3430, 6860, 0]);
    const { data } = await history(id);
    expect(data.find(({ reference, event }) => reference === 'pi_4' && event === 'payment_recorded')?.details).toEqual({
      ...{ amount: 2430, written_off: 70 },
    });
  });
});

describe('bins', () => {
  interface Allocated {
    readonly line_items: readonly {
      readonly allocations: readonly { bin: string; quantity: number; shipped_quantity: number }[];
    }[];
  }
  /** A product with 5, 3 and 0 units in three bins. */
  async function aProduct() {
    const product = await api.store.product({ stock: [5, 3, 0] });
    const rows = (await api.get(`/v1/stock?product_id=${product}`)).json<{
      data: { warehouse: string; bin: string; quantity: number }[];
    }>().data;
    const bins = rows.map(({ warehouse, bin }) => ({ warehouse, bin }));
    const stock = async () =>
      (await api.get(`/v1/stock?product_id=${product}`))
        .json<{ data: { quantity: number }[] }>()
        .data.map(({ quantity }) => quantity);
    const sell = async (...quantities: number[]) => {
      const items = quantities.map((quantity) => ({ product_id: product, quantity }));
      return (await orders.create({ items, customer: { name: 'Ada' } })).order_id;
    };
    const allocations = async (id: string) =>
      (await orders.read<Allocated>(id)).line_items.map((line) =>
        line.allocations.map(({ bin, quantity, shipped_quantity: shipped }) => [
          bins.findIndex((each) => each.bin === bin),
          quantity,
          shipped,
        ]),
      );
    const from = (bin: number, quantity: number) => ({ ...bins[bin], quantity });
    return { product, bins, stock, sell, allocations, from };
  }

  it('from which a shipment was picked give its units, and others of the order go back', async () => {
    const { sell, stock, allocations, from } = await aProduct();
    const id = await sell(2, 1);
    expect([await stock(), await allocations(id)]).toEqual([
      [2, 3, 0],
      [[[0, 2, 0]], [[0, 1, 0]]],
    ]);
    const items = [{ line: 1, quantity: 2, from: [from(1, 2)] }];

    const shipped = await post(id, 'shipments', { reference: 'S-1', items });
    const again = await post(id, 'shipments', { reference: 'S-1', items });
    const elsewhere = { reference: 'S-1', items: [{ line: 1, quantity: 2, from: [from(0, 2)] }] };

    expect([shipped.statusCode, again.body]).toEqual([201, shipped.body]);
    expect(await outcome(post(id, 'shipments', elsewhere))).toEqual([422, 'shipment_reference_taken']);
    expect([await stock(), await allocations(id)]).toEqual([
      [4, 1, 0],
      [[[1, 2, 2]], [[0, 1, 0]]],
    ]);
    await post(id, 'refunds', { reference: 'R-1', amount: 0, restock: true, lines: [{ line: 1, quantity: 1 }] });
    expect(await stock()).toEqual([4, 2, 0]);
  });

  it('of other lines of the order give theirs without a movement, and a picked shipment may name its bins when it ships', async () => {
    const { sell, stock, allocations, from } = await aProduct();
    const id = await sell(6, 1);
    const before = await stock();
    await post(id, 'shipments', { reference: 'S-1', items: [{ line: 2, quantity: 1 }], status: 'picking' });
    expect(await allocations(id)).toEqual([
      [
        [0, 5, 0],
        [1, 1, 0],
      ],
      [[1, 1, 0]],
    ]);

    const shipped = await post(id, 'shipments', {
      reference: 'S-1',
      items: [{ line: 2, quantity: 1, from: [from(0, 1)] }],
    });

    expect(shipped.statusCode).toBe(200);
    expect([await stock(), await allocations(id)]).toEqual([
      before,
      [
        [
          [0, 4, 0],
          [1, 2, 0],
        ],
        [[0, 1, 1]],
      ],
    ]);
  });

  it('refuse what orders have taken there, unknown bins, and another sum', async () => {
    const { sell, stock, from, bins } = await aProduct();
    const id = await sell(2);
    const before = [await stock(), await orders.read(id)];
    const ship = (...units: object[]) =>
      post(id, 'shipments', { reference: 'S-1', items: [{ line: 1, quantity: 2, from: units }] });

    expect((await ship(from(2, 2))).json()).toMatchObject({
      error: `Bin ${bins[2]?.warehouse}/${bins[2]?.bin} has 0 units that no order has taken, 2 are needed`,
    });
    expect((await ship({ ...bins[0], bin: 'NONE', quantity: 2 })).json()).toMatchObject({
      error: `Bin ${bins[0]?.warehouse}/NONE not found`,
    });
    expect((await ship(from(0, 1))).json()).toMatchObject({
      error: 'items[0].from must have 2 units in all, as quantity says',
    });
    expect([await stock(), await orders.read(id)]).toEqual(before);
  });

  it('get what comes back where restock_to names them, also of an imported order', async () => {
    const { product, bins, sell, stock } = await aProduct();
    const id = await sell(3);
    await post(id, 'shipments', { reference: 'S-1' });
    const imported = await api.store.order({ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED' });
    await api.store.orderLine(imported, { product_id: product, quantity: 2 });
    const [first, second] = [await stock(), { warehouse: bins[2]?.warehouse, bin: bins[2]?.bin }];
    const back = { reference: 'R-1', amount: 0, restock: true, restock_to: second };
    const returned = { field: 'fulfillment_status', expected: 'DELIVERED', to: 'RETURNED', restock: true };

    expect((await post(id, 'refunds', { ...back, lines: [{ line: 1, quantity: 1 }] })).statusCode).toBe(201);
    expect((await post(imported, 'transitions', { ...returned, restock_to: second })).statusCode).toBe(200);
    expect([first, await stock()]).toEqual([
      [2, 3, 0],
      [2, 3, 3],
    ]);
    expect(
      await outcome(post(id, 'refunds', { ...back, reference: 'R-2', restock_to: { warehouse: 'X', bin: 'Y' } })),
    ).toEqual([...[422, 'stock_refused']]);
    expect((await post(id, 'refunds', { ...back, restock: false })).json()).toMatchObject({
      error: 'restock_to needs restock',
    });
    expect((await post(id, 'refunds', { reference: 'R-2', amount: 0, restock: true })).statusCode).toBe(201);
    expect(await stock()).toEqual([4, 3, 3]);
  });
});

describe('requests at the same moment', () => {
  it('either cancel or ship an order', async () => {
    for (let n = 0; n < 10; n++) {
      const id = await place();

      const [cancelled, shipped] = await Promise.all([
        outcome(post(id, 'cancel', { notify: false })),
        outcome(post(id, 'shipments', SHIP)),
      ]);

      const { fulfillment_status } = await orders.read<Order>(id);
      expect([cancelled, shipped, fulfillment_status]).toEqual(
        cancelled?.[0] === 200
          ? [[200, undefined], [422, 'order_cancelled'], 'CANCELLED']
          : [[422, 'already_shipped'], [201, undefined], 'PROCESSING'],
      );
    }
  });

  it('with one key make one change', async () => {
    const id = await place();

    const answers = await Promise.all(Array.from({ length: 8 }, () => post(id, 'payments', PAY, withKey('at-once'))));

    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(await eventsOf(id)).toEqual(['placed', 'payment_recorded', 'status_changed']);
  });
});

it('is found by its name, its reference and its present tracking number, and not by an earlier one', async () => {
  const items = [{ product_id: mug, quantity: 1 }];
  const customer = { name: 'Zoe\u0308 Search' };
  const { order_id: id } = await orders.create({ items, customer, external_reference: 'Search/1' });
  const found = async (text: string) =>
    (await api.get(`/v1/orders?search=${encodeURIComponent(text)}`))
      .json<{ data: { id: string }[] }>()
      .data.map((order) => order.id);
  const parcel = { ...SHIP, items: [{ line: 1, quantity: 1 }], tracking_number: 'Track-Ä1' };
  await post(id, 'shipments', parcel);
  const texts = ['zoë s', 'SEARCH/1', 'track-a\u03081'];

  const first = await Promise.all(texts.map(found));
  await patch(id, 'S-1', { tracking_number: 'Track-2' });

  expect(first).toEqual([[id], [id], [id]]);
  expect([await found('Track-Ä1'), await found('track-2')]).toEqual([[], [id]]);
});

it('has times that never run backwards, however many changes wait for each other', async () => {
  const id = await place();
  await post(id, 'shipments', SHIP);

  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => patch(id, 'S-1', { tracking_number: `T-${n}` })),
  );

  const changed = answers.map((answer) => answer.json<{ data: { updated_at: string } }>().data.updated_at);
  const now = (await api.get(`/v1/orders/${id}`)).json<{ data: { updated_at: string } }>().data.updated_at;
  expect([...changed, now].toSorted().at(-1)).toBe(now);
  const times = (await history(id)).data.map(({ at }) => at);
  expect(times).toEqual(times.toSorted());
});
