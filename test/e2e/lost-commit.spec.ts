import {
  CommitOutcomeUnknown,
  Deadline,
  DeadlineExceeded,
  IdempotencyInFlight,
  OrderPlacement,
  ReceiptNumberTaken,
  Unavailable,
  type IdempotentRequest,
} from '@app/application';
import { Database, Transactions } from '@app/infrastructure';
import { ReferenceInUse } from '../../libs/infrastructure/src/orders/insert-order.js';
import { anOrder, aScope, placeOrder } from '../contracts/placing.js';
import { counterValue } from '../support/counter-value.js';
import { startApi, type RunningApi } from '../support/start-api.js';

type Run = Transactions['run'];

describe.each([
  ['without a key', false, false],
  ['with an Idempotency-Key', true, false],
  ['with an external reference', false, true],
  ['with both', true, true],
])('placing an order when the database does not answer COMMIT, %s', (_name, hasKey, hasReference) => {
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

  /** Places an order of five units in stock. Each attempt replaces one transaction of the placement. */
  async function place(attempts: readonly Attempt[], { patienceMs = 5_000, quantity = 1 } = {}) {
    const productId = await api.store.product({ stock: 5 });
    const externalReference = hasReference ? `PO-${productId}` : '';
    const order = anOrder(api.store.id, { items: [{ productId, quantity }], externalReference });
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

  it.each<[string, Attempt]>([
    ['whose commit took effect', (commit) => commit().then(lost)],
    ['that a second attempt placed', lost],
  ])('counts an order %s as recovered', async (_which, attempt) => {
    const recovered = () => counterValue(api.app, 'orders_recovered_total');
    const before = await recovered();

    await place([attempt]);

    expect(await recovered()).toBe(before + 1);
  });

  it('places the order in a second attempt when the commit did not take effect', async () => {
    const result = await place([lost]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 2 });
  });

  it('places the order once when the commit takes effect after the look-up', async () => {
    const result = await place([lost, (commit) => commit().then(commit)]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 2 });
  });

  // A restored database may check the index of the references before the primary key.
  it('reports the order as placed when the next attempt finds its own reference', async () => {
    const result = await place([lost, (commit) => commit().then(() => Promise.reject(new ReferenceInUse()))]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 2 });
  });

  it('throws CommitOutcomeUnknown when the commit did not take effect and the deadline has passed', async () => {
    const { outcome, orders } = await place([lost], { patienceMs: 0 });

    expect(outcome).toBeInstanceOf(CommitOutcomeUnknown);
    expect(orders).toBe(0);
  });

  it('throws CommitOutcomeUnknown after one attempt when the look-up fails', async () => {
    jest.spyOn(api.app.get(Database), 'queryPrepared').mockRejectedValueOnce(new Unavailable());

    const { outcome, orders, attempts } = await place([(commit) => commit().then(lost)]);

    expect(outcome).toMatchObject({ name: 'CommitOutcomeUnknown', code: 'outcome_unknown' });
    expect([orders, attempts]).toEqual([1, 1]);
  });

  it.each([
    ['the database is unreachable', new Unavailable()],
    ['the deadline passes', new DeadlineExceeded()],
    ['another transaction still holds the key', new IdempotencyInFlight()],
  ])('throws CommitOutcomeUnknown when the look-up finds no order and then %s', async (_why, failure) => {
    let takeEffect: () => Promise<unknown> = lost;
    const hold: Attempt = (commit) => {
      takeEffect = commit;
      return lost();
    };

    const { outcome, orders, attempts } = await place([hold, () => Promise.reject(failure)]);

    expect(outcome).toBeInstanceOf(CommitOutcomeUnknown);
    expect([orders, attempts]).toEqual([0, 2]);
    await takeEffect();
    expect(await api.database.query('SELECT FROM orders')).not.toEqual([]);
  });

  it.each([
    ['the database is unreachable', new Unavailable()],
    ['the receipt number is in use', new ReceiptNumberTaken()],
  ])('reports the order as placed when the first commit took effect and then %s', async (_why, failure) => {
    const result = await place([lost, (commit) => commit().then(() => Promise.reject(failure))]);

    expect(result).toEqual({ outcome: { outcome: 'placed' }, orders: 1, onHand: 4, attempts: 2 });
  });

  it('throws ReceiptNumberTaken when the second attempt finds the receipt number of another order', async () => {
    const { outcome, attempts } = await place([lost, () => Promise.reject(new ReceiptNumberTaken())]);

    expect(outcome).toBeInstanceOf(ReceiptNumberTaken);
    expect(attempts).toBe(2);
  });

  it('reports short stock in the second attempt, which proves that the first commit did not take effect', async () => {
    const { outcome, orders } = await place([lost], { quantity: 6 });

    expect(outcome).toMatchObject({ outcome: 'short' });
    expect(orders).toBe(0);
  });
});
