import { CONNECTION_MS, LOCK_TIMEOUT_MS, QUERY_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '@app/application';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { discardSilentConnections } from './silent-connections.js';

// Set by a statement on each new connection, not as startup parameters, which PgBouncer refuses. A read that took longer
// was answered before it was done; transactions set their own limit.
const REQUEST_TIMEOUTS = `
  SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = '10s';
`;

/**
 * The pool listens for errors of idle connections, and whoever uses one for its own. In between nobody does: the pool
 * hands a connection on while it is still reading, and the server's farewell may be among what it read. An error event
 * without a listener would end the process; with one, the next query on that connection fails and is told.
 */
function survive(client: pg.ClientBase): void {
  client.on('error', () => undefined);
}

const REQUEST_LIMITS = {
  onConnect: (client: pg.ClientBase) => {
    survive(client);
    return client.query(REQUEST_TIMEOUTS);
  },
  // A server that vanished without a word must not hold a connection of the pool for much longer than the statement
  // timeout: the request was answered 503 before. Transactions set their own limit.
  query_timeout: QUERY_TIMEOUT_MS,
  keepAlive: true,
  // Statements that need not wait for each other's answers travel together.
  pipeline: true,
};

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  /** For migrations and imports: statements may take as long as they need. */
  readonly maintenance?: boolean;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onPoolError?: (error: Error) => void;
}

export function dataSourceOptions({ url, poolSize, maintenance, onPoolError }: DataSourceSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    poolSize,
    connectTimeoutMS: CONNECTION_MS,
    poolErrorHandler: onPoolError ?? (() => undefined),
    applicationName: 'store-commerce',
    synchronize: false,
    logging: false,
    extra: maintenance ? { onConnect: survive } : REQUEST_LIMITS,
  };
}

/**
 * A pool for requests on a server that TypeORM does not know: a read replica.
 *
 * @param patienceMs how long a connection, and then an answer, is waited for.
 */
export function replicaPool(url: string, size: number, patienceMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    application_name: 'store-commerce',
    ...REQUEST_LIMITS,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
  });
  pool.on('error', () => undefined); // of an idle connection, which the pool replaces by itself
  discardSilentConnections(pool);
  return pool;
}

/** The pool below TypeORM, for SQL that needs no ORM on its way. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { master: pg.Pool }).master;
}
