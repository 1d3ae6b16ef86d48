import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenDatabase } from './open-database.js';
import { Readiness } from '../status/readiness.js';

/** What is in flight gets this long; whatever is still open then is cut. */
const IN_FLIGHT_MS = 20_000;
/** When something hangs all the same. Orchestrators commonly kill after 30 s. */
const GIVE_UP_MS = 28_000;
/** Ctrl-C reaches a process under npm twice, from the terminal and from npm. */
const SAME_GESTURE_MS = 500;

/**
 * Ends the process at the first SIGINT or SIGTERM by way of `stop`, and at once at the second.
 *
 * @param stop ends the process itself.
 */
export function onShutdownSignal(stop: () => void): void {
  let asked: number | null = null;
  const handle = () => {
    if (asked === null) {
      asked = performance.now();
      setTimeout(() => process.exit(1), GIVE_UP_MS).unref();
      stop();
    } else if (performance.now() - asked > SAME_GESTURE_MS) {
      process.exit(1);
    }
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
}

/**
 * Leaves without a failed request: says that it is going, serves until everybody has noticed, finishes what is in
 * flight, and only then lets go of the database.
 *
 * @param graceMs how long load balancers may take to look at the readiness probe.
 */
export async function shutDown(
  app: NestFastifyApplication,
  database: Pick<OpenDatabase, 'stop'>,
  graceMs: number,
): Promise<void> {
  app.get(Readiness).draining = true;
  await delay(graceMs);
  const server: Server = app.getHttpServer();
  const cut = setTimeout(() => server.closeAllConnections(), IN_FLIGHT_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
    await database.stop();
  }
}
