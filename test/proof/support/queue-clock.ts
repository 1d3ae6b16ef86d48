import type { TestDatabase } from '../../support/test-database.js';

export class QueueClock {
  constructor(
    private readonly database: TestDatabase,
    private readonly storeId: number,
  ) {}

  async hideForeignStages(): Promise<() => Promise<void>> {
    const move = (by: string) =>
      this.database.query(
        `UPDATE order_stages SET run_at = run_at + $2::interval WHERE store_id <> $1 AND state = 'pending'`,
        [this.storeId, by],
      );
    await move('1 day');
    return async () => void (await move('-1 day'));
  }

  /** Makes stages that wait for their next attempt due now. @param lastAttempt makes that attempt the last one. */
  async skipBackOff(orderIds: readonly string[], lastAttempt = false): Promise<void> {
    await this.database.query(
      `UPDATE order_stages
       SET run_at = now(), attempts = CASE WHEN $2 THEN greatest(attempts, 11) ELSE attempts END
       WHERE order_id = ANY ($1) AND state = 'pending' AND run_at > now() AND locked_until IS NULL`,
      [orderIds, lastAttempt],
    );
  }

  async expireClaims(): Promise<void> {
    await this.database.query(
      `UPDATE order_stages SET locked_until = now() - interval '1 s' WHERE store_id = $1 AND locked_until IS NOT NULL`,
      [this.storeId],
    );
  }

  async claimed(): Promise<string[]> {
    const rows = await this.database.query<{ claim: string }>(
      `SELECT concat_ws(' ', stage, 'of order', order_id, 'until', locked_until::time, last_error) AS claim
       FROM order_stages WHERE store_id = $1 AND locked_until IS NOT NULL ORDER BY order_id, stage`,
      [this.storeId],
    );
    return rows.map(({ claim }) => claim);
  }
}
