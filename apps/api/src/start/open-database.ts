import { type Config, type JsonLogger, migrate, untilDatabaseAnswers } from '@app/infrastructure';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@app/embedded-postgres';

export type OpenDatabase = Pick<EmbeddedPostgres, 'url' | 'stop'>;

/**
 * The configured database, once it answers, or the embedded one, started and migrated. A configured database is migrated
 * by its operators: until they have, this process runs and is not ready.
 *
 * @throws EmbeddedPostgresInUse when another process has the data directory.
 */
export async function openDatabase(config: Config, logger: JsonLogger): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    await untilDatabaseAnswers(config.databaseUrl, logger);
    return { url: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const database = keepRunning(await startEmbeddedPostgres({ dataDir: config.dataDir }), config.dataDir, logger);
  try {
    await migrate(database.url);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/**
 * Starts the embedded server again, at the same address, when it ends by itself. A failure to do so is not caught: this
 * process cannot go on without it.
 */
function keepRunning(first: EmbeddedPostgres, dataDir: string, logger: JsonLogger): OpenDatabase {
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
