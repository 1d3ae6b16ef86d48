import type pg from 'pg';
import type { Config } from '../platform/config.js';
import { DatabaseMetrics } from './database-metrics.js';
import { Transactions } from './transactions.js';

/** Transactions on one connection that fails statements matching `refused` and records what it is sent. */
function transactionsThatFail(refused: RegExp) {
  const sent: (string | undefined)[] = [];
  const releases: unknown[] = [];
  const client = {
    release: (broken: unknown) => releases.push(broken),
    on: () => client,
    off: () => client,
    query: ({ text }: pg.QueryConfig) => {
      sent.push(/\w+/.exec(text)?.[0]);
      return refused.test(text)
        ? Promise.reject(Object.assign(new Error('canceling statement'), { code: '57014' }))
        : Promise.resolve({ rows: [] });
    },
  };
  const pool = { connect: () => Promise.resolve(client) } as unknown as pg.Pool;
  return {
    transactions: new Transactions(pool, new DatabaseMetrics(), { databasePoolSize: 10 } as Config),
    sent,
    releases,
  };
}

describe('Transactions', () => {
  it('does not roll back a transaction whose BEGIN failed, and does not reuse its connection', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = transactions.run(1, (sql) => sql.query('SELECT 1', []));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN'], [true]]);
  });

  it('sends a pipeline with BEGIN, and neither rolls back nor reuses the connection when BEGIN failed', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = transactions.run(1, (sql) => sql.pipeline([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN', 'INSERT'], [true]]);
  });

  it('sends nothing for work without a statement', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/nothing/);

    await transactions.run(1, () => Promise.resolve());

    expect([sent, releases]).toEqual([[], [false]]);
  });

  it('rolls back a transaction whose work failed, and reuses its connection', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/nothing/);

    const work = transactions.run(1, async (sql) => {
      await sql.query('SELECT 1', []);
      throw new Error('no');
    });

    await expect(work).rejects.toThrow('no');
    expect([sent, releases]).toEqual([['BEGIN', 'SELECT', 'ROLLBACK'], [false]]);
  });
});
