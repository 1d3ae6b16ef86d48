import type { TestDatabase } from './test-database.js';

/** The number of statements that wait for a lock. Those of the housekeeping, which runs at any time, do not count. */
export async function lockWaits(database: TestDatabase, pattern = '%'): Promise<number> {
  const waiting = await database.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1
       AND application_name <> 'store-commerce-housekeeping'`,
    [pattern],
  );
  return waiting.length;
}
