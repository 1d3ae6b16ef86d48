import { CONNECTION_MS, LOCK_TIMEOUT_MS, QUERY_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '@app/application';
import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { READ_INTEGERS } from './integers.js';
import { PacketSocket } from './packet-socket.js';
import { PatientPool } from './patient-pool.js';
import { SESSION_SETTINGS } from './session-settings.js';
import { discardSilentConnections } from './silent-connections.js';

// A statement sets these on each new connection, because PgBouncer refuses startup parameters. The client of a longer
// read already has its answer. Transactions set their own limits. The plans are those of `TransactionSql`, for the same
// reasons; `Database.query` sets its own.
const REQUEST_SETTINGS = `
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = '10s';
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
`;

/**
 * The pool listens for errors of idle connections, a caller for those of the connection it uses. Between the two a
 * connection has no listener but still reads, possibly the server's shutdown message. An error event without a listener
 * would end the process. With one, the next query on that connection fails.
 */
function survive(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

/** For work without time limits. Those of the role or the database are meant for requests. */
export const NO_TIME_LIMITS =
  'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0';

/** Options that the types of the pool lack. */
const REQUEST_OPTIONS = {
  onConnect: (client: pg.ClientBase) => {
    survive(client);
    return client.query(`${SESSION_SETTINGS}${REQUEST_SETTINGS}`);
  },
  // Sends a statement without waiting for the answers of earlier ones.
  pipeline: true,
};

export interface RequestPoolSettings {
  readonly url: string;
  readonly poolSize: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onPoolError?: (error: Error) => void;
}

/** The connections of requests, for TypeORM and for SQL that bypasses it. Opens them as they are needed. */
export function requestPool({ url, poolSize, onPoolError }: RequestPoolSettings): pg.Pool {
  const pool = new PatientPool({
    connectionString: url,
    max: poolSize,
    application_name: 'store-commerce',
    connectionTimeoutMillis: CONNECTION_MS,
    // A server that vanishes silently must not hold a connection of the pool for much longer than the statement timeout:
    // the request has had its 503 by then. Transactions set their own limit.
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    types: READ_INTEGERS,
    stream: () => new PacketSocket(),
    ...REQUEST_OPTIONS,
  });
  pool.on('error', onPoolError ?? (() => undefined));
  discardSilentConnections(pool);
  return pool;
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

const OPTIONS = {
  type: 'postgres',
  // Given, because TypeORM would load it by a name that a bundle does not know.
  driver: pg,
  applicationName: 'store-commerce',
  poolErrorHandler: () => undefined,
} satisfies PostgresOptions;

/** TypeORM on a pool, which it ends. */
export function optionsOn(pool: pg.Pool): PostgresOptions {
  // TypeORM constructs its pool from its driver. A constructor may return another object.
  function Pool(): pg.Pool {
    return pool;
  }
  // From the URL it takes the name of the database, which it would select otherwise.
  return { ...OPTIONS, driver: { ...pg, Pool }, url: pool.options.connectionString };
}

/** For work without time limits, such as migrations and imports, on a pool of its own. */
export function maintenanceOptions(url: string, poolSize: number): PostgresOptions {
  const onConnect = (client: pg.ClientBase) => {
    survive(client);
    return client.query(`${SESSION_SETTINGS}${NO_TIME_LIMITS}`);
  };
  return { ...OPTIONS, url, poolSize, connectTimeoutMS: CONNECTION_MS, extra: { onConnect, types: READ_INTEGERS } };
}
