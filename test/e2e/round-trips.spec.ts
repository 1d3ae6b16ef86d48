import pg from 'pg';
import { startApi, type RunningApi } from '../support/start-api.js';

/** The purpose of each statement, as ARCHITECTURE.md names it. */
const PURPOSES: [purpose: string, statement: RegExp][] = [
  ['key look-up', /FROM api_keys key/],
  ['idempotency look-up', /^SELECT request_hash, order_id, response FROM idempotency_keys/],
  ['price', /JOIN products product/],
  ['fraud limits', /^BEGIN READ ONLY/],
  ['fraud facts', /fraud_settings/],
  ['end of fraud (not waited for)', /^ROLLBACK/],
  ['begin', /^BEGIN ISOLATION LEVEL READ COMMITTED/],
  ['claim', /^INSERT INTO idempotency_keys/],
  ['order', /INSERT INTO orders/],
  ['pipeline', /INSERT INTO order_stages/],
  ['withdraw', /UPDATE stock SET quantity/],
  ['commit', /^COMMIT/],
];

describe('the round trips of an order', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  async function statementsOf(headers: Record<string, string>): Promise<string[]> {
    const productId = await api.store.product({ stock: 5 });
    const order = { items: [{ product_id: productId, quantity: 1 }], customer: { name: 'Ada' } };
    await api.post('/v1/orders', order); // the history of the store, which fraud analysis keeps for a minute

    const query = jest.spyOn(pg.Client.prototype, 'query');
    const response = await api.post('/v1/orders', order, headers);
    const texts = query.mock.calls.map(([statement]: unknown[]) =>
      (typeof statement === 'string' ? statement : (statement as { text: string }).text).trim(),
    );
    query.mockRestore();

    expect(response.statusCode).toBe(201);
    // The readiness check, which runs by the clock, is not part of it.
    return texts
      .filter((text) => !/migrations|graphile_worker\.jobs|pg_is_in_recovery|WITH RECURSIVE held/.test(text))
      .map((text) => PURPOSES.find(([, statement]) => statement.test(text))?.[0] ?? text);
  }

  it('are these statements, of which one is not waited for', async () => {
    const withKeyOnly = ['idempotency look-up', 'claim'];

    expect(await statementsOf({})).toEqual(
      PURPOSES.map(([purpose]) => purpose).filter((purpose) => !withKeyOnly.includes(purpose)),
    );
  });

  it('are two statements more with an Idempotency-Key', async () => {
    expect(await statementsOf({ 'idempotency-key': 'counted' })).toEqual(PURPOSES.map(([purpose]) => purpose));
  });
});
