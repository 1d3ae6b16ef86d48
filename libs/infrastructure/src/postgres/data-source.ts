import { CONNECTION_MS, LOCK_TIMEOUT_MS, QUERY_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '@app/application';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { READ_INTEGERS } from './integers.js';
import { JoiningSocket } from './joining-socket.js';
import { QueueingPool } from './queueing-pool.js';
import { onConnect, PIPELINE } from './session-settings.js';
import { discardSilentConnections } from './silent-connections.js';

// Transactions set their own limits. The planner settings equal those of `TransactionSql`, for the same reasons;
// `Database.query` sets its own. Parallel workers would take processors beyond the share that the pool gives to
// requests.
const REQUEST_SETTINGS = `
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = '10s';
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
  SET max_parallel_workers_per_gather = 0;
`;

/** Removes all time limits: those of the role or the database are meant for requests. */
export const NO_TIME_LIMITS =
  'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0';

/** @param onPoolError called when an idle connection breaks. The pool replaces it. */
export function requestPool(url: string, poolSize: number, onPoolError = (_error: Error): void => undefined): pg.Pool {
  const pool = new QueueingPool({
    connectionString: url,
    max: poolSize,
    application_name: 'store-commerce',
    connectionTimeoutMillis: CONNECTION_MS,
    // This limit ends the wait for a server that vanishes silently. Transactions set their own limit.
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    types: READ_INTEGERS,
    ...onConnect(REQUEST_SETTINGS),
    ...PIPELINE,
    stream: () => new JoiningSocket(),
  });
  pool.on('error', onPoolError);
  discardSilentConnections(pool);
  return pool;
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

const OPTIONS = {
  type: 'postgres',
  // The driver is given, because TypeORM would load it by a name that a bundle does not know.
  driver: pg,
  applicationName: 'store-commerce',
  poolErrorHandler: () => undefined,
} satisfies PostgresOptions;

/** Returns TypeORM options for an existing pool, which TypeORM ends. */
export function optionsOn(pool: pg.Pool): PostgresOptions {
  // TypeORM constructs its pool from its driver. A constructor may return another object.
  function Pool(): pg.Pool {
    return pool;
  }
  // TypeORM takes the name of the database from the URL; otherwise it would query it.
  return { ...OPTIONS, driver: { ...pg, Pool }, url: pool.options.connectionString };
}

/** Returns TypeORM options for a single connection without time limits. */
export function migrationOptions(url: string): PostgresOptions {
  const extra = { ...onConnect(NO_TIME_LIMITS), types: READ_INTEGERS };
  return { ...OPTIONS, url, poolSize: 1, connectTimeoutMS: CONNECTION_MS, extra };
}
