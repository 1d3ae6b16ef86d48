import type pg from 'pg';
import { BackupUnusable } from './archive.js';
import type { StoredTable } from './stored-tables.js';

/** An arbitrary number, the same for every restore. */
const ADVISORY_LOCK = 7_305_120_262;
const LOCK_TIMEOUT = '5s';
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Must run first: even a query for the size of a table waits for the locks of another restore.
 *
 * @throws BackupUnusable when another restore into this database runs.
 */
export async function assertOnlyRestore(client: pg.Client): Promise<void> {
  const claim = '/* restore.claim */ SELECT pg_try_advisory_xact_lock($1) AS claimed';
  const { rows } = await client.query<{ claimed: boolean }>(claim, [ADVISORY_LOCK]);
  if (!rows[0]?.claimed) throw new BackupUnusable('Another restore into this database is running.');
}

/**
 * Locks the tables, which must be empty, until the transaction ends.
 *
 * @throws BackupUnusable when another process uses the tables, or a table has a row.
 */
export async function claimEmptyTables(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  // Also checked before: a running service must not wait for a lock that would be of no use.
  await assertEmpty(client, tables);
  await lock(client, tables);
  await assertEmpty(client, tables);
}

async function lock(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  const names = tables.map(({ name }) => client.escapeIdentifier(name));
  try {
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    await client.query('SET LOCAL lock_timeout = 0');
  } catch (error) {
    if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new BackupUnusable('Another process uses the tables of this database: stop it, and restore again.');
  }
}

async function assertEmpty(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  // Stores first: of the tables that have rows, an operator knows that one.
  const names = tables.map(({ name }) => name).sort((a, b) => Number(b === 'stores') - Number(a === 'stores'));
  for (const name of names) {
    const { rowCount } = await client.query(
      `/* restore.is_empty */ SELECT FROM ${client.escapeIdentifier(name)} LIMIT 1`,
    );
    if (rowCount === 0) continue;
    throw new BackupUnusable(
      `The database is not empty: it has rows in the table ${name}. Restore into a new one, that of another DATA_DIR or DATABASE_URL.`,
    );
  }
}
