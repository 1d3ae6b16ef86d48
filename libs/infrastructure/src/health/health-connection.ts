import type { OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { isSchemaCurrent } from '../postgres/migrate.js';
import type { OwnMigrations } from '../postgres/migrations.js';
import { onConnect, PIPELINE } from '../postgres/session-settings.js';
import { assertDatabaseIsFit } from '../postgres/unfit-database.js';

/** Limits the time of a probe, including the wait for a new connection. */
export const HEALTH_LIMIT_MS = 2_000;
const GAUGE_MS = 500;

// SET LOCAL is required: behind a pooler, the connection later serves other clients.
const BEGIN_GAUGE = `BEGIN; SET LOCAL statement_timeout = ${GAUGE_MS}; SET LOCAL enable_seqscan = off; SET LOCAL jit = off`;

/** Gives probes and scrapes a connection of their own: a busy pool must not look like a dead database. */
export class HealthConnection implements OnApplicationShutdown {
  private readonly pool: pg.Pool;

  constructor(
    url: string,
    private readonly migrations: readonly OwnMigrations[] = [],
  ) {
    this.pool = new pg.Pool({
      connectionString: url,
      application_name: 'store-commerce-health',
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: HEALTH_LIMIT_MS,
      query_timeout: HEALTH_LIMIT_MS,
      ...onConnect(),
      ...PIPELINE,
    });
    // The next query fails too and reports the error.
    this.pool.on('error', () => undefined);
  }

  assertFit(): Promise<void> {
    return assertDatabaseIsFit(queryOn(this.pool));
  }

  /**
   * @throws when the database does not answer in time, or is a standby, which accepts no orders and learns of a revoked
   * key late.
   */
  async isSchemaCurrent(): Promise<boolean> {
    const client = await this.pool.connect();
    try {
      // The two statements run together: each answer waits for a turn of a busy event loop.
      const [{ rows }, isCurrent] = await Promise.all([
        client.query<{ standby: boolean }>('/* health.standby */ SELECT pg_is_in_recovery() AS standby'),
        isSchemaCurrent(queryOn(client), this.migrations),
      ]);
      if (rows[0]?.standby) throw new Error('it is a standby');
      client.release();
      return isCurrent;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Returns the rows of a statement. The server cancels it after 0.5 s. */
  async readGauge<Row extends object>(statement: string): Promise<Row[]> {
    const client = await this.pool.connect();
    try {
      await client.query(BEGIN_GAUGE);
      const { rows } = await client.query<Row>(statement);
      return rows;
    } finally {
      // A cancelled statement leaves the connection usable, and a probe may wait for it.
      await client.query('ROLLBACK').then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
  }

  /** Does not wait: a server that does not answer queries does not confirm the end of a connection either. */
  onApplicationShutdown(): void {
    void this.pool.end();
  }
}

function queryOn(client: Pick<pg.ClientBase, 'query'>) {
  return async (text: string, values: unknown[]): Promise<object[]> => (await client.query<object>(text, values)).rows;
}
