import { IdempotencyRecords, type IdempotencyRecord, type IdempotencyScope } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';

@Injectable()
export class PostgresIdempotencyRecords extends IdempotencyRecords {
  constructor(private readonly database: Database) {
    super();
  }

  override async find({ storeId, mode, key }: IdempotencyScope): Promise<IdempotencyRecord | null> {
    const [row] = await this.database.queryPrepared<{ request_hash: Buffer; response: Buffer }>(
      `/* idempotency.look_up */ SELECT request_hash, response FROM idempotency_keys WHERE store_id = $1 AND mode = $2 AND key = $3`,
      [storeId, mode, key],
    );
    return row ? { requestHash: row.request_hash, response: row.response } : null;
  }
}
