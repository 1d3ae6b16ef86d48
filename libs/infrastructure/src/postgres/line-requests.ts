import type { IdempotencyScope } from '@app/application';
import { ReferenceTaken, type LineFault } from '@app/domain';
import { claimKey, storeAnswer } from './idempotency-keys.js';
import type { TransactionSql } from './transaction-sql.js';

/** Each kind has its own references. */
type LineRequestKind = 'stock' | 'prices';

interface LineRequest {
  readonly storeId: number;
  readonly reference: string | null;
  readonly requestHash: Buffer;
  readonly idempotency: IdempotencyScope | null;
}

interface AppliedLines<Result> {
  readonly lines: readonly Result[];
  /** Whether an earlier request with the same key or reference made the change. */
  readonly isReplay: boolean;
}

const CLAIM_REFERENCE = `/* line_requests.claim */
  INSERT INTO line_requests (store_id, kind, reference, request_hash) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING RETURNING 1`;

const FIND_REFERENCE = `/* line_requests.find */
  SELECT request_hash, results FROM line_requests WHERE store_id = $1 AND kind = $2 AND reference = $3`;

const KEEP_REFERENCE = `/* line_requests.keep */
  UPDATE line_requests SET results = $4 WHERE store_id = $1 AND kind = $2 AND reference = $3`;

/**
 * Makes a change once for its `Idempotency-Key`, and once for its reference. It locks the key first, then the
 * reference, then what the change locks, like every writer.
 * @param change returns the results of its lines, which a repeated request gets.
 * @throws ReferenceTaken, IdempotencyMismatch, IdempotencyInFlight
 */
export async function applyOnce<Result>(
  sql: TransactionSql,
  kind: LineRequestKind,
  request: LineRequest,
  change: () => Promise<readonly Result[]>,
): Promise<AppliedLines<Result>> {
  const { storeId, reference, requestHash, idempotency: scope } = request;
  const kept = scope && (await claimKey<readonly Result[]>(sql, kind, { scope, requestHash }));
  if (kept) return { lines: kept.record, isReplay: true };
  const earlier = reference === null ? null : await claimReference<Result>(sql, kind, request, reference);
  const lines = earlier ?? (await change());
  if (scope) await storeAnswer(sql, scope, { orderId: null, record: lines });
  if (reference !== null && !earlier) {
    await sql.query(KEEP_REFERENCE, [storeId, kind, reference, JSON.stringify(lines)]);
  }
  return { lines, isReplay: earlier !== null };
}

interface LineOutcome {
  readonly line: number;
  /** Null for a line that is applied. */
  readonly code: string | null;
  readonly error: string;
}

/** Returns up to 20 refusals, for the error of an atomic request. */
export function refusalsOf(results: readonly LineOutcome[]): LineFault[] {
  const refused = results.filter(({ code }) => code !== null).slice(0, 20);
  return refused.map(({ line, code, error }) => ({ path: `lines[${line - 1}]`, message: `${code}: ${error}` }));
}

/** @returns what the earlier request with the reference did; null when this transaction now holds the reference. */
async function claimReference<Result>(
  sql: TransactionSql,
  kind: LineRequestKind,
  { storeId, requestHash }: LineRequest,
  reference: string,
): Promise<readonly Result[] | null> {
  const [claimed] = await sql.query(CLAIM_REFERENCE, [storeId, kind, reference, requestHash]);
  if (claimed) return null;
  const values = [storeId, kind, reference];
  const [found] = await sql.query<{ request_hash: Buffer; results: readonly Result[] }>(FIND_REFERENCE, values);
  if (!found?.request_hash.equals(requestHash)) throw new ReferenceTaken();
  // The commit of the first request may have stopped waiting for the standbys.
  await sql.waitForStandbys();
  return found.results;
}
