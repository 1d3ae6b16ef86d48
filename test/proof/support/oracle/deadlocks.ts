import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../../../support/test-database.js';

/**
 * The number of deadlocks in this database. Services retry such a transaction, so only the server can report them. Idle
 * sessions are terminated, because a session may delay its counts for 10 s; pools replace them.
 */
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
