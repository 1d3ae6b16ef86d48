import type { TestDatabase } from '../../support/test-database.js';

/** Switches all triggers that log changes. */
export async function switchFeed(database: TestDatabase, mode: 'ENABLE' | 'DISABLE'): Promise<void> {
  const triggers = await database.query<{ name: string; owner: string }>(
    `SELECT quote_ident(tgname) AS name, tgrelid::regclass::text AS owner
     FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
     WHERE NOT tgisinternal AND prosrc ~ 'INSERT INTO (change_log|shared_changes)'`,
  );
  if (triggers.length === 0) throw new Error('No trigger logs changes');
  for (const { name, owner } of triggers) await database.query(`ALTER TABLE ${owner} ${mode} TRIGGER ${name}`);
}
