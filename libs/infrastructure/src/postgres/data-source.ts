import { CONNECTION_MS, LOCK_TIMEOUT_MS, QUERY_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '@app/application';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { PatientPool } from './patient-pool.js';
import { SESSION_SETTINGS } from './session-settings.js';

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

const MAINTENANCE = {
  onConnect: (client: pg.ClientBase) => {
    survive(client);
    return client.query(`${SESSION_SETTINGS}${NO_TIME_LIMITS}`);
  },
};

const REQUEST_LIMITS = {
  onConnect: (client: pg.ClientBase) => {
    survive(client);
    return client.query(`${SESSION_SETTINGS}${REQUEST_SETTINGS}`);
  },
  // A server that vanishes silently must not hold a connection of the pool for much longer than the statement timeout:
  // the request has had its 503 by then. Transactions set their own limit.
  query_timeout: QUERY_TIMEOUT_MS,
  keepAlive: true,
  // Sends a statement without waiting for the answers of earlier ones.
  pipeline: true,
};

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  /** For migrations and imports: statements have no time limit, whatever the role has. */
  readonly maintenance?: boolean;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onPoolError?: (error: Error) => void;
}

export function dataSourceOptions({ url, poolSize, maintenance, onPoolError }: DataSourceSettings): PostgresOptions {
  return {
    type: 'postgres',
    // Given, because TypeORM would load it by a name that a bundle does not know.
    driver: { ...pg, Pool: PatientPool },
    url,
    poolSize,
    connectTimeoutMS: CONNECTION_MS,
    poolErrorHandler: onPoolError ?? (() => undefined),
    applicationName: 'store-commerce',
    synchronize: false,
    logging: false,
    extra: maintenance ? MAINTENANCE : REQUEST_LIMITS,
  };
}

/** The pool below TypeORM, for SQL that bypasses the ORM. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { master: pg.Pool }).master;
}
