import type { FraudSignals } from '@app/domain';
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { Database } from '../postgres/database.js';
import { StoreFraudScreening } from './store-fraud-screening.js';

const SIGNALS: FraudSignals = {
  email: '',
  phone: '',
  address: { address: '', city: '', zip: '' },
  total: 100,
  quantities: [1],
};

/** A pool of one connection that returns no rows and records the statements it receives. */
function poolThat(connects: () => Promise<void>) {
  const sent: string[] = [];
  const releases: unknown[] = [];
  const stream = { cork: () => undefined, uncork: () => undefined };
  const client = {
    connection: { stream },
    on: () => undefined,
    off: () => undefined,
    release: (broken: unknown) => releases.push(broken),
    query: (query: string | pg.QueryConfig) => {
      sent.push(typeof query === 'string' ? query : query.text);
      return Promise.resolve({ rows: [{}] });
    },
  };
  const pool = { connect: () => connects().then(() => client) } as unknown as pg.Pool;
  const screening = new StoreFraudScreening(new Database(() => pool), {
    driver: { master: pool },
  } as unknown as DataSource);
  return { screening, sent, releases };
}

describe('StoreFraudScreening', () => {
  afterEach(() => jest.restoreAllMocks());

  it('limits the analysis to 300 ms even when the system clock jumps', async () => {
    const hourLater = Date.now() + 3_600_000;
    const { screening, sent } = poolThat(() => {
      jest.spyOn(Date, 'now').mockReturnValue(hourLater);
      return Promise.resolve();
    });

    await screening.assess(1, SIGNALS);

    expect(sent[0]).toMatch(/^BEGIN READ ONLY;.* statement_timeout = (2\d\d|300)$/);
  });

  it('sends nothing on a connection that comes free too late, and returns it to the pool', async () => {
    let connected = () => undefined as void;
    const { screening, sent, releases } = poolThat(() => new Promise((resolve) => (connected = resolve)));

    const { verdict } = await screening.assess(1, SIGNALS);
    connected();
    await new Promise((resolve) => setImmediate(resolve));

    expect([verdict, sent, releases]).toEqual(['REVIEW', [], [undefined]]);
  });
});
