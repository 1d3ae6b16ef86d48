import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ChangeWatch } from '@app/application';
import { Readiness } from '@app/health';
import type { OpenDatabase } from '@app/startup';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** Time for the requests in flight. Afterwards open connections are cut. */
const IN_FLIGHT_MS = 20_000;

/**
 * Ends the service without a failed request: reports not ready, keeps serving for the grace period, finishes the
 * requests in flight, and then closes the database.
 *
 * @param graceMs time for load balancers to see that the service is not ready.
 */
export async function shutDown(
  app: NestFastifyApplication,
  database: Pick<OpenDatabase, 'stop'>,
  graceMs: number,
): Promise<void> {
  app.get(Readiness).serving = false;
  // Clients that wait for a change get their answer now, and ask another instance next.
  app.get(ChangeWatch, { strict: false }).close();
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
