import { CommitOutcomeUnknown } from '@app/application';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { Transactions } from './transactions.js';

/**
 * Transactions on one connection that fails statements matching `refused` and records what it is sent.
 *
 * @param failure an error of the connection, or fields of an error that the server sends.
 */
function transactionsThatFail(refused: RegExp, failure: object = { code: '57014' }) {
  let failed = false;
  const sent: (string | undefined)[] = [];
  const releases: unknown[] = [];
  const client = {
    connection: { stream: { cork: () => undefined, uncork: () => undefined } },
    release: (broken: unknown) => releases.push(broken),
    on: () => client,
    off: () => client,
    query: ({ text }: pg.QueryConfig) => {
      sent.push(/\w+/.exec(text)?.[0]);
      if (text.includes('BEGIN')) failed = false;
      if (refused.test(text)) {
        failed = true;
        const error = new pg.DatabaseError('canceling statement', 0, 'error');
        return Promise.reject(failure instanceof Error ? failure : Object.assign(error, failure));
      }
      return Promise.resolve({ rows: [], command: text === 'COMMIT' && failed ? 'ROLLBACK' : text });
    },
  };
  const pool = { connect: () => Promise.resolve(client) };
  const dataSource = { driver: { master: pool } } as unknown as DataSource;
  return { transactions: new Transactions(dataSource, new ServiceMetrics()), sent, releases };
}

describe('Transactions', () => {
  it('does not roll back a transaction whose BEGIN failed, and does not reuse its connection', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = transactions.run((sql) => sql.query('SELECT 1', []));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN'], [true]]);
  });

  it('sends a pipeline with BEGIN, and neither rolls back nor reuses the connection when BEGIN failed', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = transactions.run((sql) => sql.pipeline([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN', 'INSERT'], [true]]);
  });

  it('sends nothing for work without a statement', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/nothing/);

    await transactions.run(() => Promise.resolve());

    expect([sent, releases]).toEqual([[], [false]]);
  });

  it('rolls back a transaction whose work failed, and reuses its connection', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/nothing/);

    const work = transactions.run(async (sql) => {
      await sql.query('SELECT 1', []);
      throw new Error('no');
    });

    await expect(work).rejects.toThrow('no');
    expect([sent, releases]).toEqual([['BEGIN', 'SELECT', 'ROLLBACK'], [false]]);
  });

  it('sends statements with BEGIN and COMMIT before any of them is answered', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/nothing/);
    let atOnce: unknown[] = [];

    await transactions.run((sql) => {
      const committed = sql.commitWith([{ text: 'INSERT', values: [] }]);
      atOnce = [...sent];
      return committed;
    });

    expect([atOnce, sent, releases]).toEqual([['BEGIN', 'INSERT', 'COMMIT'], atOnce, [false]]);
  });

  it('fails with the error of the statement for which PostgreSQL answers COMMIT with ROLLBACK', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/INSERT/, { code: '23505' });

    const work = transactions.run((sql) => sql.commitWith([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect([sent, releases]).toEqual([['BEGIN', 'INSERT', 'COMMIT'], [false]]);
  });

  it('fails when PostgreSQL answers COMMIT with ROLLBACK, even if the work ignores why', async () => {
    const { transactions, releases } = transactionsThatFail(/INSERT/, { code: '23505' });

    const work = transactions.run((sql) => sql.query('INSERT', []).catch(() => undefined));

    await expect(work).rejects.toThrow('rolled the transaction back');
    expect(releases).toEqual([false]);
  });

  it('repeats statements after a deadlock, although COMMIT was sent with them', async () => {
    const { transactions, sent } = transactionsThatFail(/INSERT/, { code: '40P01' });

    const work = transactions.run((sql) => sql.commitWith([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    expect(sent).toHaveLength(4 * 3);
  });

  it('repeats statements after the server ended the connection at one of them', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/INSERT|COMMIT/, { code: '57P01' });

    const work = transactions.run((sql) => sql.commitWith([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    expect(sent).toHaveLength(4 * 3);
    expect(new Set(releases)).toEqual(new Set([true]));
  });

  it.each([
    ['the connection breaks', new Error('Connection terminated')],
    ['a pooler loses the server', { code: '08P01' }],
  ])('does not know the outcome, and repeats nothing, when %s under a packet with COMMIT', async (_why, failure) => {
    const { transactions, sent, releases } = transactionsThatFail(/INSERT|COMMIT/, failure);

    const work = transactions.run((sql) => sql.commitWith([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toBeInstanceOf(CommitOutcomeUnknown);
    expect([sent, releases]).toEqual([['BEGIN', 'INSERT', 'COMMIT'], [true]]);
  });

  it('does not reuse the connection when the BEGIN of a packet with COMMIT failed', async () => {
    const { transactions, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = transactions.run((sql) => sql.commitWith([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN', 'INSERT', 'COMMIT'], [true]]);
  });

  it('does not reuse the connection to a server that refuses writes, although it answers', async () => {
    const { transactions, releases } = transactionsThatFail(/INSERT/, { code: '25006' });

    const work = transactions.run((sql) => sql.commitWith([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    expect(new Set(releases)).toEqual(new Set([true]));
  });

  it('begins another transaction after a packet that was rolled back', async () => {
    const { transactions, sent } = transactionsThatFail(/INSERT/, { code: '23505' });

    await transactions
      .run(async (sql) => {
        await sql.commitWith([{ text: 'INSERT', values: [] }]).catch(() => undefined);
        await sql.query('SELECT 1', []);
      })
      .catch(() => undefined);

    expect(sent).toEqual(['BEGIN', 'INSERT', 'COMMIT', 'BEGIN', 'SELECT', 'COMMIT']);
  });
});
