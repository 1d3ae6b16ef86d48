import type { TestDatabase } from './test-database.js';

export async function lockWaits(database: TestDatabase, pattern = '%'): Promise<number> {
  const waiting = await database.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
    [pattern],
  );
  return waiting.length;
}
