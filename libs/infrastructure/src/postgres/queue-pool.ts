import pg from 'pg';

const CONNECTION_TIMEOUT_MS = 5_000;
/** Far more than any statement of the queue takes. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * A pool for the queue's own connections. They listen, so they go to the database directly, and a connection that
 * breaks, idle or in use, is reported and not fatal.
 *
 * @param queryTimeoutMs how long an answer is waited for; 0 = for ever.
 */
export function queuePool(
  databaseUrl: string,
  size: number,
  onError: (error: Error) => void,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: size,
    application_name: 'store-commerce-queue',
    // Who waits for a connection that never comes, or for an answer on one that died in silence, is to be told, and to
    // try again.
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUERY_TIMEOUT_MS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
