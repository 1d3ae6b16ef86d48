import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../../../support/test-database.js';

/** Services retry, so only the server reports them. Idle sessions, which may delay their counts for 10 s, are ended. */
export async function deadlocksIn(database: TestDatabase): Promise<number> {
  await database.query(
    `SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle'
       AND application_name = 'store-commerce'`,
  );
  // The services notice it a moment later.
  await delay(100);
  const [row] = await database.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks ?? -1;
}
