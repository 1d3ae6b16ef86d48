import type { JsonLogger } from '@app/infrastructure';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@store-commerce/embedded-postgres';

/**
 * Restarts the embedded server at the same address when it ends unexpectedly. A restart that fails is an unhandled
 * rejection, which ends the process: it cannot run without its database.
 */
export function keepRunning(
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
