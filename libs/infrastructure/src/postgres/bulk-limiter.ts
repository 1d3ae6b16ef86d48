import { BULK_CHANGES, MAX_BULK_CHANGES_OF_STORE, Semaphore, SLOT_WAIT_MS } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config.js';

/** Limits concurrent changes of many rows. Otherwise, those of one store could hold all connections. */
@Injectable()
export class BulkLimiter extends Semaphore {
  constructor({ databasePoolSize }: Config) {
    super(() => Math.max(1, Math.floor(databasePoolSize * BULK_CHANGES)), SLOT_WAIT_MS, MAX_BULK_CHANGES_OF_STORE);
  }
}
