import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { ServiceMetrics } from '../platform/service-metrics.js';
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
  const pool = { connect: () => Promise.resolve(client) };
  const dataSource = { driver: { master: pool } } as unknown as DataSource;
  return { transactions: new Transactions(dataSource, new ServiceMetrics()), sent, releases };
}

describe('Transactions', () => {
  it('does not roll back a transaction whose BEGIN failed, and does not reuse its connection', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/BEGIN/);

    await expect(transactions.run(() => Promise.resolve())).rejects.toMatchObject({ code: 'deadline_exceeded' });

    expect([sent, releases]).toEqual([['BEGIN'], [true]]);
  });

  it('rolls back a transaction whose work failed, and reuses its connection', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/nothing/);

    await expect(transactions.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');

    expect([sent, releases]).toEqual([['BEGIN', 'ROLLBACK'], [false]]);
  });
});
