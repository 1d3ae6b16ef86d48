import pg from 'pg';

const CONNECTION_TIMEOUT_MS = 5_000;

/**
 * A pool for the queue's own connections. They listen, so they go to the database directly, and a connection that
 * breaks, idle or in use, is reported and not fatal.
 */
export function queuePool(databaseUrl: string, size: number, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: size,
    application_name: 'store-commerce-queue',
    // Who waits for a connection that never comes is to be told, and to try again.
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
