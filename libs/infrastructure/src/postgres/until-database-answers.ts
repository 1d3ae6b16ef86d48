import { setTimeout as delay } from 'node:timers/promises';
import type { JsonLogger } from '../platform/json-logger.js';
import { errorCode } from '../platform/error-code.js';
import { DatabaseProbe } from './database-probe.js';

const RETRY_MS = 2_000;

/** A start before the database is no reason to die and be started again: it is said, and tried again. */
export async function untilDatabaseAnswers(url: string, logger: JsonLogger): Promise<void> {
  const probe = new DatabaseProbe(url);
  for (;;) {
    try {
      await probe.ask();
      probe.close();
      return;
    } catch (error) {
      const { host, pathname } = new URL(url);
      const reason = errorCode(error) ?? (error as Error).message;
      logger.warn(
        `The database ${host}${pathname} cannot be used yet (${reason}): trying again in ${RETRY_MS / 1000} s`,
        'Start',
      );
      await delay(RETRY_MS);
    }
  }
}
