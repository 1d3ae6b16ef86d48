import type { TestDatabase } from './test-database.js';

const TABLES = `
  SELECT class.oid::regclass::text AS name FROM pg_class AS class
  JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE class.relkind = 'r' AND namespace.nspname NOT LIKE 'pg\\_%' AND namespace.nspname <> 'information_schema'
  ORDER BY 1`;

export async function allRows(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(TABLES);
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await database.query<{ text: string }>(`SELECT row::text AS text FROM ${name} AS row`);
      return found.map(({ text }) => `${name} ${text}`);
    }),
  );
  return rows.flat().sort();
}

export function foundIn(rows: readonly string[], texts: readonly string[]): string[] {
  const whole = rows.join('\n').toLowerCase();
  return texts.filter(
    (text) => whole.includes(text.toLowerCase()) || whole.includes(Buffer.from(text).toString('hex')),
  );
}
