import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { migrate } from '@app/infrastructure';
import { startEmbeddedPostgres } from '@store-commerce/embedded-postgres';
import pg from 'pg';
import type { TestDatabase } from './test-database.js';

/**
 * Starts a cluster with a migrated database, from which a store can move. @param firstStoreId the first id of its new
 * stores.
 */
export async function startOwnCluster(firstStoreId: number, more: Record<string, string> = {}): Promise<TestDatabase> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'store-commerce-cluster-'));
  const settings = { fsync: 'off', full_page_writes: 'off', wal_level: 'logical', ...more };
  const server = await startEmbeddedPostgres({ dataDir, settings });
  await migrate(server.url);
  const pool = new pg.Pool({ connectionString: server.url, max: 3 });
  pool.on('error', () => undefined);
  await pool.query(`ALTER TABLE stores ALTER id RESTART WITH ${firstStoreId}`);
  return {
    url: server.url,
    query: async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[],
    drop: async () => {
      await pool.end();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
