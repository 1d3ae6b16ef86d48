import fs from 'node:fs';
import pg from 'pg';

export default async function globalTeardown() {
  const cluster = globalThis.__TEST_CLUSTER__;
  if (cluster) {
    await cluster.server.stop();
    fs.rmSync(cluster.dataDir, { recursive: true, force: true });
    return;
  }
  const admin = new pg.Client({ connectionString: process.env.TEST_CLUSTER_URL });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${process.env.TEST_TEMPLATE} WITH (FORCE)`);
  await admin.end();
}
