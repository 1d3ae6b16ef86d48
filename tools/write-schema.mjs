// This program writes docs/schema.md: it migrates an embedded database that is then deleted, and draws its catalog.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '@store-commerce/embedded-postgres';
import { migrate } from '../dist/libs/infrastructure/src/index.js';
import { schemaPicture } from './schema-picture.mjs';

const dataDir = mkdtempSync(path.join(tmpdir(), 'store-commerce-schema-'));
chmodSync(dataDir, 0o755);
const server = await startEmbeddedPostgres({ dataDir });
try {
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const picture = await schemaPicture(async (sql) => (await client.query(sql)).rows);
  writeFileSync(new URL('../docs/schema.md', import.meta.url), picture);
  await client.end();
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
