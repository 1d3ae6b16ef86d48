import type { TestDatabase } from '../../../support/test-database.js';

export interface StageRow {
  readonly order_id: string;
  readonly stage: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string;
}

/** Reads the stages of a store that notify. */
export class StageWatch {
  constructor(
    private readonly database: TestDatabase,
    private readonly storeId: number,
  ) {}

  /** In a stable order. */
  stages(): Promise<StageRow[]> {
    return this.database.query<StageRow>(
      `SELECT order_id, stage, reference, state, attempts, last_error FROM order_stages
       WHERE store_id = $1 AND stage LIKE 'notify-%' ORDER BY order_id, stage, reference`,
      [this.storeId],
    );
  }
}
