import pg from 'pg';
import { SESSION_SETTINGS } from './session-settings.js';

const CONNECTION_TIMEOUT_MS = 5_000;
/** Far longer than any statement of the queue takes. */
const QUERY_TIMEOUT_MS = 10_000;

/** The pool has the option `onConnect`; its types do not. */
const WITH_SETTINGS = { onConnect: (client: pg.ClientBase) => client.query(SESSION_SETTINGS) };

/**
 * A pool for the queue's own connections. LISTEN needs direct connections to the database. The pool reports a
 * connection that breaks, idle or in use; the process continues.
 *
 * @param queryTimeoutMs the longest wait for an answer; 0 = no limit.
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
    // Without limits, a caller would wait forever for a connection, or for an answer on one that died silently.
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUERY_TIMEOUT_MS,
    ...WITH_SETTINGS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
