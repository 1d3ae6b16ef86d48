import { type Config, type JsonLogger, migrate, untilDatabaseAnswers } from '@app/infrastructure';
import { attachOrStartEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from '@app/embedded-postgres';
import { keepRunning } from './keep-running.js';

/** A database that answers. */
export interface OpenDatabase {
  /** Contains the password: never print it. */
  readonly url: string;
  /** Lets go of the database. Stops an embedded server that this process started. */
  stop(): Promise<void>;
}

/** How a process that has no `DATABASE_URL` gets its database: it owns the embedded server, or shares a running one. */
export type EmbeddedUse = 'owned' | 'shared';

/**
 * Opens the configured database as soon as it answers, or the embedded one. The embedded one is migrated. Operators
 * migrate a configured database; until then this process runs and is not ready.
 *
 * @throws EmbeddedPostgresInUse when the server is to be owned and another process has the data directory.
 */
export async function openDatabase(config: Config, logger: JsonLogger, use: EmbeddedUse): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    await untilDatabaseAnswers(config.databaseUrl, logger);
    return { url: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const { dataDir } = config;
  return withCurrentSchema(
    use === 'shared'
      ? await attachOrStartEmbeddedPostgres({ dataDir })
      : keepRunning(await startEmbeddedPostgres({ dataDir }), dataDir, logger),
  );
}

/** Runs `work` on the embedded database: that of a running process, or one that is started for as long as this takes. */
export async function withEmbeddedDatabase<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const database: EmbeddedPostgres = await attachOrStartEmbeddedPostgres({ dataDir });
  try {
    return await work(database.url);
  } finally {
    await database.stop();
  }
}

async function withCurrentSchema(database: OpenDatabase): Promise<OpenDatabase> {
  try {
    await migrate(database.url);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}
