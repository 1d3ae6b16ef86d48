import type { TestDatabase } from '../../../support/test-database.js';

/** Advances the queue's clock, so that the proof does not wait for mere time to pass. */
export class QueueClock {
  constructor(
    private readonly database: TestDatabase,
    private readonly storeId: number,
  ) {}

  /** Hides jobs of other proofs in the same database from the workers. @returns how to undo it. */
  async hideForeignJobs(): Promise<() => Promise<void>> {
    const waiting = await this.database.query<{ order_id: string }>(
      `UPDATE order_stages SET queued = true
       WHERE store_id <> $1 AND state = 'pending' AND NOT queued RETURNING order_id`,
      [this.storeId],
    );
    const hidden = await this.database.query<{ id: string }>(
      `UPDATE graphile_worker._private_jobs SET run_at = run_at + interval '1 day'
       WHERE payload->>'storeId' IS DISTINCT FROM $1 RETURNING id`,
      [String(this.storeId)],
    );
    return async () => {
      await this.database.query(
        `UPDATE order_stages SET queued = false WHERE state = 'pending' AND order_id = ANY ($1)`,
        [waiting.map(({ order_id }) => order_id)],
      );
      await this.database.query(
        `UPDATE graphile_worker._private_jobs SET run_at = run_at - interval '1 day' WHERE id = ANY ($1)`,
        [hidden.map(({ id }) => id)],
      );
    };
  }

  /** Makes jobs that wait for their next attempt due now. @param lastAttempt makes that attempt the last one. */
  async skipBackOff(orderIds: readonly string[], lastAttempt = false): Promise<void> {
    await this.database.query(
      `UPDATE graphile_worker._private_jobs
       SET run_at = now(), attempts = CASE WHEN $2 THEN greatest(attempts, max_attempts - 1) ELSE attempts END
       WHERE payload->>'orderId' = ANY ($1) AND run_at > now() AND locked_at IS NULL AND attempts < max_attempts`,
      [orderIds, lastAttempt],
    );
    await this.database.query(`SELECT pg_notify('jobs:insert', '{"count":16}')`);
  }

  /** Backdates current locks by two minutes: workers that start next treat them as abandoned. */
  async ageLocks(): Promise<number> {
    const aged = await this.database.query(
      `UPDATE graphile_worker._private_jobs SET locked_at = locked_at - interval '2 minutes'
       WHERE locked_at IS NOT NULL AND payload->>'storeId' = $1 RETURNING 1`,
      [String(this.storeId)],
    );
    return aged.length;
  }

  /** Jobs that a worker holds, as texts. */
  async locked(): Promise<string[]> {
    const rows = await this.database.query<{ job: string }>(
      `SELECT concat_ws(' ', key, 'attempt', attempts, 'locked at', locked_at::time, last_error) AS job
       FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL AND payload->>'storeId' = $1 ORDER BY key`,
      [String(this.storeId)],
    );
    return rows.map(({ job }) => job);
  }
}
