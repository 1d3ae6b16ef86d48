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

/**
 * The configured database, once it answers, or the embedded one, started and migrated. A configured database is migrated
 * by its operators: until they have, this process runs and is not ready.
 *
 * @throws EmbeddedPostgresInUse when another process has the data directory.
 */
export async function openDatabase(config: Config, logger: JsonLogger): Promise<EmbeddedPostgres> {
  if (config.databaseUrl !== null) {
    await untilItAnswers(config.databaseUrl, logger);
    return { url: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const database = await startEmbeddedPostgres({ dataDir: config.dataDir });
  try {
    await migrate(database.url);
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  }
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
      logger.warn(`The database does not answer (${reason}): trying again in ${RETRY_MS / 1000} s`, 'Start');
      await delay(RETRY_MS);
    }
  }
}
