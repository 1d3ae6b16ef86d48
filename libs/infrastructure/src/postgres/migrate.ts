import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errorCode } from '../platform/error-code.js';
import { NO_TIME_LIMITS } from './data-source.js';
import { type Migration, readMigrations } from './migrations.js';
import type { SchemaMigrations } from './own-migrations.js';
import { assertDatabaseIsFit } from './unfit-database.js';

/** Any number, the same in every process that migrates this schema. */
const ADVISORY_LOCK = 7_305_120_261;
const POLL_MS = 100;

/**
 * The longest wait of a migration for a lock on a table. Every later statement on that table waits behind it, and
 * clients expect an answer within 3 s.
 */
const LOCK_TIMEOUT_MS = 1_000;
/** Attempts at one migration, a second apart, while other sessions hold the locks. */
const ATTEMPTS = 30;
const RETRY_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';

const APPLIED = `
  CREATE TABLE IF NOT EXISTS migrations (
    id int PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

export interface MigrationReport {
  /** Names of the migrations that this call applied. */
  readonly applied: readonly string[];
}

/** The database has a schema that the migrations of this release, or of an extension, cannot upgrade. */
export class UnknownSchema extends Error {
  /** @param own the schema of an extension, and the present name of the migration that was applied as `found`. */
  constructor(found: string, own?: { readonly schema: string; readonly name: string }) {
    super(
      own
        ? `The schema ${own.schema} has the migration ${found}, but its file is now ${own.name}: ` +
            `restore the name ${found}, and put changes into a new file.`
        : `The database has a schema of an earlier development state (${found}), which cannot be migrated: ` +
            `use an empty database or another DATA_DIR.`,
    );
  }
}

/**
 * Brings the schema up to date. Safe in several processes at once: one migrates, the others wait for it and find nothing
 * to do. Leaves a database of a later release unchanged.
 *
 * @param url a direct connection, not one through a pooler: the advisory lock belongs to a session.
 * @param own of extensions; they run after those of the service.
 * @throws UnfitDatabase when the database has another encoding than UTF-8, or an unsuitable locale. It changes nothing.
 * @throws UnknownSchema when other migration files were applied to the database, or to the schema of an extension. It
 *   changes nothing in that schema.
 */
export async function migrate(
  url: string,
  migrations = readMigrations(),
  own: readonly SchemaMigrations[] = [],
): Promise<MigrationReport> {
  const client = new pg.Client({ connectionString: url, application_name: 'store-commerce', keepAlive: true });
  client.on('error', () => undefined); // the running statement fails, too
  try {
    await client.connect();
    await client.query(NO_TIME_LIMITS);
    await assertDatabaseIsFit(async (text, values) => (await client.query<object>(text, values)).rows);
    await takeTurns(client);
    const applied = await applyMissing(client, migrations);
    for (const each of own) applied.push(...(await applyOwn(client, each)));
    return { applied };
  } finally {
    // The end of the session frees the advisory lock.
    await client.end().catch(() => undefined);
  }
}

// Each file's names without a schema, and the table of applied migrations, are then those of the extension's schema.
const USE_SCHEMA = `/* migrations.schema */
  SELECT set_config('search_path', $1 || ', ' || reset_val, false) FROM pg_settings WHERE name = 'search_path'`;

async function applyOwn(client: pg.Client, { schema, migrations }: SchemaMigrations): Promise<string[]> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.query(USE_SCHEMA, [schema]);
  return (await applyMissing(client, migrations, schema)).map((name) => `${schema}/${name}`);
}

/** Names of the migrations of this release, cached: the health check needs them every few seconds. */
let known: string[] | undefined;

/** Whether every migration of this release, and of the extensions, has been applied. */
export async function isSchemaCurrent(
  query: (text: string, values: unknown[]) => Promise<unknown[]>,
  own: readonly SchemaMigrations[] = [],
): Promise<boolean> {
  known ??= readMigrations().map(({ name }) => name);
  const isApplied = async (table: string, names: readonly string[]) =>
    (await query(`/* migrations.current */ SELECT 1 FROM ${table} WHERE name = ANY($1)`, [names])).length ===
    names.length;
  try {
    if (!(await isApplied('migrations', known))) return false;
    for (const { schema, migrations } of own) {
      const names = migrations.map(({ name }) => name);
      if (!(await isApplied(`${schema}.migrations`, names))) return false;
    }
    return true;
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return false; // not migrated yet
    throw error;
  }
}

/**
 * Polls for the lock. A statement that waits for it would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for
 * every older snapshot: the two would wait for each other forever.
 */
async function takeTurns(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      '/* migrations.lock */ SELECT pg_try_advisory_lock($1) AS taken',
      [ADVISORY_LOCK],
    );
    if (rows[0]?.taken) return;
    await sleep(POLL_MS);
  }
}

async function applyMissing(client: pg.Client, migrations: readonly Migration[], schema?: string): Promise<string[]> {
  await client.query(APPLIED);
  const { rows } = await client.query<{ id: number; name: string }>(
    '/* migrations.applied */ SELECT id, name FROM migrations',
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const applied: string[] = [];
  for (const migration of migrations) {
    const found = names.get(migration.id);
    if (found !== undefined && found !== migration.name)
      throw new UnknownSchema(found, schema === undefined ? undefined : { schema, name: migration.name });
    if (found !== undefined) continue;
    await apply(client, migration);
    applied.push(migration.name);
  }
  return applied;
}

async function apply(client: pg.Client, { id, name, transaction, statements }: Migration): Promise<void> {
  const record = () =>
    client.query('/* migrations.record */ INSERT INTO migrations (id, name) VALUES ($1, $2)', [id, name]);
  if (transaction) return inTransaction(client, [...statements.map((sql) => () => client.query(sql)), record]);
  // No lock timeout: CREATE INDEX CONCURRENTLY waits for old transactions, and nothing waits behind it.
  for (const statement of statements) await client.query(statement);
  await record();
}

/** Runs all steps in one transaction. Retries when a lock does not come free in time. */
async function inTransaction(client: pg.Client, steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      for (const step of steps) await step();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if (errorCode(error) !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}
