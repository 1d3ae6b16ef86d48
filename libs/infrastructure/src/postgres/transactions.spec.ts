import type pg from 'pg';
import {
  CommitOutcomeUnknown,
  DeadlineExceeded,
  SchemaMismatch,
  StoreMoved,
  Unavailable,
  UnusableValue,
} from '@app/application';
import { NotFound } from '@app/domain';
import { Database } from './database.js';
import { isRetryable, retryReason, toApplicationError, translated } from './postgres-errors.js';

function transactionsThatFail(refused: RegExp) {
  const sent: (string | undefined)[] = [];
  const releases: unknown[] = [];
  const client = {
    release: (broken: unknown) => releases.push(broken),
    on: () => client,
    off: () => client,
    query: ({ text }: pg.QueryConfig) => {
      sent.push(/(\/\*.*\*\/)?\s*(?<word>\w+)/.exec(text)?.groups?.word);
      return refused.test(text)
        ? Promise.reject(Object.assign(new Error('canceling statement'), { code: '57014' }))
        : Promise.resolve({ rows: [] });
    },
  };
  const pool = { connect: () => Promise.resolve(client), options: { max: 10 } } as unknown as pg.Pool;
  return { database: new Database(pool), sent, releases };
}

describe('a transaction', () => {
  it('does not roll back a transaction whose BEGIN failed, and does not reuse its connection', async () => {
    const { database, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = database.transaction(1, (sql) => sql.query('SELECT 1', []));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN'], [true]]);
  });

  it('sends a pipeline with BEGIN, and neither rolls back nor reuses the connection when BEGIN failed', async () => {
    const { database, sent, releases } = transactionsThatFail(/BEGIN/);

    const work = database.transaction(1, (sql) => sql.pipeline([{ text: 'INSERT', values: [] }]));

    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect([sent, releases]).toEqual([['BEGIN', 'INSERT'], [true]]);
  });

  it('sends nothing for work without a statement', async () => {
    const { database, sent, releases } = transactionsThatFail(/nothing/);

    await database.transaction(1, () => Promise.resolve());

    expect([sent, releases]).toEqual([[], [false]]);
  });

  it('rolls back a transaction whose work failed, and reuses its connection', async () => {
    const { database, sent, releases } = transactionsThatFail(/nothing/);

    const work = database.transaction(1, async (sql) => {
      await sql.query('SELECT 1', []);
      throw new Error('no');
    });

    await expect(work).rejects.toThrow('no');
    expect([sent, releases]).toEqual([['BEGIN', 'SELECT', 'ROLLBACK'], [false]]);
  });
});

const postgres = (code: string) => Object.assign(new Error('secret words'), { code });
const typeorm = (code: string) => Object.assign(new Error('secret words'), { driverError: postgres(code) });

describe('toApplicationError', () => {
  it.each<[string, Error, new () => Error]>([
    ['a refused connection', postgres('ECONNREFUSED'), Unavailable],
    ['a shutdown of the server', typeorm('57P01'), Unavailable],
    ['too many connections', typeorm('53300'), Unavailable],
    ['a full disk', typeorm('53100'), Unavailable],
    ['an error of class 08', typeorm('08006'), Unavailable],
    ['a standby', typeorm('25006'), Unavailable],
    ['a cancelled preparation', typeorm('26000'), Unavailable],
    ['a deadlock', typeorm('40P01'), Unavailable],
    ['a broken connection', new Error('Connection terminated unexpectedly'), Unavailable],
    ['a write to a connection that was closed', postgres('ERR_STREAM_DESTROYED'), Unavailable],
    ['a connection that was not open in time', new Error('timeout expired'), Unavailable],
    ['answers out of order', new Error('Received unexpected commandComplete message from backend.'), Unavailable],
    ['a statement timeout', typeorm('57014'), DeadlineExceeded],
    ['a lock timeout', typeorm('55P03'), DeadlineExceeded],
    ['a full pool', new Error('timeout exceeded when trying to connect'), DeadlineExceeded],
    ['a silent server', new Error('Query read timeout'), DeadlineExceeded],
    ['a wrong encoding', typeorm('22021'), UnusableValue],
    ['an untranslatable character', typeorm('22P05'), UnusableValue],
    ['a malformed value', typeorm('22P02'), UnusableValue],
    ['a value out of range', typeorm('22003'), UnusableValue],
    ['a malformed escape', typeorm('22025'), UnusableValue],
    ['a store that moves', postgres('SM001'), StoreMoved],
    ['a store that has moved', postgres('SM002'), StoreMoved],
    ['a missing table', postgres('42P01'), SchemaMismatch],
    ['a missing column', typeorm('42703'), SchemaMismatch],
  ])('translates %s', (_name, error, translation) => {
    expect(toApplicationError(error)).toBeInstanceOf(translation);
    expect(toApplicationError(error)).toMatchObject({
      cause: error,
      message: expect.not.stringContaining('secret') as string,
    });
  });

  it.each<[string, unknown]>([
    ['a violated constraint', typeorm('23505')],
    ['a missing right', postgres('42501')],
    ['a domain error', new NotFound('Order')],
    ['a lost commit', new CommitOutcomeUnknown(postgres('57P01'))],
    ['a translated error', new Unavailable({ cause: postgres('57P01') })],
    ['a thrown undefined', undefined],
  ])('returns %s unchanged', (_name, error) => {
    expect(toApplicationError(error)).toBe(error);
  });
});

describe('translated', () => {
  it('returns the value of the promise, and translates its rejection', async () => {
    await expect(translated(Promise.resolve(7))).resolves.toBe(7);
    await expect(translated(Promise.reject(postgres('57P03')))).rejects.toBeInstanceOf(Unavailable);
  });
});

describe('isRetryable', () => {
  it.each([
    ['a COMMIT whose outcome is unknown, whatever its cause', new CommitOutcomeUnknown(postgres('57P01'))],
    ['a missing table', typeorm('42P01')],
    ['its translation', new SchemaMismatch()],
  ])('refuses %s', (_name, error) => {
    expect(isRetryable(error)).toBe(false);
  });

  it.each([
    ['40001', 'conflict'],
    ['40P01', 'deadlock'],
    ['55P03', 'lock'],
    ['57P01', 'connection'],
  ])('accepts SQLSTATE %s, which the metrics count as %s', (code, reason) => {
    expect(isRetryable(typeorm(code))).toBe(true);
    expect(retryReason(typeorm(code))).toBe(reason);
  });
});
