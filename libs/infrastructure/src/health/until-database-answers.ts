import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../platform/error-code.js';
import type { JsonLogger } from '../platform/json-logger.js';
import { UnfitDatabase } from '../postgres/unfit-database.js';
import { HealthConnection } from './health-connection.js';

const RETRY_MS = 2_000;

/** @throws UnfitDatabase when no migration can make the database usable. */
export async function untilDatabaseAnswers(url: string, logger: JsonLogger): Promise<void> {
  const connection = new HealthConnection(url);
  const { host, pathname } = new URL(url);
  const database = `The database ${host}${pathname}`;
  try {
    while (!(await answers(connection, database, logger))) await delay(RETRY_MS);
  } finally {
    connection.onApplicationShutdown();
  }
}

async function answers(connection: HealthConnection, database: string, logger: JsonLogger): Promise<boolean> {
  try {
    await connection.assertFit();
    if (!(await connection.isSchemaCurrent())) {
      logger.warn(`${database} lacks migrations of this release: run \`npx store-commerce migrate\``, 'Start');
    }
    return true;
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    const reason = errorCode(error) ?? (error as Error).message;
    logger.warn(`${database} cannot be used yet (${reason}): trying again in ${RETRY_MS / 1000} s`, 'Start');
    return false;
  }
}
