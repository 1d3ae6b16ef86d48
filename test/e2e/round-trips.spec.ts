import pg from 'pg';
import { nameOf } from '../support/store-predicate/read-statements.js';
import { startApi, type RunningApi } from '../support/start-api.js';

/** Names of statements, or their first words when they have no name. */
const STATEMENTS = [
  'keys.look_up',
  'idempotency.look_up',
  'products.price',
  'clock.now',
  'fraud.facts', // in the packet of the prices
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'idempotency.claim',
  'orders.insert',
  'stages.insert',
  'stock.withdraw',
  'COMMIT',
];

describe('an order', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  async function statementsOf(headers: Record<string, string>, productId?: number): Promise<string[]> {
    productId ??= await api.store.product({ stock: 5 });
    const order = { items: [{ product_id: productId, quantity: 1 }], customer: { name: 'Ada' } };
    await api.post('/v1/orders', order); // fills the cache of the store's history, which the fraud analysis keeps for a minute

    const query = jest.spyOn(pg.Client.prototype, 'query');
    const response = await api.post('/v1/orders', order, headers);
    const texts = query.mock.calls.map(([statement]: unknown[]) =>
      (typeof statement === 'string' ? statement : (statement as { text: string }).text).trim(),
    );
    query.mockRestore();

    expect(response.statusCode).toBe(201);
    // The readiness check runs on a timer and is not part of an order.
    return texts
      .map((text) => nameOf(text) ?? /^[A-Z ]+/.exec(text)?.[0].trim() ?? text)
      .filter((name) => !/^(health|migrations)\./.test(name));
  }

  it('sends exactly the expected statements', async () => {
    const withKeyOnly = ['idempotency.look_up', 'idempotency.claim'];

    expect(await statementsOf({})).toEqual(STATEMENTS.filter((name) => !withKeyOnly.includes(name)));
  });

  it('sends two more statements with an Idempotency-Key', async () => {
    expect(await statementsOf({ 'idempotency-key': 'counted' })).toEqual(STATEMENTS);
  });

  it('is replayed with two statements where no commit waits for a standby', async () => {
    const key = { 'idempotency-key': 'replayed' };
    const productId = await api.store.product({ stock: 5 });
    await statementsOf(key, productId);

    expect(await statementsOf(key, productId)).toEqual(['keys.look_up', 'idempotency.look_up']);
  });
});
