import pg from 'pg';
import { anOrderBody } from '../builders/order-body.js';
import { OrdersClient } from '../support/orders-client.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('POST /v1/orders: Idempotency-Key', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  const orders = new OrdersClient(() => api);

  it('repeats the first response byte for byte, even after the product was archived', async () => {
    const mug = await api.store.product({ stock: 5 });
    const headers = { 'idempotency-key': 'order-1' };

    const first = await orders.place(anOrderBody(mug), headers);
    await api.database.query(`UPDATE products SET status = 'ARCHIVED', price = 1 WHERE id = $1`, [mug]);
    const second = await orders.place(anOrderBody(mug), headers);

    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.body).toBe(first.body);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(await api.store.onHand(mug)).toBe(4);
  });

  it('creates one order for 12 concurrent requests with one key', async () => {
    const mug = await api.store.product({ stock: 50 });

    const twins = await Promise.all(
      Array.from({ length: 12 }, () => orders.place(anOrderBody(mug), { 'idempotency-key': 'twins' })),
    );

    expect(new Set(twins.map(({ statusCode, body: text }) => `${statusCode} ${text}`)).size).toBe(1);
    expect(await api.store.onHand(mug)).toBe(49);
  });

  it('returns 422 for a different request with the same key', async () => {
    const mug = await api.store.product({ stock: 5 });
    await orders.place(anOrderBody(mug), { 'idempotency-key': 'changed' });

    expect(await orders.refusal(anOrderBody(mug, 2), { 'idempotency-key': 'changed' })).toEqual([
      422,
      'This Idempotency-Key was used with a different request',
    ]);
  });

  it('accepts a key again after its request failed with 422', async () => {
    const mug = await api.store.product({ stock: 0 });
    const headers = { 'idempotency-key': 'failed-first' };
    expect((await orders.place(anOrderBody(mug), headers)).statusCode).toBe(422);

    await api.store.stock(mug, null, 1);

    expect((await orders.place(anOrderBody(mug), headers)).statusCode).toBe(201);
  });

  it('creates separate orders for one key sent with a live and with a test API key', async () => {
    const mug = await api.store.product({ stock: 5 });
    const testKey = await api.store.createKey('test');

    const live = await orders.place(anOrderBody(mug), { 'idempotency-key': 'both' });
    const test = await orders.place(anOrderBody(mug), {
      'idempotency-key': 'both',
      authorization: `Bearer ${testKey}`,
    });

    expect(test.statusCode).toBe(201);
    expect(test.body).not.toBe(live.body);
  });

  it('returns 409 with Retry-After while the first request with the key is running', async () => {
    const mug = await api.store.product({ stock: 5 });
    const other = new pg.Client({ connectionString: api.database.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query(`INSERT INTO idempotency_keys VALUES ($1, 'live', 'slow', 'hash')`, [api.store.id]);

    const response = await orders.place(anOrderBody(mug), { 'idempotency-key': 'slow' });
    await other.end();

    expect([response.statusCode, response.headers['retry-after']]).toEqual([409, '1']);
    expect(await api.store.onHand(mug)).toBe(5);
  });

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['not ASCII', 'schlüssel'],
  ])('returns 400 for a key that is %s', async (_case, key) => {
    expect(await orders.refusal(anOrderBody(1), { 'idempotency-key': key })).toEqual([
      400,
      'Idempotency-Key must be 1 to 255 printable ASCII characters',
    ]);
  });
});
