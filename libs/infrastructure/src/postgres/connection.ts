import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { NO_TIME_LIMITS } from './data-source.js';
import { READ_INTEGERS } from './integers.js';
import { translated } from './postgres-errors.js';
import { SESSION_SETTINGS } from './session-settings.js';
import type { Sql } from './sql.js';
import { commitConfirmed, SHOW_WARNINGS, WAIT_FOR_STANDBYS } from './standby-wait.js';

const CONNECTION_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const BEGIN_CONFIRMED = `${BEGIN}; ${SHOW_WARNINGS}`;
const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const ASSERT_WRITABLE = '/* stores.assert_writable */ SELECT assert_writable($1)';

/**
 * A single connection without the time limits of requests, for commands and other long work. It throws the errors of
 * PostgreSQL unchanged.
 */
export class Connection implements Sql {
  private client: pg.Client;

  /**
   * @param url a direct connection, not one through a pooler.
   * @param name the name of the connection in the server's list of sessions.
   */
  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {
    this.client = this.create();
  }

  async open(): Promise<this> {
    await this.client.connect();
    await this.client.query(SESSION_SETTINGS + NO_TIME_LIMITS);
    return this;
  }

  /** Replaces a connection that may be lost. */
  async reopen(): Promise<void> {
    await this.close();
    this.client = this.create();
    await this.open();
  }

  /** Runs a statement. Outside of a transaction, each statement is a transaction of its own. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row & object>(text, [...values])).rows;
  }

  /**
   * Runs one transaction, which commits when `work` resolves and rolls back when it rejects.
   * @param storeId the store whose rows it writes; null for rows of no store, or of stores that `work` checks itself.
   * @throws StoreMoved, as an error of PostgreSQL, when the store is moving, or has moved, to another cluster.
   * @throws CommitOutcomeUnknown when the connection was lost during COMMIT, or the server cancelled the wait for its
   * standbys.
   */
  async transaction<T>(storeId: number | null, work: (sql: Sql) => Promise<T>): Promise<T> {
    await this.query(BEGIN_CONFIRMED);
    try {
      if (storeId !== null) await this.query(ASSERT_WRITABLE, [storeId]);
      const result = await work(this);
      // A repeated command may have nothing to write, because an earlier one committed without its standbys.
      await this.query(WAIT_FOR_STANDBYS);
      await commitConfirmed(this.client, () => this.query('COMMIT'), null);
      return result;
    } catch (error) {
      await this.rollBack();
      throw error;
    }
  }

  /** Runs work that only reads, on a single snapshot of the database. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.rolledBack(BEGIN_SNAPSHOT, work);
  }

  /** Runs a transaction, and always rolls it back. */
  dryRun<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.rolledBack(BEGIN, work);
  }

  async close(): Promise<void> {
    // An unresponsive server does not confirm the end of the connection.
    await Promise.race([this.client.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private async rolledBack<T>(begin: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    await this.query(begin);
    try {
      return await work(this);
    } finally {
      await this.rollBack();
    }
  }

  /** A failure is ignored, because the end of a lost connection also rolls back. */
  private async rollBack(): Promise<void> {
    await this.query('ROLLBACK').catch(() => undefined);
  }

  private create(): pg.Client {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: this.name,
      connectionTimeoutMillis: CONNECTION_MS,
      types: READ_INTEGERS,
    });
    // The failing query reports a broken connection; an unhandled event would end the process.
    client.on('error', () => undefined);
    return client;
  }
}

export async function withConnection<T>(
  url: string,
  name: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = new Connection(url, name);
  try {
    return await work(await connection.open());
  } finally {
    await connection.close();
  }
}

/** Opens the connections of commands, and of requests that take as long. */
export class DirectDatabase {
  /** @param url a direct connection, not one through a pooler. */
  constructor(readonly url: string) {}

  /** Works like `withConnection`, but throws errors of PostgreSQL as application errors. */
  run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return translated(withConnection(this.url, 'store-commerce', work));
  }
}
