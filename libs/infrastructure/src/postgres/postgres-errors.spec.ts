import { CommitOutcomeUnknown, DeadlineExceeded, SchemaMismatch, Unavailable, UnusableValue } from '@app/application';
import { NotFound } from '@app/domain';
import { isRetryable, retryReason, toApplicationError, translated } from './postgres-errors.js';

const postgres = (code: string) => Object.assign(new Error('secret words'), { code });
const typeorm = (code: string) => Object.assign(new Error('secret words'), { driverError: postgres(code) });

describe('toApplicationError', () => {
  it.each<[string, Error]>([
    ['a refused connection', postgres('ECONNREFUSED')],
    ['a shutdown of the server', typeorm('57P01')],
    ['too many connections', typeorm('53300')],
    ['a full disk', typeorm('53100')],
    ['an error of class 08', typeorm('08006')],
    ['a standby', typeorm('25006')],
    ['a cancelled preparation', typeorm('26000')],
    ['a deadlock', typeorm('40P01')],
    ['a broken connection', new Error('Connection terminated unexpectedly')],
    ['a write to a connection that was closed', postgres('ERR_STREAM_DESTROYED')],
    ['a connection that was not open in time', new Error('timeout expired')],
    ['answers out of order', new Error('Received unexpected commandComplete message from backend.')],
  ])('translates %s to Unavailable', (_name, error) => {
    const translation = toApplicationError(error);

    expect(translation).toBeInstanceOf(Unavailable);
    expect(translation).toMatchObject({ cause: error, message: expect.not.stringContaining('secret') as string });
  });

  it.each<[string, Error]>([
    ['a statement timeout', typeorm('57014')],
    ['a lock timeout', typeorm('55P03')],
    ['a full pool', new Error('timeout exceeded when trying to connect')],
    ['a silent server', new Error('Query read timeout')],
  ])('translates %s to DeadlineExceeded', (_name, error) => {
    expect(toApplicationError(error)).toBeInstanceOf(DeadlineExceeded);
    expect(toApplicationError(error)).toMatchObject({ cause: error });
  });

  it.each(['22021', '22P05', '22P02', '22003', '22025'])('translates SQLSTATE %s to UnusableValue', (code) => {
    expect(toApplicationError(typeorm(code))).toBeInstanceOf(UnusableValue);
  });

  it.each<[string, Error]>([
    ['a missing table', postgres('42P01')],
    ['a missing column', typeorm('42703')],
  ])('translates %s to SchemaMismatch, which is not retryable', (_name, error) => {
    expect(toApplicationError(error)).toBeInstanceOf(SchemaMismatch);
    expect(toApplicationError(error)).toMatchObject({ cause: error });
    expect([error, toApplicationError(error)].map(isRetryable)).toEqual([false, false]);
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
  it('refuses a COMMIT whose outcome is unknown, whatever its cause', () => {
    expect(isRetryable(new CommitOutcomeUnknown(postgres('57P01')))).toBe(false);
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
