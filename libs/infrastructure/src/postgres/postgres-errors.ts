import { errorCode } from '../platform/error-code.js';
import type { RetryReason } from '../platform/service-metrics.js';
import { DeadlineExceeded } from '@app/application';

/**
 * SQLSTATEs after which the same transaction may well succeed: serialization failure, deadlock, lock timeout; and a
 * statement that is not prepared, because that which was sent ahead of it to prepare it was given up.
 */
const TRANSIENT: ReadonlyMap<string, RetryReason> = new Map([
  ['40001', 'conflict'],
  ['40P01', 'deadlock'],
  ['55P03', 'lock'],
  ['26000', 'connection'],
]);

/**
 * SQLSTATEs that mean the server is going, gone or full: the shutdown codes, the idle and transaction timeouts, a database
 * that is not there (yet, or any more), and a standby that took the place of the primary. Classes 08 and 53 too.
 */
const UNAVAILABLE = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04', '25006', '3D000']);
const UNAVAILABLE_CLASSES = ['08', '53'];

/** SQLSTATEs of values the server cannot take: encoding, escapes, untranslatable, malformed or out of range. */
const BAD_INPUT = new Set(['22021', '22025', '22P05', '22P02', '22003']);

const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/** What pg says, without a code, of a connection that broke or that could not be had in time. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after|Driver not Connected)/;

interface PostgresError {
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
  readonly driverError?: PostgresError;
}

/** Whether the database is, for now, out of reach or out of room. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DeadlineExceeded) return true;
  const code = errorCode(error);
  if (code !== undefined)
    return UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.includes(code.slice(0, 2)) || SOCKET_ERRORS.has(code);
  return CONNECTION_MESSAGES.test((error as PostgresError | null)?.message ?? '');
}

/** Whether to run the whole transaction again. Not to be asked of an error of COMMIT itself. */
export function isRetryable(error: unknown): boolean {
  return TRANSIENT.has(errorCode(error) ?? '') || isConnectionLost(error);
}

/** The label under which the metrics count the retry of a transaction that ended with a retryable error. */
export function retryReason(error: unknown): RetryReason {
  return TRANSIENT.get(errorCode(error) ?? '') ?? 'connection';
}

/** Whether a statement was given up because of a timeout: of its own, or of a lock. */
export function isTimeout(error: unknown): boolean {
  const code = errorCode(error);
  return code === '57014' || code === '55P03';
}

/** Whether the server gave no answer within the time limit of the client. */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether an answer, or a connection of the pool, did not come in time. The server may be well, and busy. */
export function isTooLate(error: unknown): boolean {
  if (isReadTimeout(error) || error instanceof DeadlineExceeded) return true;
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** Whether the server refused a value that validation should have refused before. */
export function isBadInput(error: unknown): boolean {
  return BAD_INPUT.has(errorCode(error) ?? '');
}

/** Whether the error is a violation of one of the unique keys of these names. */
export function isUniqueViolation(error: unknown, ...constraints: readonly string[]): boolean {
  const { driverError, ...rest } = (error ?? {}) as PostgresError;
  const { code, constraint: name } = driverError ?? rest;
  return code === '23505' && name !== undefined && constraints.includes(name);
}
