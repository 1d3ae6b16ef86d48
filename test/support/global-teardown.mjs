import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';

/** Sets the exit code: Vitest prints what a teardown throws, but succeeds nevertheless. */
export async function teardown() {
  try {
    await endCluster();
  } catch (error) {
    process.exitCode = 1;
    throw error;
  }
}

async function endCluster() {
  fs.rmSync(process.env.TEST_DATA_DIR, { recursive: true, force: true });
  const cluster = globalThis.__TEST_CLUSTER__;
  if (cluster) {
    await cluster.server.stop();
    try {
      await checkStatements(cluster);
    } finally {
      fs.rmSync(cluster.dataDir, { recursive: true, force: true });
    }
    return;
  }
  // The server of `TEST_DATABASE_URL` does not log its statements.
  const admin = new pg.Client({ connectionString: process.env.TEST_CLUSTER_URL });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${process.env.TEST_TEMPLATE} WITH (FORCE)`);
  await admin.end();
}

/** Throws when the service sent a statement that can touch the rows of another store. */
async function checkStatements({ dataDir, tables }) {
  const { checkLog } = await tsImport('./store-predicate/check-log.ts', import.meta.url);
  const { storeColumns } = await tsImport('./store-predicate/read-statements.ts', import.meta.url);
  const { statements, faults } = await checkLog(path.join(dataDir, 'postgres'), storeColumns(tables));
  if (statements === 0) throw new Error('PostgreSQL has logged no statement, not even that of the setup');
  if (faults.length > 0) throw new Error(`Statements that are not limited to one store:\n${faults.join('\n')}`);
}
