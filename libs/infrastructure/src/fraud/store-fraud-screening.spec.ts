import { wholeAddress, type OrderContact } from '@app/domain';
import type pg from 'pg';
import { Database } from '../postgres/database.js';
import { StoreFraudScreening } from './store-fraud-screening.js';

const CONTACT: OrderContact = {
  email: '',
  phone: '',
  address: wholeAddress({}),
};
const SIZE = { total: 100, items: [{ productId: 1, variantId: null, quantity: 1 }] };

function poolThat(connects: () => Promise<void>) {
  const sent: string[] = [];
  const releases: unknown[] = [];
  const client = {
    release: (broken: unknown) => releases.push(broken),
    query: ({ text }: pg.QueryConfig) => {
      sent.push(/\/\* (\S+) \*\//.exec(text)?.[1] ?? text);
      return Promise.resolve({ rows: [{}] });
    },
  };
  const pool = { connect: () => connects().then(() => client), options: { max: 2 } } as unknown as pg.Pool;
  const database = new Database(pool);
  return { database, screening: new StoreFraudScreening(database), sent, releases };
}

describe('StoreFraudScreening', () => {
  afterEach(() => vi.restoreAllMocks());

  it('asks for its facts beside the prices, on one connection and behind them', async () => {
    const { database, screening, sent } = poolThat(() => Promise.resolve());

    const begun = screening.begin(1, CONTACT, null);
    await database.queryPrepared('/* products.price */ SELECT', []);
    await begun.assess(SIZE);

    expect(sent).toEqual(['products.price', 'fraud.facts']);
  });

  it('sends the facts of two orders on two connections: a lock delays each of them once', async () => {
    const { screening, releases } = poolThat(() => Promise.resolve());

    await Promise.all([screening.begin(1, CONTACT, null).assess(SIZE), screening.begin(1, CONTACT, null).assess(SIZE)]);

    expect(releases).toHaveLength(2);
  });

  it('waits for its facts for 300 ms, even when the system clock jumps', async () => {
    const hourLater = Date.now() + 3_600_000;
    const { screening } = poolThat(async () => {
      vi.spyOn(Date, 'now').mockReturnValue(hourLater);
      await new Promise((resolve) => setTimeout(resolve, 20));
    });

    expect(await screening.begin(1, CONTACT, null).assess(SIZE)).toMatchObject({ verdict: 'ACCEPT' });
  });

  it('sends nothing on a connection that comes free too late, and returns it to the pool', async () => {
    const connected: (() => void)[] = [];
    const { screening, sent, releases } = poolThat(() => new Promise((resolve) => connected.push(resolve)));

    const { verdict } = await screening.begin(1, CONTACT, null).assess(SIZE);
    connected[0]?.();
    await new Promise((resolve) => setImmediate(resolve));

    expect([verdict, sent, releases]).toEqual(['REVIEW', [], [undefined]]);
  });
});
