import { type Config, type JsonLogger, migrate, type OwnMigrations, untilDatabaseAnswers } from '@app/infrastructure';
import {
  attachOrStartEmbeddedPostgres,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '@store-commerce/embedded-postgres';

export interface OpenDatabase {
  /** Contains the password, so it must never be printed. */
  readonly url: string;
  stop(): Promise<void>;
}

export type EmbeddedUse = 'owned' | 'shared';

/**
 * Opens the database. It migrates only the embedded one. Operators migrate a configured one; until then, this process
 * is not ready.
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
 * Restarts the server. A restart that fails is an unhandled rejection, which ends the process: it cannot run without
 * its database.
 */
function keepRunning(
  first: EmbeddedPostgres,
  dataDir: string,
  logger: JsonLogger,
): Pick<EmbeddedPostgres, 'url' | 'stop'> {
  const { port } = new URL(first.url);
  // A stop during a restart waits for it: the new server answers before its start has ended.
  let server = Promise.resolve(first);
  let stopping = false;
  const watch = async (running: EmbeddedPostgres): Promise<void> => {
    await running.ended;
    if (stopping) return;
    logger.error('The embedded PostgreSQL ended by itself: starting it again', 'Database');
    server = startEmbeddedPostgres({ dataDir, settings: { port } });
    await watch(await server);
  };
  void watch(first);
  return {
    url: first.url,
    stop: async () => {
      stopping = true;
      await (await server).stop();
    },
  };
}
