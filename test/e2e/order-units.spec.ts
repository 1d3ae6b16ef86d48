import { orderChanges, outcome, PAY, SHIP, startShop, withKey, type Order } from '../support/order-changes.js';
import type { RunningApi } from '../support/start-api.js';

let api: RunningApi;
let mug: number;
let tee: number;
beforeAll(async () => ({ api, mug, tee } = await startShop()));
afterAll(() => api.stop());
const { orders, place, post, patch, history, eventsOf } = orderChanges(() => ({ api, mug, tee }));

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
      'The units of the order were not taken from bins: send restock_to, or record the goods with POST /v1/stock',
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

    expect([response.statusCode, response.headers['x-error-code'], response.json()]).toMatchObject([
      ...[422, 'above_limit', { success: false, error: 'A bin can hold at most 2147483647 units' }],
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

describe('bins', () => {
  interface Allocated {
    readonly line_items: readonly {
      readonly allocations: readonly { bin: string; quantity: number; shipped_quantity: number }[];
    }[];
  }
  /** Creates a product with 5, 3 and 0 units in three bins. */
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

  it('that a repeated request adds to a shipment make it another one', async () => {
    const { sell, stock, from } = await aProduct();
    const id = await sell(2);
    const items = [{ line: 1, quantity: 2 }];
    await post(id, 'shipments', { reference: 'S-1', items });
    const before = await stock();

    const withBins = { reference: 'S-1', items: [{ line: 1, quantity: 2, from: [from(1, 2)] }] };

    expect(await outcome(post(id, 'shipments', withBins))).toEqual([422, 'shipment_reference_taken']);
    expect(await stock()).toEqual(before);
  });

  it('of other lines of the order give theirs without stock, and a picked shipment may name its bins when it ships', async () => {
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
      error: `Bin ${bins[2]?.warehouse}/${bins[2]?.bin} has 0 free units, but 2 are required`,
    });
    expect((await ship({ ...bins[0], bin: 'NONE', quantity: 2 })).json()).toMatchObject({
      error: `Bin ${bins[0]?.warehouse}/NONE not found`,
    });
    expect((await ship(from(0, 1))).json()).toMatchObject({
      error: 'items[0].from must add up to the quantity, 2',
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
      error: 'restock_to requires restock',
    });
    expect((await post(id, 'refunds', { reference: 'R-2', amount: 0, restock: true })).statusCode).toBe(201);
    expect(await stock()).toEqual([4, 3, 3]);
  });
});

describe('the stock of an order', () => {
  /** Places an order with units of a product in a thousand bins. */
  async function inThousandBins() {
    const products = await Promise.all(
      Array.from({ length: 4 }, () => api.store.product({ stock: Array.from({ length: 250 }, () => 1) })),
    );
    const items = products.map((product) => ({ product_id: product, quantity: 250 }));
    return { id: (await orders.create({ items, customer: { name: 'Ada' } })).order_id, products };
  }
  const add = (id: string) => outcome(post(id, 'lines', { add: [{ product_id: mug, quantity: 1 }] }));

  it('lies in at most a thousand bins, also where a bin has enough, or units are picked elsewhere', async () => {
    const { id, products } = await inThousandBins();
    const inStock = await api.store.onHand(mug);
    await api.store.stock(products[0] as number, null, 1);
    const [bin] = await api.database.query<{ warehouse: string; bin: string }>(
      `SELECT warehouses.code AS warehouse, bins.code AS bin FROM stock
       JOIN bins ON bins.store_id = $1 AND bins.id = bin_id JOIN warehouses ON warehouses.store_id = $1 AND warehouses.id = warehouse_id
       WHERE stock.store_id = $1 AND product_id = $2 AND quantity = 1`,
      [api.store.id, products[0]],
    );
    const picked = { line: 1, quantity: 1, from: [{ ...bin, quantity: 1 }] };

    expect(await add(id)).toEqual([422, 'too_many_bins']);
    expect(await outcome(post(id, 'shipments', { reference: 'S-1', items: [picked] }))).toEqual([422, 'too_many_bins']);
    expect(await api.store.onHand(mug)).toBe(inStock);
    expect(await orders.read(id)).toMatchObject({ shipments: [] });
    const { statusCode } = await post(id, 'lines', { set: [{ line: 4, quantity: 249 }] });
    expect(statusCode).toBe(200);
  });

  it('moves at most ten thousand times, and goes back as a whole after that', async () => {
    const id = await place();
    await api.database.query(
      `INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, order_id, kind, quantity, position)
       SELECT moved.store_id, bin_id, product_id, variant_key, order_id, kind, 0, position
       FROM (SELECT * FROM stock_movements WHERE store_id = $1 AND order_id = $2 LIMIT 1) AS moved, generate_series(1, 9998)`,
      [api.store.id, id],
    );

    expect(await outcome(post(id, 'lines', { set: [{ line: 1, quantity: 2 }] }))).toEqual([422, 'too_many_records']);
    expect(await outcome(post(id, 'cancel', { items: [{ line: 1, quantity: 1 }] }))).toEqual([422, 'too_many_records']);
    expect((await post(id, 'cancel', {})).statusCode).toBe(200);
  });
});

describe('a preview', () => {
  const LINES = [{ line: 1, quantity: 1 }];
  /** Returns the order without values that depend on the time. */
  const withoutTimes = (order: object) =>
    JSON.parse(JSON.stringify(order), (name, value: unknown) => (/_at$|^at$|^id$/.test(name) ? null : value)) as object;
  const whatIsThere = async (id: string) => ({
    order: await orders.read(id),
    events: (await history(id)).data,
    stock: [await api.store.onHand(mug), await api.store.onHand(tee)],
    keys: await api.database.query('SELECT count(*)::int AS n FROM idempotency_keys'),
    changes: await api.database.query('SELECT count(*)::int AS n FROM change_log'),
  });

  it.each([
    ['lines', { set: [{ line: 1, quantity: 5 }] }],
    ['cancel', { items: LINES, restock: true }],
    ['cancel', {}],
    ['refunds', { reference: 're_1', amount: 1000, lines: LINES }],
  ])('of %s shows the order as the change leaves it, and changes nothing', async (route, body) => {
    const id = await place();
    await post(id, 'payments', PAY);
    const before = await whatIsThere(id);

    const preview = await post(id, `${route}?preview=true`, body, { 'idempotency-key': 'preview' });

    expect([preview.statusCode, await whatIsThere(id)]).toEqual([200, before]);
    const made = await post(id, route, body, { 'idempotency-key': `${route}-${id}` });
    const [seen, after] = [preview, made].map((answer) => withoutTimes(answer.json<{ data: object }>().data));
    expect(seen).toEqual(after);
  });

  it('is refused as the change is, and keeps no attempt', async () => {
    const id = await place();
    const before = await whatIsThere(id);

    expect(await outcome(post(id, 'refunds?preview=true', { reference: 're_1', amount: 1 }))).toEqual([
      ...[422, 'refund_exceeds_payment'],
    ]);
    expect(await outcome(post(id, 'lines?preview=yes', { set: [{ line: 1, quantity: 2 }] }))).toEqual([
      ...[400, 'invalid_request'],
    ]);
    expect(await outcome(post(id, 'payments?preview=true', PAY))).toEqual([400, 'invalid_request']);
    expect(await whatIsThere(id)).toEqual(before);
  });
});
