import { CommitOutcomeUnknown, Deadline } from '@app/application';
import pg from 'pg';
import { DatabaseMetrics } from './database-metrics.js';
import { TransactionSql } from './transaction-sql.js';

const LAST = [
  { text: 'INSERT', values: [] },
  { text: 'UPDATE', values: [] },
];

/** Returns a transaction whose server answers when the test says so. */
function aTransaction() {
  const sent: { word: string; answer(this: void, failure?: Error): void }[] = [];
  const client = {
    on: () => client,
    off: () => client,
    query: ({ text }: pg.QueryConfig) =>
      new Promise((resolve, reject) => {
        const word = /BEGIN|\w+/.exec(text.replace(/\/\*.*\*\//, ''))?.[0] ?? '';
        sent.push({ word, answer: (failure) => (failure ? reject(failure) : resolve({ rows: [] })) });
      }),
  } as unknown as pg.PoolClient;
  const sql = new TransactionSql(client, 1, Deadline.in(1_000), new DatabaseMetrics());
  const answer = (...failures: (Error | undefined)[]) =>
    sent.forEach((statement, index) => statement.answer(failures[index]));
  return { sql, words: () => sent.map(({ word }) => word), answer };
}

const refused = () => new pg.DatabaseError('refused', 7, 'error');
const LOST = new Error('Connection terminated unexpectedly');

describe('the last statements of a transaction', () => {
  it('leave together with BEGIN and COMMIT, before any answer', async () => {
    const { sql, words, answer } = aTransaction();

    const committed = sql.commitWith(LAST);

    expect(words()).toEqual(['BEGIN', 'INSERT', 'UPDATE', 'COMMIT']);
    answer();
    await committed;
    await sql.commit();
    expect(words()).toHaveLength(4);
  });

  it('fail with the first refusal, and free the connection, when COMMIT rolled back', async () => {
    const { sql, words, answer } = aTransaction();
    const refusal = refused();

    const committed = sql.commitWith(LAST);
    answer(undefined, refusal, refused());

    await expect(committed).rejects.toBe(refusal);
    expect(await sql.rollBack(refusal)).toBe(true);
    expect(words()).toHaveLength(4);
  });

  it('fail with the refusal, and do not free the connection, when that was lost afterwards', async () => {
    const { sql, answer } = aTransaction();
    const refusal = Object.assign(refused(), { code: '57P01' });

    const committed = sql.commitWith(LAST);
    answer(undefined, refusal, LOST, LOST);

    await expect(committed).rejects.toBe(refusal);
    expect(await sql.rollBack(refusal)).toBe(false);
  });

  it.each([
    ['the connection was lost before any answer', [LOST, LOST, LOST, LOST]],
    ['the connection was lost before the answer to COMMIT', [undefined, undefined, undefined, LOST]],
    ['an earlier answer came too late to be read', [undefined, new Error('Query read timeout'), undefined, undefined]],
  ])('have an unknown outcome when %s', async (_when, failures) => {
    const { sql, answer } = aTransaction();

    const committed = sql.commitWith(LAST);
    answer(...failures);

    await expect(committed).rejects.toBeInstanceOf(CommitOutcomeUnknown);
  });
});
