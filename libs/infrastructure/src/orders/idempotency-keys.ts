import {
  IdempotencyInFlight,
  IdempotencyMismatch,
  type IdempotencyScope,
  type IdempotentRequest,
  type Replay,
} from '@app/application';
import type { Order } from '@app/domain';
import { isLockTimeout } from '../postgres/postgres-errors.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';

interface KeyRow {
  readonly request_hash: Buffer;
  readonly order_id: string;
  readonly response: Buffer;
}

type RunSql = (text: string, values: readonly unknown[]) => Promise<KeyRow[]>;

// A second request with the key waits in this INSERT until the first commits or rolls back, at most for the
// transaction's lock timeout of 2 s.
const CLAIM = `/* idempotency.claim */
  INSERT INTO idempotency_keys (store_id, mode, key, request_hash, order_id, response)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT DO NOTHING RETURNING 1`;

const FIND = `/* idempotency.look_up */
  SELECT request_hash, order_id, response FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key = $3`;

/**
 * Claims the key for this transaction.
 *
 * @param order the order that the request places; null when the claim is going to be rolled back.
 * @returns null when this transaction holds the key now; the order of the other request when that one committed.
 * @throws IdempotencyMismatch when the other request was a different one.
 * @throws IdempotencyInFlight when the other request is still running after the wait.
 */
export async function claimKey(
  sql: TransactionSql,
  request: IdempotentRequest,
  order: Order | null,
): Promise<Replay | null> {
  const { scope, requestHash, answer } = request;
  const kept = order ? [order.id, answer(order)] : [null, null];
  const inserted = await sql.query(CLAIM, [...valuesOf(scope), requestHash, ...kept]).catch((error: unknown) => {
    throw isLockTimeout(error) ? new IdempotencyInFlight() : error;
  });
  if (inserted.length > 0) return null;

  const replay = await findReplay((text, values) => sql.query(text, values), request);
  // The key expired between the two statements: it is free, but this transaction does not hold it.
  if (!replay) throw new IdempotencyInFlight();
  return replay;
}

/**
 * @returns null when no committed request used the key.
 * @throws IdempotencyMismatch when the key was used with another request.
 */
export async function findReplay(run: RunSql, { scope, requestHash }: IdempotentRequest): Promise<Replay | null> {
  const [row] = await run(FIND, valuesOf(scope));
  if (!row) return null;
  if (!row.request_hash.equals(requestHash)) throw new IdempotencyMismatch();
  return { orderId: row.order_id, answer: row.response };
}

function valuesOf({ storeId, mode, key }: IdempotencyScope): unknown[] {
  return [storeId, mode, key];
}
