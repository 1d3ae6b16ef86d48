import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';
import { startEmbeddedPostgres } from '@store-commerce/embedded-postgres';
import { migrate } from '../../dist/libs/infrastructure/src/index.js';

/**
 * Starts one cluster for the whole run (`TEST_DATABASE_URL`, or an embedded one without durability) and one migrated template
 * database. Every test file gets its own copy of the template.
 */
export async function setup() {
  let url = process.env.TEST_DATABASE_URL;
  if (!url) {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-test-'));
    fs.chmodSync(dataDir, 0o755);
    const { LOGGED } = await tsImport('./store-predicate/check-log.ts', import.meta.url);
    const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', ...LOGGED };
    const server = await startEmbeddedPostgres({ dataDir, settings });
    globalThis.__TEST_CLUSTER__ = { server, dataDir };
    url = server.url;
  }
  const template = `test_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${template}`);
  await admin.end();

  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await migrate(templateUrl.href);
  if (globalThis.__TEST_CLUSTER__) globalThis.__TEST_CLUSTER__.tables = await tablesOfStores(templateUrl.href);
  process.env.TEST_DATA_DIR = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-test-files-'));
  process.env.TEST_CLUSTER_URL = url;
  process.env.TEST_TEMPLATE = template;
}

/**
 * All tables with a `store_id`, so that the check of statements covers a new table. The statement has the name of the service:
 * the check finds it in the log of every run, also of one whose tests send no statement of the service to this cluster.
 */
async function tablesOfStores(url) {
  const client = new pg.Client({ connectionString: url, application_name: 'store-commerce-setup' });
  await client.connect();
  const { rows } = await client.query(
    `/* setup.tables */ SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'store_id'`,
  );
  await client.end();
  return rows.map((row) => row.table_name);
}
