import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('POST /v1/orders with the Idempotency-Key of an order that would be rejected by now', () => {
  let api: RunningApi;
  let blocker: pg.Client;
  beforeAll(async () => {
    api = await startApi();
    blocker = new pg.Client({ connectionString: api.database.url });
    await blocker.connect();
  });
  afterAll(async () => {
    await blocker.end();
    await api.stop();
  });

  const waiting = async (query: string) => {
    const rows = await api.database.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
      [query],
    );
    return rows.length;
  };
  const archive = (product: number) =>
    api.database.query(`UPDATE products SET status = 'ARCHIVED' WHERE id = $1`, [product]);
  const block = () =>
    api.database.query(`UPDATE stores SET fraud_settings = '{"blocked_emails": ["ada@example.com"]}'`);

  /** The first request waits for locked stock. Meanwhile the catalog changes and the client repeats the request. */
  async function race(key: string, change: (product: number) => Promise<unknown>) {
    await api.database.query(`UPDATE stores SET fraud_settings = '{}'`);
    const product = await api.store.product({ stock: 5 });
    const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada', email: 'ada@example.com' } };
    const send = () => api.post('/v1/orders', body, { 'idempotency-key': key });
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM stock WHERE product_id = $1 FOR UPDATE', [product]);
    const first = send();
    await eventually(async () => expect(await waiting('%stock%')).toBe(1));
    await change(product);
    return { product, first, repeated: send() };
  }

  it.each([
    ['its product was archived', archive],
    ['its customer was blocked', block],
  ])('waits for the first request and repeats its answer when %s', async (reason, change) => {
    const { product, first, repeated } = await race(`twin: ${reason}`, change);
    await eventually(async () => expect(await waiting('%idempotency_keys%')).toBe(1));
    await blocker.query('COMMIT');

    expect([(await first).statusCode, (await repeated).statusCode]).toEqual([201, 201]);
    expect((await repeated).rawPayload).toEqual((await first).rawPayload);
    expect((await repeated).headers['idempotent-replayed']).toBe('true');
    expect(await api.store.onHand(product)).toBe(4);
    expect(await api.database.query(`SELECT FROM fraud_assessments WHERE verdict = 'REJECT'`)).toEqual([]);
  });

  it('returns 409 before the deadline when the first request is still running', async () => {
    const product = await api.store.product({ stock: 5, status: 'ARCHIVED' });
    const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' } };
    await blocker.query('BEGIN');
    await blocker.query(`INSERT INTO idempotency_keys VALUES ($1, 'live', 'takes long', 'order', 'hash')`, [
      api.store.id,
    ]);
    const startedAt = Date.now();

    const { statusCode, headers } = await api.post('/v1/orders', body, { 'idempotency-key': 'takes long' });

    expect([statusCode, headers['retry-after']]).toEqual([409, '1']);
    expect(Date.now() - startedAt).toBeLessThan(2_900);
    await blocker.query('ROLLBACK');
  });

  it('rejects the order when there is no earlier request, and does not use up the key', async () => {
    await api.database.query(`UPDATE stores SET fraud_settings = '{}'`);
    const product = await api.store.product({ stock: 5, status: 'ARCHIVED' });
    const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' } };
    const send = () => api.post('/v1/orders', body, { 'idempotency-key': 'refused' });

    expect((await send()).json()).toMatchObject({ error: `items[0].product_id ${product} is not available` });
    expect(await api.database.query(`SELECT FROM idempotency_keys WHERE key = 'refused'`)).toEqual([]);
    await api.database.query(`UPDATE products SET status = 'ACTIVE' WHERE id = $1`, [product]);
    expect((await send()).statusCode).toBe(201);
  });
});
