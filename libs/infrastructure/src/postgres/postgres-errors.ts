import {
  ApplicationError,
  DeadlineExceeded,
  SchemaMismatch,
  StoreMoved,
  Unavailable,
  UnusableValue,
} from '@app/application';
import { errorCode } from '../platform/error-code.js';
import type { RetryReason } from './database-metrics.js';

/** Why a retry of the same transaction may succeed, by SQLSTATE. */
const TRANSIENT: ReadonlyMap<string, RetryReason> = new Map([
  ['40001', 'conflict'], // serialization failure
  ['40P01', 'deadlock'],
  ['55P03', 'lock'], // lock timeout
  ['26000', 'connection'], // a statement in the same pipeline that prepares this one was cancelled
]);

/**
 * SQLSTATEs of a server that is shutting down, gone or full: the shutdown codes, the idle and transaction timeouts, a
 * database that does not exist (yet), and a standby in place of the primary. Classes 08 and 53 mean the same.
 */
const UNAVAILABLE = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04', '25006', '3D000']);
const UNAVAILABLE_CLASSES = ['08', '53'];

/** SQLSTATEs of values that the server refuses: encoding, escapes, untranslatable, malformed or out of range. */
const BAD_INPUT = new Set(['22021', '22025', '22P05', '22P02', '22003']);

/** The server ended a statement at its `statement_timeout`, or its wait for a lock at its `lock_timeout`. */
const TIMEOUTS = new Set(['57014', '55P03']);

/** SQLSTATEs of `assert_writable`: the store is moving, or has moved. */
const STORE_MOVED = new Set(['SM001', 'SM002']);

/** A table or a column that does not exist. */
const SCHEMA_MISMATCH = new Set(['42P01', '42703']);

const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
  'EADDRNOTAVAIL',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Messages of pg's errors that have no code: a lost connection, answers out of sequence, or no connection in time. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after|Driver not Connected|timeout expired|Received unexpected)/;

/** The message of pg when no connection of its pool becomes free in time. */
export const NO_CONNECTION_IN_TIME = 'timeout exceeded when trying to connect';

interface PostgresError {
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
  readonly driverError?: PostgresError;
}

/**
 * Translates an error of PostgreSQL, pg or TypeORM for the application. The original becomes the `cause`. Any other
 * error, including a translated one, is returned unchanged.
 */
export function toApplicationError(error: unknown): unknown {
  if (error instanceof ApplicationError) return error;
  const code = errorCode(error) ?? '';
  if (STORE_MOVED.has(code)) return new StoreMoved({ cause: error });
  if (BAD_INPUT.has(code)) return new UnusableValue({ cause: error });
  if (TIMEOUTS.has(code) || isTooLate(error)) return new DeadlineExceeded({ cause: error });
  if (isRetryable(error)) return new Unavailable({ cause: error });
  if (SCHEMA_MISMATCH.has(code)) return new SchemaMismatch({ cause: error });
  return error;
}

/** Translates the error of a rejected promise. Adapters wrap each TypeORM call in it. */
export async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toApplicationError(error);
  }
}

/** Whether the database is temporarily unreachable or full. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DeadlineExceeded || error instanceof Unavailable) return true;
  const code = errorCode(error);
  if (code !== undefined)
    return UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.includes(code.slice(0, 2)) || SOCKET_ERRORS.has(code);
  return CONNECTION_MESSAGES.test((error as PostgresError | null)?.message ?? '');
}

/** Whether a retry of the whole transaction may succeed. It must not be used for an error of COMMIT. */
export function isRetryable(error: unknown): boolean {
  return TRANSIENT.has(errorCode(error) ?? '') || isConnectionLost(error);
}

/** The label of the metric that counts retries after this retryable error. */
export function retryReason(error: unknown): RetryReason {
  return TRANSIENT.get(errorCode(error) ?? '') ?? 'connection';
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => errorCode(error) === code;
}

/** Whether the server refused a connection because all its slots, or those of the role or database, are taken. */
export const isServerFull = hasCode('53300');

/** Whether a statement waited for a lock until its `lock_timeout`. */
export const isLockTimeout = hasCode('55P03');

/** Whether the role lacks a right. */
export const isPrivilegeMissing = hasCode('42501');

/** Whether a row refers to one that does not exist. */
export const isForeignKeyViolation = hasCode('23503');

/** Whether a number, such as a sum, left the range of its column or type. */
export const isOutOfRange = hasCode('22003');

/** Whether the server did not answer within the time limit of the client. */
export function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether an answer, or a connection of the pool, did not come in time. The server may only be busy. */
function isTooLate(error: unknown): boolean {
  return isReadTimeout(error) || (error instanceof Error && error.message === NO_CONNECTION_IN_TIME);
}

/** Whether the error is a violation of one of the unique keys with these names. */
export function isUniqueViolation(error: unknown, ...constraints: readonly string[]): boolean {
  const { driverError, ...rest } = (error ?? {}) as PostgresError;
  const { code, constraint: name } = driverError ?? rest;
  return code === '23505' && name !== undefined && constraints.includes(name);
}
