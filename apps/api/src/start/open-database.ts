import { setTimeout as delay } from 'node:timers/promises';
import {
  DatabaseProbe,
  errorCode,
  migrate,
  startEmbeddedPostgres,
  type Config,
  type EmbeddedPostgres,
  type JsonLogger,
} from '@app/infrastructure';

const RETRY_MS = 2_000;

export type OpenDatabase = Pick<EmbeddedPostgres, 'url' | 'stop'>;

/**
 * The configured database, once it answers, or the embedded one, started and migrated. A configured database is migrated
 * by its operators: until they have, this process runs and is not ready.
 *
 * @throws EmbeddedPostgresInUse when another process has the data directory.
 */
export async function openDatabase(config: Config, logger: JsonLogger): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    await untilItAnswers(config.databaseUrl, logger);
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

/** A start before the database is no reason to die and be started again: it is said, and tried again. */
async function untilItAnswers(url: string, logger: JsonLogger): Promise<void> {
  const probe = new DatabaseProbe(url);
  for (;;) {
    try {
      await probe.ask();
      probe.close();
      return;
    } catch (error) {
      const reason = errorCode(error) ?? (error as Error).message;
      logger.warn(`The database cannot be used yet (${reason}): trying again in ${RETRY_MS / 1000} s`, 'Start');
      await delay(RETRY_MS);
    }
  }
}
