import { createHash } from 'node:crypto';
import {
  IdempotencyInFlight,
  IdempotencyMismatch,
  type IdempotencyScope,
  type IdempotentRequest,
} from '@app/application';
import { isLockTimeout } from './postgres-errors.js';
import { WAITS_FOR_STANDBYS } from './standby-wait.js';
import { isWritable, type TransactionSql } from './transaction-sql.js';

type KeyKind = 'order' | 'change' | 'stock' | 'prices' | 'webhook';

export interface StoredAnswer<Content> {
  /** The order that the request placed or changed; null for all other kinds. */
  readonly orderId: string | null;
  /** What the answer shows. It is null for a change of an order whose personal data has since been erased. */
  readonly record: Content;
}

interface KeyRow {
  readonly kind: KeyKind;
  readonly request_hash: Buffer;
  readonly order_id: string | null;
  readonly record: unknown;
  readonly waits_for_standbys: boolean;
}

interface KeyReader {
  query(text: string, values: readonly unknown[]): Promise<KeyRow[]>;
  waitForStandbys(): Promise<void>;
}

// A second request with the key waits in this INSERT until the first one commits or rolls back, for at most the
// transaction's lock timeout of 2 s.
const CLAIM = `/* idempotency.claim */
  INSERT INTO idempotency_keys (store_id, mode, key, kind, request_hash, order_id, record)
  VALUES ($1, $2, CASE WHEN ${isWritable('$1')} THEN $3 END, $4, $5, $6, $7)
  ON CONFLICT DO NOTHING RETURNING 1`;

const FIND = `/* idempotency.look_up */
  SELECT kind, request_hash, order_id, record, ${WAITS_FOR_STANDBYS} AS waits_for_standbys
  FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key IN ($3, $4)`;

// An erasure of the person (postgres-personal-data.ts) replaces a key by this character and the key's SHA-256, and the
// hash of the request by its first two bytes. No client can send such a key: keys are printable ASCII.
const ERASED = '\u0001';

const KEEP = `/* idempotency.keep */
  UPDATE idempotency_keys SET order_id = $4, record = $5
  WHERE store_id = $1 AND mode = $2 AND key = $3`;

const RELEASE = `/* idempotency.release */ DELETE FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key = $3`;

/**
 * Claims the key for this transaction.
 * @param kept what the request does, when already known; null when the claim is going to be rolled back, or
 * `storeAnswer` follows.
 * @returns null when this transaction now holds the key, otherwise what the committed request with the key did.
 * @throws IdempotencyMismatch when the other request was a different one.
 * @throws IdempotencyInFlight when the other request is still running after the wait.
 */
export async function claimKey<Content>(
  sql: TransactionSql,
  kind: KeyKind,
  request: IdempotentRequest,
  kept: StoredAnswer<Content> | null = null,
): Promise<StoredAnswer<Content> | null> {
  const record = kept && JSON.stringify(kept.record);
  const values = [...valuesOf(request.scope), kind, request.requestHash, kept?.orderId, record];
  const [inserted] = await sql.pipeline([{ text: CLAIM, values, demandsHome: true }]).catch((error: unknown) => {
    throw isLockTimeout(error) ? new IdempotencyInFlight() : error;
  });
  if (inserted?.length) return null;

  const earlier = await findStoredAnswer<Content>(sql, kind, request);
  // The key expired between the two statements. It is free, but this transaction does not hold it.
  if (!earlier) throw new IdempotencyInFlight();
  return earlier;
}

/**
 * Finds what the committed request with the key did. It waits for the standbys, because a replay confirms what that
 * request did, and the commit of that request may have stopped waiting for them.
 * @returns null when no committed request used the key.
 * @throws IdempotencyMismatch when the key was used with another request.
 */
export async function findStoredAnswer<Content>(
  reader: KeyReader,
  kind: KeyKind,
  { scope, requestHash }: IdempotentRequest,
): Promise<StoredAnswer<Content> | null> {
  const erased = ERASED + createHash('sha256').update(scope.key).digest('hex');
  const [row] = await reader.query(FIND, [...valuesOf(scope), erased]);
  if (!row) return null;
  const isSame = row.kind === kind && row.request_hash.equals(requestHash.subarray(0, row.request_hash.length));
  if (!isSame) throw new IdempotencyMismatch();
  // @protects replay-on-standby
  if (row.waits_for_standbys) await reader.waitForStandbys();
  return { orderId: row.order_id, record: row.record as Content };
}

/** Frees the key of a request whose refusal is recorded. */
export async function releaseKey(sql: TransactionSql, scope: IdempotencyScope): Promise<void> {
  await sql.query(RELEASE, valuesOf(scope));
}

/** Stores the record of a key that this transaction has claimed. */
export async function storeAnswer(
  sql: TransactionSql,
  scope: IdempotencyScope,
  { orderId, record }: StoredAnswer<unknown>,
): Promise<void> {
  await sql.query(KEEP, [...valuesOf(scope), orderId, JSON.stringify(record)]);
}

function valuesOf({ storeId, mode, key }: IdempotencyScope): unknown[] {
  return [storeId, mode, key];
}
