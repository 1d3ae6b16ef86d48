import { RescreenHeldOrders } from '@app/application';
import { eventually } from '../support/eventually.js';
import { FeedReader } from '../support/feed-reader.js';
import { orderChanges, outcome, PAY, REFUND, SHIP, startShop, withKey, type Order } from '../support/order-changes.js';
import type { RunningApi } from '../support/start-api.js';

let api: RunningApi;
let mug: number;
let tee: number;
beforeAll(async () => ({ api, mug, tee } = await startShop()));
afterAll(() => api.stop());
const { orders, place, post, patch, history, eventsOf } = orderChanges(() => ({ api, mug, tee }));

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

  it('corrects the billing address after the first shipment, for which it changes nothing, until the order has ended', async () => {
    const id = await placeAt({ items: [{ product_id: mug, quantity: 2 }] });
    await post(id, 'shipments', { reference: 'S-1', items: [{ line: 1, quantity: 1 }] });
    await post(id, 'shipments', { reference: 'S-2', status: 'picking' });
    const billing = (billing_address: object) => correct(id, { billing_address });

    const corrected = await billing({ vat_id: 'DE1', name: 'Accounts', country: 'de' });
    const elsewhere = await correct(id, { shipping_address: { city: 'Leeds' } });

    expect(corrected.json()).toMatchObject({
      data: {
        billing_address: { company: 'Engines Ltd', city: 'London', vat_id: 'DE1', name: 'Accounts', country: 'DE' },
        shipping_address: { vat_id: '', country: '' },
        shipments: [{ address_changed: false }, { address_changed: false }],
      },
    });
    expect(elsewhere.json()).toMatchObject({
      data: { billing_address: { city: 'London' }, shipments: [{ address_changed: false }, { address_changed: true }] },
    });
    await post(id, 'shipments', { reference: 'S-2' });
    expect((await correct(id, PATCH)).json()).toMatchObject({ code: 'already_shipped' });
    expect((await billing({ name: 'Late' })).statusCode).toBe(200);
    const { total_amount: amount, currency } = await orders.read(id);
    await post(id, 'payments', { reference: 'P-1', amount, currency });
    for (const number of ['S-1', 'S-2']) await patch(id, number, { status: 'delivered' });
    expect((await billing({ name: 'Too late' })).json()).toMatchObject({ code: 'order_ended' });
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

  it('is possible until all units have shipped or the order is cancelled, while units are being picked and for imported orders', async () => {
    const [picked, shipped, cancelled] = [await place(), await place(), await place()];
    await post(picked, 'shipments', { ...SHIP, status: 'picking' });
    await post(shipped, 'shipments', { reference: 'S-1' });
    await post(cancelled, 'cancel');
    const imported = await api.store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });

    for (const id of [picked, imported]) expect((await correct(id, PATCH)).statusCode).toBe(200);
    await post(picked, 'shipments', { reference: 'S-2', items: [{ line: 1, quantity: 1 }], status: 'picking' });
    const shipments = [{ address_changed: true }, { address_changed: false }];
    expect(await orders.read(picked)).toMatchObject({ shipments });
    await patch(picked, 'S-1', { status: 'shipped' });
    expect(await orders.read(picked)).toMatchObject({ shipments: [{ address_changed: false }, shipments[1]] });
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
      { line: 2, quantity: 1, cancelled_quantity: 1 },
      { line: 1, quantity: 2, cancelled_quantity: 2 },
    ];
    const refunds = [
      { reference: 're_1', amount: 1000, reason: 'goods', credited: 2500, lines: named, restock: true },
      { reference: 're_2', amount: 1000, reason: 'repayment', credited: 0, lines: [], restock: false },
    ];
    expect(await orders.read(id)).toMatchObject({ refunds });
    const everything = new FeedReader(api);
    await everything.catchUp();
    expect(everything.copy.get(`orders ${id}`)?.data).toMatchObject({ refunds });
  });
});

it('a refund is for each unit once, and shows the units that came back without being named', async () => {
  const id = await place();
  await post(id, 'payments', PAY);
  await post(id, 'shipments', { reference: 'S-1', notify: false });
  const lines = [{ line: 1, quantity: 2 }];
  expect((await post(id, 'refunds', { ...REFUND, lines })).statusCode).toBe(201);

  const again = await post(id, 'refunds', { ...REFUND, reference: 're_2', lines });
  const rest = await post(id, 'refunds', { ...REFUND, reference: 're_3', restock: true });

  expect([again.statusCode, again.json<{ error: string }>().error]).toEqual([422, 'Line 1 has 1 unit left to refund']);
  const back = [1, 2].map((line) => ({ line, quantity: 1 }));
  expect(rest.json()).toMatchObject({
    data: {
      line_items: [{ returned_quantity: 1 }, { returned_quantity: 1 }],
      refunds: [
        { reference: 're_1', lines, restock: false },
        { reference: 're_3', lines: back, restock: true },
      ],
    },
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
    await post(id, 'refunds', { reference: 'chargeback', amount: 3430, reason: 'chargeback', notify: false });
    expect(await read()).toEqual(['PENDING', 3430, 3430, 0]);
    await pay('pi_5', 3430);
    expect(await read()).toEqual(['SUCCEEDED', 3430, 6860, 0]);
    const { data } = await history(id);
    expect(data.find(({ reference, event }) => reference === 'pi_4' && event === 'payment_recorded')?.details).toEqual({
      ...{ amount: 2430, written_off: 70 },
    });
  });
});

describe('a hold by a person', () => {
  const HOLD = { reason: 'The customer asks to wait' };
  const CONFIRMATION = `UPDATE order_stages SET state = $2, locked_until = $3
    WHERE order_id = $1 AND stage = 'notify-customer'`;
  interface Held {
    readonly pipeline: readonly { readonly stage: string; readonly state: string }[];
    readonly held: boolean;
    readonly held_reasons: readonly string[];
  }
  const heldOf = async (id: string) => {
    const { held, held_reasons } = await orders.read<Held>(id);
    return [held, held_reasons];
  };
  const statesOf = async (id: string) =>
    Object.fromEntries((await orders.read<Held>(id)).pipeline.map(({ stage, state }) => [stage, state]));
  const isListed = async (id: string) => {
    const { data } = (await api.get(`/v1/orders?held=true&ids=${id}`)).json<{ data: object[] }>();
    return data.length === 1;
  };
  const soon = new Date(Date.now() + 3_600_000);

  it.each([
    ['a confirmation that waits', 'pending', null, { 'notify-customer': 'held' }, { 'notify-customer': 'pending' }],
    [
      'a confirmation that a worker sends',
      'pending',
      soon,
      { 'notify-customer': 'pending' },
      { 'notify-customer': 'pending' },
    ],
    ['a confirmation that was sent', 'done', null, { 'notify-customer': 'done' }, { 'notify-customer': 'done' }],
    ['a confirmation that failed', 'dead', null, { 'notify-customer': 'dead' }, { 'notify-customer': 'dead' }],
  ])('of an order with %s ships nothing until it is released', async (_case, state, lockedUntil, held, released) => {
    const id = await place();
    await api.database.query(CONFIRMATION, [id, state, lockedUntil]);
    const reader = new FeedReader(api, 'kinds=orders');
    await reader.catchUp();

    const first = await post(id, 'hold', HOLD);
    const again = await post(id, 'hold', { reason: 'Once more' });

    expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 200, first.body]);
    expect([await statesOf(id), await isListed(id)]).toEqual([expect.objectContaining(held), true]);
    expect(await heldOf(id)).toEqual([true, ['manual']]);
    expect((await reader.page()).data.map((change) => change.id)).toEqual([id]);
    expect(await outcome(post(id, 'shipments', SHIP))).toEqual([422, 'order_held']);
    expect((await post(id, 'release')).statusCode).toBe(200);
    expect(await heldOf(id)).toEqual([false, []]);
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
    await api.database.query(`UPDATE orders SET held_reasons = '{analysis_unavailable}' WHERE id = $1`, [id]);
    await post(id, 'hold', HOLD);

    await api.app.get(RescreenHeldOrders).execute(null, new AbortController().signal);

    expect(await heldOf(id)).toEqual([true, ['analysis_unavailable', 'manual']]);
    expect(await eventsOf(id)).toEqual(['placed', 'held']);
  });

  it.each([
    ['sent', 'done', ['notify-cancellation']],
    ['waits', 'pending', []],
  ])('and then cancelled mails that where the confirmation %s', async (_case, state, mails) => {
    const id = await place();
    await api.database.query(CONFIRMATION, [id, state, null]);
    await post(id, 'hold', HOLD);

    await post(id, 'cancel');

    expect([await heldOf(id), await isListed(id)]).toEqual([[false, []], false]);
    expect(Object.keys(await statesOf(id)).filter((stage) => stage === 'notify-cancellation')).toEqual(mails);
  });

  it('is possible for an imported order, and for none that ships, is picked or is cancelled', async () => {
    const imported = await api.store.order({ status: 'PENDING', fulfillment_status: 'PENDING' });
    const [shipped, picked, cancelled] = [await place(), await place(), await place()];
    await post(shipped, 'shipments', { reference: 'S-1' });
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

it('is found by its name, its company, its references and its present tracking number, and not by an earlier one', async () => {
  const items = [{ product_id: mug, quantity: 1 }];
  const customer = { name: 'Zoe\u0308 Search', company: 'Z\u00f6llner & Co' };
  const { order_id: id } = await orders.create({ items, customer, external_reference: 'Search/1' });
  const found = async (text: string) =>
    (await api.get(`/v1/orders?search=${encodeURIComponent(text)}`))
      .json<{ data: { id: string }[] }>()
      .data.map((order) => order.id);
  const parcel = { ...SHIP, items: [{ line: 1, quantity: 1 }], tracking_number: 'Track-Ä1' };
  await post(id, 'shipments', parcel);
  await post(id, 'payments', { ...PAY, reference: 'pi_Search', amount: 1000 });
  const texts = ['zoë s', 'SEARCH/1', 'track-a\u03081', 'zo\u0308llner &', 'PI_SEARCH', 'se 99'];
  await api.patch(`/v1/orders/${id}`, { billing_address: { vat_id: 'SE 99' } });

  const first = await Promise.all(texts.map(found));
  await patch(id, 'S-1', { tracking_number: 'Track-2' });

  expect(first).toEqual(texts.map(() => [id]));
  expect([await found('Track-Ä1'), await found('track-2')]).toEqual([[], [id]]);
});

describe('a cancellation for a fee', () => {
  it('is previewed, keeps the fee open, and shows it in the lists and the history', async () => {
    const id = await place();
    const cancel = (fee: number, more: object = {}) => post(id, 'cancel', { fee, reason: 'No show', ...more });
    const isOpen = async () =>
      (await api.get(`/v1/orders?open=true&ids=${id}`)).json<{ data: object[] }>().data.length === 1;
    const kept = { cancellation_fee: 500, amount_owed: 500, amount_open: 500, amount_credited: 3000, refund_due: 0 };

    const preview = await post(id, 'cancel?preview=true', { fee: 500 });
    const before = await orders.read<Order>(id);
    const done = await cancel(500);

    expect(preview.json()).toMatchObject({ data: { ...kept, status: 'PENDING', fulfillment_status: 'CANCELLED' } });
    expect(before).toMatchObject({ cancellation_fee: 0, amount_owed: 3500, fulfillment_status: 'PENDING' });
    expect(done.json()).toMatchObject({ data: kept });
    const { data } = await history(id);
    expect(data[1]).toMatchObject({ event: 'cancelled', details: { reason: 'No show', fee: 500 } });
    expect([await isOpen(), (await cancel(500)).json<{ data: object }>().data]).toEqual([true, await orders.read(id)]);
    expect(await outcome(cancel(400))).toEqual([422, 'order_cancelled']);
    await post(id, 'payments', { ...PAY, amount: 500 });
    expect([await isOpen(), (await orders.read<Order>(id)).status]).toEqual([false, 'SUCCEEDED']);
  });

  it('is refused with items, by a negative fee, and beyond what is owed', async () => {
    const id = await place();
    const errorOf = async (body: object) => {
      const response = await post(id, 'cancel', body);
      return [response.statusCode, response.json<{ error: string }>().error];
    };

    expect(await errorOf({ fee: 0, items: [{ line: 1, quantity: 1 }] })).toEqual([
      400,
      'fee must be absent with items',
    ]);
    expect((await errorOf({ fee: -1 }))[0]).toBe(400);
    expect(await errorOf({ fee: 3501 })).toEqual([422, 'fee must be at most 3500, the amount owed (in minor units)']);
    expect((await orders.read<Order>(id)).fulfillment_status).toBe('PENDING');
  });
});

describe('the metadata of a payment', () => {
  const metadata = { ledger: '1200', ü: 'Ü' };
  const pay = (id: string, more: object) => post(id, 'payments', { ...PAY, ...more });

  it('is shown, in the feed too, and makes another request of the same reference', async () => {
    const id = await place();
    const reader = new FeedReader(api);
    await reader.catchUp();

    const first = await pay(id, { metadata });
    const again = await pay(id, { metadata: { ü: 'Ü', ledger: '1200' } });

    expect(first.json()).toMatchObject({
      data: { payments: [{ reference: 'pi_1', metadata: { ledger: '1200', ü: 'Ü' } }] },
    });
    expect([again.statusCode, again.body]).toEqual([201, first.body]);
    for (const other of [{}, { metadata: { ledger: '1201' } }, { metadata: {} }])
      expect(await outcome(pay(id, other))).toEqual([422, 'payment_reference_taken']);
    await eventually(async () => {
      await reader.catchUp();
      expect(JSON.stringify([...reader.copy])).toContain('"ledger":"1200"');
    });
    const { data } = (await api.get(`/v1/orders?ids=${id}&include=payments`)).json<{ data: object[] }>();
    expect(data).toMatchObject([{ payments: [{ metadata: { ledger: '1200', ü: 'Ü' } }] }]);
  });

  it('counts with that of the order and its lines, whichever comes last', async () => {
    const id = await place();
    const large = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`key-${n}`, 'x'.repeat(500)]));
    await api.patch(`/v1/orders/${id}`, { metadata: large });

    const second = await pay(id, { amount: 1, partial: true, metadata: large });
    const third = await outcome(pay(id, { reference: 'pi_2', amount: 1, partial: true, metadata: large }));
    const fourth = await outcome(pay(id, { reference: 'pi_3', amount: 1, partial: true, metadata: large }));
    const patched = await outcome(api.patch(`/v1/orders/${id}`, { lines: [{ line: 1, metadata: large }] }));
    const plain = await outcome(pay(id, { reference: 'pi_4', amount: 1, partial: true }));

    expect([second.statusCode, third, fourth, patched, plain]).toEqual([
      ...[201, [201, undefined], [422, 'metadata_too_large'], [422, 'metadata_too_large'], [201, undefined]],
    ]);
  });
});

it('has, in the answer to a change and afterwards, an updated_at that is not before the change', async () => {
  const id = await place();
  const timeOf = async (read: Promise<object>) => ((await read) as { updated_at: string }).updated_at;
  const reader = new FeedReader(api);
  await reader.catchUp();
  const before = await timeOf(orders.read(id));
  const [{ now } = { now: new Date() }] = await api.database.query<{ now: Date }>('SELECT now()::timestamptz(3)');

  const answer = (await post(id, 'payments', PAY)).json<{ data: { updated_at: string } }>();

  const { updated_at } = answer.data;
  expect([updated_at > before, updated_at >= now.toISOString()]).toEqual([true, true]);
  expect(await timeOf(orders.read(id))).toBe(updated_at);
  await eventually(async () => {
    await reader.catchUp();
    const listed = (await api.get(`/v1/orders?updated_from=${updated_at}`)).json<{ data: { id: string }[] }>().data;
    expect(listed.map((row) => row.id)).toContain(id);
  });
  expect((await timeOf(orders.read(id))) >= updated_at).toBe(true);
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
