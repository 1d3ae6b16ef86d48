import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Role } from '@app/domain';
import pg from 'pg';
import { createSession } from '../builders/store-fixture.js';
import { startBuiltApi } from './built-api.js';

// This program starts the built API with the demo store, and prints the cookies of a new session, for work on the
// dashboard: npx tsx test/support/try-dashboard.ts [port] [role]

const [port = '4500', role = 'owner'] = process.argv.slice(2);
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'try-dashboard-'));
const api = startBuiltApi({ PORT: port, DATA_DIR });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => api.process.kill(signal));
await api.says(/Test key/, 60_000);

const lock = path.join(DATA_DIR, 'postgres.lock');
const url = readFileSync(path.join(lock, readdirSync(lock)[0] ?? ''), 'utf8').trim();
const pool = new pg.Pool({ connectionString: url, max: 1 });
const database = {
  query: async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[],
};
const [store] = await database.query<{ id: number }>('SELECT id FROM stores');
const cookies: string[] = [];
for (const mode of ['live', 'test'] as const) {
  const { secret } = await createSession(database, store?.id ?? 0, role as Role, { mode });
  cookies.push(`store-${mode}=${secret}`);
}
await pool.end();
process.stdout.write(`${api.output()}\nhttp://127.0.0.1:${port}/dashboard/\ncookies ${cookies.join('; ')}\n`);
await api.ended();
