import {
  IdempotencyClaims,
  IdempotencyInFlight,
  type IdempotencyRecord,
  type IdempotencyScope,
} from '@app/application';
import { errorCode } from '../platform/error-code.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';

/** Lives for one transaction: it is built by the unit of work, not by Nest. */
export class PostgresIdempotencyClaims extends IdempotencyClaims {
  constructor(private readonly sql: TransactionSql) {
    super();
  }

  override async claim(
    { storeId, mode, key }: IdempotencyScope,
    requestHash: Buffer,
  ): Promise<IdempotencyRecord | null> {
    // The second of two twins waits in this INSERT until the first commits or rolls back, for no longer than the
    // transaction's lock timeout of 2 s.
    const inserted = await this.sql
      .query<unknown>(
        `/* idempotency.claim */ INSERT INTO idempotency_keys (store_id, mode, key, request_hash) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING 1`,
        [storeId, mode, key, requestHash],
      )
      .catch((error: unknown) => {
        throw errorCode(error) === '55P03' ? new IdempotencyInFlight() : error;
      });
    if (inserted.length > 0) return null;

    const [record] = await this.sql.query<{ request_hash: Buffer; response: Buffer }>(
      `/* idempotency.find_claim */ SELECT request_hash, response FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key = $3`,
      [storeId, mode, key],
    );
    // Purged between the two statements: as good as never used, but this transaction did not claim it.
    if (!record) throw new IdempotencyInFlight();
    return { requestHash: record.request_hash, response: record.response };
  }

  override async store({ storeId, mode, key }: IdempotencyScope, response: Buffer): Promise<void> {
    await this.sql.query(
      `/* idempotency.store_answer */ UPDATE idempotency_keys SET response = $4 WHERE store_id = $1 AND mode = $2 AND key = $3`,
      [storeId, mode, key, response],
    );
  }
}
