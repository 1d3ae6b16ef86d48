import { createHash } from 'node:crypto';
import { IdempotencyInFlight, IdempotencyMismatch, type IdempotencyScope } from '@app/application';
import { isLockTimeout } from './postgres-errors.js';
import { WAITS_FOR_STANDBYS } from './standby-wait.js';
import { HAS_BEGUN, type TransactionSql } from './transaction-sql.js';

/** A request that carries a key. */
interface KeyedRequest {
  readonly scope: IdempotencyScope;
  readonly requestHash: Buffer;
}

/** What an earlier request with the key did. `answer` is null once the person is erased, if it had personal data. */
export interface KeptAnswer {
  /** Null for a change of stock and a webhook. */
  readonly orderId: string | null;
  readonly answer: Buffer | null;
}

interface KeyRow {
  readonly request_hash: Buffer;
  readonly order_id: string | null;
  readonly response: Buffer | null;
  readonly waits_for_standbys: boolean;
}

/** Runs a statement, and makes its transaction wait for the standbys. */
interface KeyReader {
  query(text: string, values: readonly unknown[]): Promise<KeyRow[]>;
  waitForStandbys(): Promise<void>;
}

// A second request with the key waits in this INSERT until the first commits or rolls back, at most for the
// transaction's lock timeout of 2 s.
const CLAIM = `/* idempotency.claim */
  INSERT INTO idempotency_keys (store_id, mode, key, request_hash, order_id, response)
  VALUES ($1, $2, CASE WHEN ${HAS_BEGUN} THEN $3 END, $4, $5, $6)
  ON CONFLICT DO NOTHING RETURNING 1`;

const FIND = `/* idempotency.look_up */
  SELECT request_hash, order_id, response, ${WAITS_FOR_STANDBYS} AS waits_for_standbys
  FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key IN ($3, $4)`;

// An erasure of the person (postgres-personal-data.ts) replaces a key by this and its SHA-256, and the hash of the request by
// its first byte. No client can send such a key: keys are printable ASCII.
const ERASED = '\u0001';

// The answer to a change of an order has the whole order; that to a change of stock has no personal data.
const KEEP = `/* idempotency.keep */
  UPDATE idempotency_keys SET order_id = $4, response = $5, personal = $4::uuid IS NOT NULL
  WHERE store_id = $1 AND mode = $2 AND key = $3`;

const RELEASE = `/* idempotency.release */ DELETE FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key = $3`;

/**
 * Claims the key for this transaction.
 *
 * @param kept the answer, where it is known already; null when the claim is going to be rolled back, or `keepAnswer` follows.
 * @returns null when this transaction holds the key now; the order of the other request when that one committed.
 * @throws IdempotencyMismatch when the other request was a different one.
 * @throws IdempotencyInFlight when the other request is still running after the wait.
 */
export async function claimKey(
  sql: TransactionSql,
  request: KeyedRequest,
  kept: KeptAnswer | null,
): Promise<KeptAnswer | null> {
  const { scope, requestHash } = request;
  const claim = { text: CLAIM, values: [...valuesOf(scope), requestHash, kept?.orderId, kept?.answer] };
  const [inserted] = await sql.pipeline([claim]).catch((error: unknown) => {
    throw isLockTimeout(error) ? new IdempotencyInFlight() : error;
  });
  if (inserted?.length) return null;

  const replay = await findReplay(readerOf(sql), request);
  // The key expired between the two statements: it is free, but this transaction does not hold it.
  if (!replay) throw new IdempotencyInFlight();
  return replay;
}

/** Reads keys within a transaction. */
export function readerOf(sql: TransactionSql): KeyReader {
  return {
    query: (text, values) => sql.query(text, values),
    waitForStandbys: () => sql.waitForStandbysAtCommit(),
  };
}

/**
 * A replay acknowledges an order whose own commit may have stopped waiting for the standbys. It waits for them itself.
 *
 * @returns null when no committed request used the key.
 * @throws IdempotencyMismatch when the key was used with another request.
 */
export async function findReplay(reader: KeyReader, { scope, requestHash }: KeyedRequest): Promise<KeptAnswer | null> {
  const erased = ERASED + createHash('sha256').update(scope.key).digest('hex');
  const [row] = await reader.query(FIND, [...valuesOf(scope), erased]);
  if (!row) return null;
  if (!row.request_hash.equals(requestHash.subarray(0, row.request_hash.length))) throw new IdempotencyMismatch();
  if (row.waits_for_standbys) await reader.waitForStandbys();
  return { orderId: row.order_id, answer: row.response };
}

/** Frees the key that this transaction has claimed, for a request whose refusal is recorded. */
export async function releaseKey(sql: TransactionSql, scope: IdempotencyScope): Promise<void> {
  await sql.query(RELEASE, valuesOf(scope));
}

/** Keeps the answer with the key that this transaction has claimed. */
export async function keepAnswer(sql: TransactionSql, scope: IdempotencyScope, kept: KeptAnswer): Promise<void> {
  await sql.query(KEEP, [...valuesOf(scope), kept.orderId, kept.answer]);
}

function valuesOf({ storeId, mode, key }: IdempotencyScope): unknown[] {
  return [storeId, mode, key];
}
