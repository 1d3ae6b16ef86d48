import { setTimeout as delay } from 'node:timers/promises';
import type { JsonLogger } from '../platform/json-logger.js';
import { errorCode } from '../platform/error-code.js';
import { DatabaseProbe } from './database-probe.js';
import { UnfitDatabase } from '../postgres/unfit-database.js';

const RETRY_MS = 2_000;

/**
 * Waits for the database and logs each failed attempt, so that a process can start before its database. Logs a database
 * without the current schema, too.
 *
 * @throws UnfitDatabase when no migration can make the database usable.
 */
export async function untilDatabaseAnswers(url: string, logger: JsonLogger): Promise<void> {
  const probe = new DatabaseProbe(url);
  const { host, pathname } = new URL(url);
  const place = `${host}${pathname}`;
  for (;;) {
    try {
      const { schemaCurrent } = await probe.ask();
      probe.close();
      if (!schemaCurrent) {
        logger.warn(
          `The database ${place} lacks migrations of this release: run \`npm run --silent cli -- migrate\``,
          'Start',
        );
      }
      return;
    } catch (error) {
      if (error instanceof UnfitDatabase) throw error;
      const reason = errorCode(error) ?? (error as Error).message;
      logger.warn(
        `The database ${place} cannot be used yet (${reason}): trying again in ${RETRY_MS / 1000} s`,
        'Start',
      );
      await delay(RETRY_MS);
    }
  }
}
