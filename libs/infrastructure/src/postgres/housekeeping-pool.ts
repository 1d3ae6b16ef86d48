import pg from 'pg';
import { onConnect } from './session-settings.js';
import { discardSilentConnections } from './silent-connections.js';

const CONNECTIONS = 2;
const CONNECTION_TIMEOUT_MS = 5_000;
/** Longer than any statement of the housekeeping. */
const QUERY_TIMEOUT_MS = 10_000;
/** The server ends a statement before its connection is dropped. Otherwise the statement would keep waiting for its lock. */
const STATEMENT_TIMEOUT_MS = 9_000;

/**
 * Makes a pool for the worker's housekeeping, with longer time limits than those of requests.
 * @param databaseUrl a direct connection: on a pooler's connections, requests have set their time limits.
 * @param onError called when a connection breaks, idle or in use.
 */
export function housekeepingPool(databaseUrl: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS,
    application_name: 'store-commerce-housekeeping',
    // Without these limits, a caller would wait forever for a connection, or for an answer on a connection that died
    // silently.
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUERY_TIMEOUT_MS,
    ...onConnect(`SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`),
  });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  discardSilentConnections(pool);
  return pool;
}
