import { CommitOutcomeUnknown, Deadline, OrderPlacement, type IdempotentRequest } from '@app/application';
import { Transactions } from '@app/infrastructure';
import { anOrder, aScope, placeOrder } from '../contracts/placing.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type Run = Transactions['run'];

describe.each([
  ['without a key', false],
  ['with an Idempotency-Key', true],
])('placing an order when COMMIT goes unanswered, %s', (_name, hasKey) => {
  let api: RunningApi;
  let transactions: Transactions;
  beforeAll(async () => {
    api = await startApi();
    transactions = api.app.get(Transactions, { strict: false });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => api.stop());

  const lost = () => Promise.reject(new CommitOutcomeUnknown(new Error('connection lost')));

  type Attempt = (commit: () => Promise<unknown>) => Promise<unknown>;

  /** Places an order of one unit of five. Each attempt replaces one transaction of the placement. */
  async function place(attempts: readonly Attempt[], patienceMs = 5_000) {
    const productId = await api.store.product({ stock: 5 });
    const order = anOrder(api.store.id, { items: [{ productId, quantity: 1 }] });
    const idempotency: IdempotentRequest | null = hasKey
      ? { scope: aScope(api.store.id), requestHash: Buffer.alloc(32), answer: ({ id }) => Buffer.from(id) }
      : null;
    const run: Run = transactions.run.bind(transactions);
    let made = 0;
    jest.spyOn(transactions, 'run').mockImplementation((work, deadline) => {
      const commit = () => run(work, deadline);
      const attempt = attempts[made++] ?? commit;
      return attempt(commit);
    });
    const placed = placeOrder(api.app.get(OrderPlacement), order, { idempotency }, Deadline.in(patienceMs));
    const outcome = await placed.catch((error: Error) => error);
    const rows = await api.database.query('SELECT FROM orders WHERE id = $1', [order.id]);
    return { outcome, orders: rows.length, onHand: await api.store.onHand(productId), attempts: made };
  }

  it('reports the order as placed after one attempt when the commit took effect', async () => {
    const result = await place([(commit) => commit().then(lost)]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 1 });
  });

  it('places the order in a second attempt when the commit did not take effect', async () => {
    const result = await place([lost]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 2 });
  });

  it('places the order once when the commit takes effect after the look-up', async () => {
    const result = await place([lost, (commit) => commit().then(commit)]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 2 });
  });

  it('throws CommitOutcomeUnknown when the commit did not take effect and the deadline has passed', async () => {
    const { outcome, orders } = await place([lost], 0);

    expect(outcome).toBeInstanceOf(CommitOutcomeUnknown);
    expect(orders).toBe(0);
  });
});
