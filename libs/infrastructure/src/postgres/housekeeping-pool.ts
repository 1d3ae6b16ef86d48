import pg from 'pg';
import { SESSION_SETTINGS } from './session-settings.js';

const CONNECTIONS = 2;
const CONNECTION_TIMEOUT_MS = 5_000;
/** Far longer than any statement of the housekeeping takes. */
const QUERY_TIMEOUT_MS = 10_000;

/** The pool has the option `onConnect`; its types do not. */
const WITH_SETTINGS = { onConnect: (client: pg.ClientBase) => client.query(SESSION_SETTINGS) };

/**
 * A pool for the worker's housekeeping, without the time limits of requests. The pool reports a connection that breaks,
 * idle or in use; the process continues.
 *
 * @param databaseUrl direct: on a pooler's connections, requests have set their time limits.
 */
export function housekeepingPool(databaseUrl: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS,
    application_name: 'store-commerce-housekeeping',
    // Without limits, a caller would wait forever for a connection, or for an answer on one that died silently.
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUERY_TIMEOUT_MS,
    ...WITH_SETTINGS,
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
