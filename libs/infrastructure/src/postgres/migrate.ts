import { setTimeout as sleep } from 'node:timers/promises';
import { AbstractLogger, DataSource, MigrationExecutor } from 'typeorm';
import { errorCode } from '../platform/error-code.js';
import { withConnection, type Connection } from './connection.js';
import { migrationOptions } from './data-source.js';
import { type Migration, MIGRATIONS, type OwnMigrations } from './migrations.js';
import { isLockTimeout } from './postgres-errors.js';
import { assertDatabaseIsFit } from './unfit-database.js';

/** An arbitrary number, the same in every process that migrates this schema. */
export const MIGRATIONS_LOCK = 7_305_120_261;
const POLL_MS = 100;
const APPLICATION = 'store-commerce-migrations';

/**
 * How long a migration waits for a lock on a table. Every later statement on that table waits behind it, and clients
 * expect an answer within 3 s.
 */
export const LOCK_TIMEOUT_MS = 1_000;
const ATTEMPTS = 30;
const RETRY_MS = 1_000;

export interface MigrationReport {
  /** The migrations that this call has applied. */
  readonly applied: readonly string[];
}

/** The database has a schema that the migrations of this release, or of an extension, cannot upgrade. */
export class UnknownSchema extends Error {
  /** @param schema the schema of an extension. */
  constructor(found: string, schema?: string) {
    super(
      schema
        ? `The schema ${schema} has the migration ${found}, which the extension does not contain: ` +
            `restore the name ${found} and put changes into a new migration.`
        : `The database has a schema of an earlier development state (${found}), which cannot be migrated: ` +
            `use an empty database or another DATA_DIR.`,
    );
  }
}

/**
 * Applies the migrations. It is safe in several processes at the same time: one migrates, the others wait for it and
 * find nothing to do. It leaves a database of a later release unchanged.
 * @param url a direct connection, not one through a pooler: the advisory lock belongs to a session.
 * @param own migrations of extensions; they run after those of the service.
 * @throws UnfitDatabase when the database has another encoding than UTF-8, or an unsuitable locale. It changes nothing.
 * @throws UnknownSchema when other migrations were applied to the database, or to the schema of an extension. It
 * changes
 * nothing in that schema.
 */
export function migrate(
  url: string,
  migrations: readonly Migration[] = MIGRATIONS,
  own: readonly OwnMigrations[] = [],
): Promise<MigrationReport> {
  return withConnection(url, APPLICATION, async (connection) => {
    await assertDatabaseIsFit((text, values) => connection.query(text, values));
    await takeLock(connection);
    const applied = await applyMissing(url, migrations);
    for (const { schema, migrations: ofSchema } of own) {
      assertIsOwn(schema);
      const names = await applyMissing(url, ofSchema, schema);
      applied.push(...names.map((name) => `${schema}/${name}`));
    }
    return { applied };
  });
}

/** @param own migrations of extensions. */
export async function isSchemaCurrent(
  query: (text: string, values: unknown[]) => Promise<unknown[]>,
  own: readonly OwnMigrations[] = [],
): Promise<boolean> {
  try {
    for (const { schema, migrations } of [{ schema: 'public', migrations: MIGRATIONS }, ...own]) {
      const names = migrations.map(({ name }) => name);
      const table = schema === 'public' ? 'migrations' : `${schema}.migrations`;
      const text = `/* migrations.current */ SELECT 1 FROM ${table} WHERE name = ANY($1)`;
      if ((await query(text, [names])).length < names.length) return false;
    }
    return true;
  } catch (error) {
    if (errorCode(error) === '42P01') return false; // the table is missing: the database was never migrated
    throw error;
  }
}

/** @throws when the schema does not belong to the extension or its name would need quotes. */
export function assertIsOwn(schema: string): void {
  const isOwn = /^[a-z_][a-z0-9_]{0,62}$/.test(schema) && !/^(public|information_schema|pg_.*)$/.test(schema);
  if (!isOwn) throw new Error(`${schema} cannot be the schema of an extension: use lower-case letters, digits and _`);
}

/**
 * Polls for the lock. A statement that waits for it would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for
 * every older snapshot: the two would wait for each other forever.
 */
async function takeLock(connection: Connection): Promise<void> {
  for (;;) {
    const [lock] = await connection.query<{ taken: boolean }>(
      '/* migrations.lock */ SELECT pg_try_advisory_lock($1) AS taken',
      [MIGRATIONS_LOCK],
    );
    if (lock?.taken) return;
    await sleep(POLL_MS);
  }
}

// Names without a schema then refer to the extension's schema.
const USE_SCHEMA = `/* migrations.schema */
  SELECT set_config('search_path', $1 || ', ' || reset_val, false) FROM pg_settings WHERE name = 'search_path'`;

async function applyMissing(url: string, migrations: readonly Migration[], schema?: string): Promise<string[]> {
  const dataSource = new DataSource({
    ...migrationOptions(url),
    applicationName: APPLICATION,
    logger: new NoLog(),
    schema,
    migrations: [...migrations],
  });
  await dataSource.initialize();
  // A migration without a transaction has no limit: CREATE INDEX CONCURRENTLY waits for old transactions, and nothing
  // waits behind it.
  dataSource.subscribers.push({
    afterTransactionStart: ({ queryRunner }) => queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`),
  });
  try {
    if (schema) {
      await dataSource.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await dataSource.query(USE_SCHEMA, [schema]);
    }
    const executor = new MigrationExecutor(dataSource);
    const pending = (await executor.getPendingMigrations()).map(({ name }) => name);
    const newest = Math.max(...migrations.map(({ name }) => Number(name.slice(-13))));
    for (const { name, timestamp } of await executor.getExecutedMigrations()) {
      const isKnown = migrations.some((known) => known.name === name);
      // A later release has later migrations. The tables of the earliest schemas have no timestamps.
      if (!isKnown && !(timestamp > newest)) throw new UnknownSchema(name, schema);
    }
    await whileLocked(() => dataSource.runMigrations({ transaction: 'each' }));
    return pending;
  } finally {
    await dataSource.destroy();
  }
}

/** Silences TypeORM, which would print failures to stdout; the caller reports them. */
class NoLog extends AbstractLogger {
  protected override writeLog(): void {}
}

/** Repeats work that gave up waiting for a lock, for up to half a minute. */
export async function whileLocked(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === ATTEMPTS) throw error;
      await sleep(RETRY_MS);
    }
  }
}
