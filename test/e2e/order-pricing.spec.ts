import type { OrderResponse } from '@app/representations';
import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type Answer = Awaited<ReturnType<RunningApi['post']>>;
const codeOf = ({ statusCode, headers }: Answer) => [statusCode, headers['x-error-code']];

let api: RunningApi;
let lamp: number;
let pricing: { readonly authorization: string };
beforeAll(async () => {
  api = await startApi({ THROTTLE_PER_10S: '0' });
  lamp = await api.store.product({ price: 5_000, stock: 1_000, sku: 'LAMP' });
  const key = await api.store.createKey('live', 'read,orders,fulfillment,payments,pricing');
  pricing = { authorization: `Bearer ${key}` };
});
afterAll(() => api?.stop());

const vat = (amount: number, rate = 19) => ({ name: 'VAT', rate, amount });
/** Two lamps for 45.00 instead of 50.00 each, 10.00 off, 19 percent on top, and shipping for 4.90. */
const NEGOTIATED = {
  items: [{ sku: 'LAMP', quantity: 2, unit_price: '45.00', discount_amount: 1_000, tax: [vat(1_520)] }],
  shipping_amount: 490,
  shipping_tax: [vat(93)],
};
const bodyOf = (more: object = {}) => ({ ...anOrderBody(lamp, 2), ...more });

async function orderBy(headers: object | undefined, body: object): Promise<OrderResponse> {
  const placed = await api.post('/v1/orders', body, headers as Record<string, string> | undefined);
  expect([placed.statusCode, placed.body]).toEqual([201, placed.body]);
  const { order_id: id } = placed.json<{ data: { order_id: string } }>().data;
  return (await api.get(`/v1/orders/${id}`)).json<{ data: OrderResponse }>().data;
}

describe('a key with the scope pricing', () => {
  it('places an order at its own prices, taxes, discounts and shipping', async () => {
    const order = await orderBy(pricing, bodyOf({ ...NEGOTIATED, expected_total: 101.03 }));

    expect(order).toMatchObject({
      ...{ amount: 9_000, discount_amount: 1_000, shipping_amount: 490, tax_amount: 1_613, total_amount: 10_103 },
      line_items: [{ unit_price: 4_500, line_total: 9_000, discount_amount: 1_000, tax: [vat(1_520)] }],
      ...{ shipping_tax: [vat(93)], tax_lines: [{ ...vat(1_613), included: false }] },
    });
  });

  it('gives a price alone, and the service charges by the settings of the store', async () => {
    const charges = { rates: [{ country: 'DE', name: 'VAT', rate: 19 }] };
    await api.database.query('UPDATE stores SET charge_settings = $2 WHERE id = $1', [api.store.id, charges]);

    const body = { items: [{ sku: 'LAMP', quantity: 1, unit_price: 45 }], customer: { name: 'Ada', country: 'DE' } };
    const order = await orderBy(pricing, bodyOf(body));

    await api.database.query(`UPDATE stores SET charge_settings = '{}' WHERE id = $1`, [api.store.id]);
    expect(order).toMatchObject({ amount: 4_500, tax_amount: 855, total_amount: 5_355 });
  });

  it.each<[object, string]>([
    [
      { items: [{ sku: 'LAMP', quantity: 1, unit_price: '45.001' }] },
      'items[0].unit_price must have at most 2 decimals in',
    ],
    [{ items: [{ sku: 'LAMP', quantity: 1, unit_price: -1 }] }, 'items[0].unit_price must be a decimal'],
    [
      { items: [{ sku: 'LAMP', quantity: 1, unit_price: '60000000000' }] },
      'items[0].unit_price must not be higher than 500000000.00',
    ],
    ...[1_000_000_000_000, '1000000000000.00'].map((unit_price): [object, string] => [
      { items: [{ sku: 'LAMP', quantity: 1, unit_price }] },
      'items[0].unit_price must not be higher than 500000000.00',
    ]),
    [
      { items: [{ sku: 'LAMP', quantity: 1, discount_amount: -1 }] },
      'items[0].discount_amount must be an integer from 0',
    ],
    [
      { items: [{ sku: 'LAMP', quantity: 1, discount_amount: 5_001 }] },
      'The discount of a line of 5000 must not be 5001',
    ],
    [
      { items: [{ sku: 'LAMP', quantity: 1, discount_amount: 1_000, tax: [vat(4_001)] }], tax_included: true },
      'The taxes of line 1 are 4001 minor units and exceed the price of 4000 that includes them',
    ],
    [
      { shipping_amount: 490, shipping_tax: [vat(491)], tax_included: true },
      'The taxes of the shipping are 491 minor units and exceed the price of 490 that includes them',
    ],
    [{ items: [{ sku: 'LAMP', quantity: 1, tax: [vat(1, 7.00001)] }] }, 'items[0].tax[0].rate must be a percentage'],
    [{ items: [{ sku: 'LAMP', quantity: 1, tax: [{ rate: 1, amount: 1 }] }] }, 'items[0].tax[0].name is required'],
    [
      { items: [{ sku: 'LAMP', quantity: 1, tax: [vat(2 ** 53 - 1), vat(2 ** 53 - 1, 7)] }] },
      'The taxes of an order must not exceed 5000000000000000 minor units',
    ],
    [{ shipping_amount: 0.5 }, 'shipping_amount must be an integer from 0'],
  ])('is refused %j by name', async (more, message) => {
    const answer = await api.post('/v1/orders', bodyOf(more), pricing);

    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it('changes prices, charges and lines of an order, and others change no lines of it', async () => {
    const { id } = await orderBy(pricing, bodyOf(NEGOTIATED));
    const set = [{ line: 1, quantity: 3, unit_price: 40, tax: [vat(2_090)] }];

    const byOther = await api.post(`/v1/orders/${id}/lines`, { set: [{ line: 1, quantity: 3 }] });
    const priced = await api.post(`/v1/orders/${id}/lines`, { set }, pricing);
    const again = await api.post(`/v1/orders/${id}/lines`, { set }, pricing);
    const free = await api.post(`/v1/orders/${id}/lines`, { shipping_amount: 0, shipping_tax: [vat(0)] }, pricing);

    expect(codeOf(byOther)).toEqual([422, 'charges_given']);
    expect(priced.json()).toMatchObject({
      data: {
        ...{ amount: 12_000, discount_amount: 1_000, tax_amount: 2_183, total_amount: 13_673, amount_open: 13_673 },
        line_items: [{ quantity: 3, unit_price: 4_000, line_total: 12_000 }],
      },
    });
    expect(again.json()).toMatchObject({ data: { total_amount: 13_673 } });
    expect(free.json()).toMatchObject({ data: { shipping_amount: 0, tax_amount: 2_090, total_amount: 13_090 } });
  });

  it('includes in a price no more tax than it is, also by a change and in its preview', async () => {
    const included = {
      items: [{ sku: 'LAMP', quantity: 1, tax: [vat(5_000)] }],
      shipping_amount: 490,
      tax_included: true,
    };
    const { id } = await orderBy(pricing, bodyOf({ ...included, shipping_tax: [vat(490)] }));
    const preview = await api.post('/v1/orders/preview', bodyOf({ ...included, shipping_tax: [vat(491)] }), pricing);
    const { id: other } = await orderBy(pricing, bodyOf({ items: [{ sku: 'LAMP', quantity: 1, tax: [vat(5_001)] }] }));
    const edit = (order: string, body: object, query = '') =>
      api.post(`/v1/orders/${order}/lines${query}`, body, pricing);

    const refused = [
      preview,
      await edit(id, { set: [{ line: 1, quantity: 1, tax: [vat(5_001)] }] }),
      await edit(id, { set: [{ line: 1, quantity: 1, unit_price: 49 }] }, '?preview=true'),
      await edit(id, { shipping_amount: 489 }),
      await edit(other, { tax_included: true }),
    ];

    const exceeds = (of: string, tax: number, price: number) =>
      `The taxes of ${of} are ${tax} minor units and exceed the price of ${price} that includes them`;
    expect(refused.map((answer) => [...codeOf(answer), answer.json<{ error: string }>().error])).toEqual([
      [400, 'invalid_request', exceeds('the shipping', 491, 490)],
      [400, 'invalid_request', exceeds('line 1', 5001, 5000)],
      [400, 'invalid_request', exceeds('line 1', 5000, 4900)],
      [400, 'invalid_request', exceeds('the shipping', 490, 489)],
      [400, 'invalid_request', exceeds('line 1', 5001, 5000)],
    ]);
  });

  it('gives taxes of one rate once, takes them back by an empty list, and none to a line without units', async () => {
    const lines = [
      { sku: 'LAMP', quantity: 1, tax: [vat(100), vat(50)] },
      { sku: 'LAMP', quantity: 1, tax: [vat(70)] },
    ];
    const { id, line_items } = await orderBy(pricing, bodyOf({ items: lines }));
    const edit = (set: object[]) => api.post(`/v1/orders/${id}/lines`, { set }, pricing);

    const given = await edit([{ line: 1, quantity: 1, tax: [] }]);
    const less = await edit([{ line: 2, quantity: 0, unit_price: 50 }]);

    expect(line_items[0]?.tax).toEqual([vat(150)]);
    expect(given.json()).toMatchObject({ data: { tax_amount: 70, line_items: [{ tax: [] }, { tax: [vat(70)] }] } });
    expect(less.json()).toMatchObject({ data: { tax_amount: 0, total_amount: 5_000, line_items: [{}, { tax: [] }] } });
  });

  it('gives an order 50 taxes of different names and rates, and no more', async () => {
    const items = (taxes: number, from = 0) =>
      Array.from({ length: taxes / 10 }, (_, line) => {
        return { sku: 'LAMP', quantity: 1, tax: Array.from({ length: 10 }, (_, n) => vat(1, from + 10 * line + n)) };
      });
    const tooMany = bodyOf({ items: items(50), shipping_amount: 1, shipping_tax: [vat(1, 50)] });

    const refused = await api.post('/v1/orders', tooMany, pricing);
    const previewed = await api.post('/v1/orders/preview', tooMany, pricing);
    const { id, tax_lines } = await orderBy(pricing, bodyOf({ items: items(50) }));
    const added = await api.post(`/v1/orders/${id}/lines`, { add: items(10, 50) }, pricing);
    const shipped = await api.post(`/v1/orders/${id}/lines`, { shipping_tax: [vat(1, 50)] }, pricing);
    const same = await api.post(`/v1/orders/${id}/lines`, { add: items(50) }, pricing);

    for (const answer of [refused, previewed, added, shipped]) {
      expect([...codeOf(answer), answer.json<{ error: string }>().error]).toEqual([
        ...[
          422,
          'too_many_taxes',
          'An order can have at most 50 taxes of different names or rates, including those of its shipping',
        ],
      ]);
    }
    expect(tax_lines).toHaveLength(50);
    expect(same.statusCode).toBe(200);
  });

  it('gives no blank payment method', async () => {
    const { id } = await orderBy(pricing, bodyOf());

    const answer = await api.patch(`/v1/orders/${id}`, { payment_method: ' ' }, pricing);

    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      400,
      'payment_method must not be blank',
    ]);
  });

  it('keeps its charges when the country is corrected', async () => {
    const { id, total_amount } = await orderBy(pricing, bodyOf(NEGOTIATED));

    const moved = await api.patch(`/v1/orders/${id}`, { shipping_address: { country: 'FR' } });

    expect(moved.json()).toMatchObject({ data: { total_amount, shipping_address: { country: 'FR' } } });
  });

  it('corrects the number and the payment method of an order, and no number twice', async () => {
    const [one, other] = [await orderBy(pricing, bodyOf()), await orderBy(pricing, bodyOf())];
    const terms = { external_reference: 'SO-1', payment_method: 'INVOICE' };

    const corrected = await api.patch(`/v1/orders/${one.id}`, terms, pricing);
    const taken = await api.patch(`/v1/orders/${other.id}`, terms, pricing);

    expect(corrected.json()).toMatchObject({ data: terms });
    expect([codeOf(taken), taken.json<{ error: string }>().error]).toEqual([
      ...[[422, 'external_reference_taken'], 'Another order has this external_reference'],
    ]);
    const found = await api.get('/v1/orders?search=so-1');
    expect(found.json<{ data: object[] }>().data).toMatchObject([{ id: one.id }]);
    const history = await api.get(`/v1/orders/${one.id}/history`);
    expect(history.json()).toMatchObject({
      data: [
        { event: 'placed' },
        { event: 'terms_changed', details: { changed: ['external_reference', 'payment_method'] } },
      ],
    });
  });

  it('gives one of two orders a number for which both ask at once', async () => {
    const orders = await Promise.all([1, 2, 3, 4].map(() => orderBy(pricing, bodyOf())));

    const answers = await Promise.all(
      orders.map(({ id }) => api.patch(`/v1/orders/${id}`, { external_reference: 'SO-2' }, pricing)),
    );

    expect(answers.map((answer) => codeOf(answer)[1] ?? '').sort()).toEqual([
      ...['', 'external_reference_taken', 'external_reference_taken', 'external_reference_taken'],
    ]);
  });
});

describe('a key without the scope pricing', () => {
  it('gets the prices of the service, and the names of what is ignored', async () => {
    const placed = await api.post('/v1/orders', bodyOf(NEGOTIATED));

    expect([placed.statusCode, placed.json()]).toMatchObject([201, { data: { total: 100 } }]);
    expect(String(placed.headers['x-ignored-fields']).split(', ').sort()).toEqual([
      ...[
        'items%5B%5D.discount_amount',
        'items%5B%5D.tax',
        'items%5B%5D.unit_price',
        'shipping_amount',
        'shipping_tax',
      ].map(decodeURIComponent),
    ]);
  });

  it('is refused in strict handling, and always in a change', async () => {
    const { id } = await orderBy(undefined, bodyOf());

    const strict = await api.post('/v1/orders', bodyOf(NEGOTIATED), { prefer: 'handling=strict' });
    const changed = await api.post(`/v1/orders/${id}/lines`, { set: [{ line: 1, quantity: 2, unit_price: 1 }] });
    const patched = await api.patch(`/v1/orders/${id}`, { payment_method: 'INVOICE' });

    for (const answer of [strict, changed, patched]) expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(strict.body).toContain('items[].unit_price');
    expect(changed.body).toContain('set[0].unit_price is not a field of this request');
  });

  it('is not one with the scope full', async () => {
    expect((await api.get('/v1/key')).json<{ data: { scope: string[] } }>().data.scope).not.toContain('pricing');
  });
});
