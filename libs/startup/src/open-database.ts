import { type Config, type JsonLogger, migrate, type OwnMigrations, untilDatabaseAnswers } from '@app/infrastructure';
import {
  attachOrStartEmbeddedPostgres,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '@store-commerce/embedded-postgres';

/** A database that answers. */
export interface OpenDatabase {
  /** Contains the password: never print it. */
  readonly url: string;
  /** Stops the embedded server if this process started it. */
  stop(): Promise<void>;
}

/** Without `DATABASE_URL`, a process owns the embedded server or shares a running one. */
export type EmbeddedUse = 'owned' | 'shared';

/**
 * Opens the configured database as soon as it answers, or the embedded one. Migrates only the embedded one. Operators
 * migrate a configured database; until then this process runs and is not ready.
 *
 * @param migrations of an extension.
 * @throws EmbeddedPostgresInUse when `use` is `owned` and another process has the data directory.
 */
export async function openDatabase(
  config: Config,
  logger: JsonLogger,
  use: EmbeddedUse,
  migrations?: OwnMigrations,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    await untilDatabaseAnswers(config.databaseUrl, logger);
    return { url: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const { dataDir } = config;
  return withCurrentSchema(
    use === 'shared'
      ? await attachOrStartEmbeddedPostgres({ dataDir })
      : keepRunning(await startEmbeddedPostgres({ dataDir }), dataDir, logger),
    migrations,
  );
}

/** Runs `work` on the embedded database: that of a running process, or one that runs only during the work. */
export async function withEmbeddedDatabase<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const database: EmbeddedPostgres = await attachOrStartEmbeddedPostgres({ dataDir });
  try {
    return await work(database.url);
  } finally {
    await database.stop();
  }
}

async function withCurrentSchema(database: OpenDatabase, own?: OwnMigrations): Promise<OpenDatabase> {
  try {
    await migrate(database.url, undefined, own && [own]);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/**
 * Restarts the embedded server at the same address when it ends unexpectedly. A restart that fails is an unhandled
 * rejection, which ends the process: it cannot run without its database.
 */
function keepRunning(
  first: EmbeddedPostgres,
  dataDir: string,
  logger: JsonLogger,
): Pick<EmbeddedPostgres, 'url' | 'stop'> {
  const { port } = new URL(first.url);
  let server = first;
  let stopping = false;
  const watch = (): void => {
    void server.ended.then(async () => {
      if (stopping) return;
      logger.error('The embedded PostgreSQL ended by itself: starting it again', 'Database');
      server = await startEmbeddedPostgres({ dataDir, settings: { port } });
      watch();
    });
  };
  watch();
  return {
    url: first.url,
    stop: () => {
      stopping = true;
      return server.stop();
    },
  };
}
