import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestDatabase } from '../../../support/test-database.js';

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8');

/** Creates the schema `bare` with the rows that the service's tables have now. */
export async function createBareSchema(database: TestDatabase): Promise<void> {
  await database.query(read('tables.sql'));
  const tables = await database.query<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(column_name, ', ') AS columns
     FROM information_schema.columns WHERE table_schema = 'bare' GROUP BY table_name`,
  );
  for (const { name, columns } of tables) {
    await database.query(`INSERT INTO bare.${name} (${columns}) SELECT ${columns} FROM public.${name}`);
  }
  await database.query(read('keys.sql'));
}
