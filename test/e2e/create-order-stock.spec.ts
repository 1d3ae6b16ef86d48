import pg from 'pg';
import { anOrderBody } from '../builders/order-body.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('POST /v1/orders: stock', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  const orders = new OrdersClient(() => api);

  const ordersInStore = async () => {
    const [row] = await api.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM orders WHERE store_id = $1',
      [api.store.id],
    );
    return row?.count;
  };

  it('withdraws from the fullest bins first, with one ledger row per bin', async () => {
    const mug = await api.store.product({ stock: [2, 5, 1] });

    const data = await orders.create(anOrderBody(mug, 6));

    const bins = await api.database.query('SELECT quantity FROM stock WHERE product_id = $1 ORDER BY bin_id', [mug]);
    expect(bins).toEqual([{ quantity: 1 }, { quantity: 0 }, { quantity: 1 }]);
    const moves = await api.database.query(
      `SELECT kind, quantity FROM stock_movements WHERE order_id = $1 ORDER BY quantity`,
      [data.order_id],
    );
    expect(moves).toEqual([
      { kind: 'ORDER', quantity: -5 },
      { kind: 'ORDER', quantity: -1 },
    ]);
  });

  it('returns 422 with the lines that are short, and writes nothing', async () => {
    const mug = await api.store.product({ stock: [2, 1] });
    const tee = await api.store.product({ stock: 9 });
    const before = await ordersInStore();

    const answer = await orders.refusal({
      items: [
        { product_id: tee, quantity: 1 },
        { product_id: mug, quantity: 5 },
      ],
      customer: { name: 'Ada' },
    });

    expect(answer).toEqual([422, 'items[1]: requested 5, available 3']);
    expect([await ordersInStore(), await api.store.onHand(mug), await api.store.onHand(tee)]).toEqual([before, 3, 9]);
    expect(
      await api.database.query(`SELECT 1 FROM stock_movements WHERE kind = 'ORDER' AND product_id = $1`, [tee]),
    ).toEqual([]);
  });

  it('sums the demand over the lines of one product', async () => {
    const mug = await api.store.product({ stock: 4 });
    const item = (quantity: number) => ({ product_id: mug, quantity });

    const answer = await orders.refusal({ items: [item(2), item(3)], customer: { name: 'Ada' } });

    expect(answer).toEqual([422, 'items[0]: requested 5, available 4; items[1]: requested 5, available 4']);
  });

  it('does not sell the stock of a variant to a line without a variant', async () => {
    const shoe = await api.store.product();
    await api.store.variant(shoe, { stock: 9 });

    expect(await orders.refusal(anOrderBody(shoe))).toEqual([
      422,
      'items[0]: requested 1, available 0 without variant_id (the product has variants)',
    ]);
  });

  it('does not count stock in an inactive warehouse', async () => {
    const mug = await api.store.product({ stock: 1 });
    await api.store.stock(mug, null, 9, await api.store.warehouse({ active: false }));

    expect(await orders.refusal(anOrderBody(mug, 2))).toEqual([422, 'items[0]: requested 2, available 1']);
  });

  it('sells stock that another transaction returns while the order waits for its lock', async () => {
    const mug = await api.store.product({ stock: 0 });
    const client = new pg.Client({ connectionString: api.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('UPDATE stock SET quantity = 1 WHERE product_id = $1', [mug]);

    const placing = orders.place(anOrderBody(mug));
    await eventually(async () => expect(await lockWaits(api.database)).toBe(1));
    await client.query('COMMIT');
    await client.end();

    expect((await placing).statusCode).toBe(201);
    expect(await api.store.onHand(mug)).toBe(0);
  });

  it('creates 10 of 30 concurrent orders for the last 10 units and returns 422 for the others', async () => {
    const mug = await api.store.product({ stock: [3, 3, 4] });

    const answers = await Promise.all(Array.from({ length: 30 }, () => orders.place(anOrderBody(mug))));

    const statuses = answers.map(({ statusCode }) => statusCode);
    expect([statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 422).length]).toEqual([10, 20]);
    expect(await api.store.onHand(mug)).toBe(0);
    const [ledger] = await api.database.query(
      'SELECT sum(quantity)::int AS sum FROM stock_movements WHERE product_id = $1',
      [mug],
    );
    expect(ledger).toEqual({ sum: 0 });
  });
});
