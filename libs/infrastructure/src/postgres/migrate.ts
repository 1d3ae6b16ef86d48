import { runMigrations as migrateQueue } from 'graphile-worker';
import { DataSource } from 'typeorm';
import { queuePool } from './queue-pool.js';
import { dataSourceOptions } from './data-source.js';
import { MIGRATIONS } from './migrations/index.js';

/** Any number, the same for everybody who migrates this schema. */
const ADVISORY_LOCK = 7_305_120_261;

// The queue's own indexes have only the jobs that can be taken. Those of lost workers, and those that failed for good,
// are looked for every few seconds, and must be found among millions that wait.
const TAKEN_OR_FAILED = `
  CREATE INDEX IF NOT EXISTS jobs_taken_or_failed ON graphile_worker._private_jobs (locked_at) WHERE NOT is_available`;

export interface MigrationReport {
  /** Names of the migrations that this call applied. */
  readonly applied: readonly string[];
}

/**
 * Brings the schema, and the queue's own schema, up to date. Safe from several processes at once: one migrates, the
 * others wait for it and find nothing to do.
 *
 * @param url a direct connection, not one through a pooler: the lock belongs to a session.
 */
export async function migrate(url: string): Promise<MigrationReport> {
  const dataSource = await new DataSource(dataSourceOptions({ url, poolSize: 2, maintenance: true })).initialize();
  const lock = dataSource.createQueryRunner();
  const queue = queuePool(url, 1, () => undefined, 0);
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    await migrateQueue({ pgPool: queue });
    await queue.query(TAKEN_OR_FAILED);
    return { applied: applied.map(({ name }) => name) };
  } finally {
    // Closing the session frees the lock, whatever happened.
    await lock.release();
    await queue.end();
    await dataSource.destroy();
  }
}

/** Whether every migration this code knows was applied. */
export async function isSchemaCurrent(
  query: (text: string, values: unknown[]) => Promise<unknown[]>,
): Promise<boolean> {
  const names = MIGRATIONS.map(({ name }) => name);
  const rows = await query(`SELECT 1 FROM migrations WHERE name = ANY($1)`, [names]).catch(
    (error: { code?: string }) => {
      if (error.code === '42P01') return []; // no such table: nothing was migrated yet
      throw error;
    },
  );
  return rows.length === names.length;
}
