import type pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from './migrations/index.js';
import { ENTITIES } from './entities.js';

/** How long a request waits for a free connection before it is answered 503. */
const CONNECTION_TIMEOUT_MS = 2_000;

// Set by a statement on each new connection, not as startup parameters, which PgBouncer refuses.
const REQUEST_TIMEOUTS = `
  SET statement_timeout = '5s';
  SET lock_timeout = '3s';
  SET idle_in_transaction_session_timeout = '10s';
`;

const REQUEST_LIMITS = {
  onConnect: (client: pg.ClientBase) => client.query(REQUEST_TIMEOUTS),
  // A server that vanished without a word must not hold a request for much longer than the statement timeout.
  query_timeout: 8_500,
  keepAlive: true,
};

export interface DataSourceSettings {
  readonly url: string;
  readonly poolSize: number;
  /** For migrations and imports: statements may take as long as they need. */
  readonly unhurried?: boolean;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onPoolError?: (error: Error) => void;
}

export function dataSourceOptions({ url, poolSize, unhurried, onPoolError }: DataSourceSettings): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    poolSize,
    connectTimeoutMS: CONNECTION_TIMEOUT_MS,
    poolErrorHandler: onPoolError ?? (() => undefined),
    applicationName: 'store-commerce',
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    synchronize: false,
    logging: false,
    extra: unhurried ? {} : REQUEST_LIMITS,
  };
}

/** The pool below TypeORM, for SQL that needs no ORM on its way. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { master: pg.Pool }).master;
}
