import { QUERY_TIMEOUT_MS, Semaphore, TURN_MS } from '@app/application';
import type pg from 'pg';
import { DatabaseMetrics } from './database-metrics.js';
import { translated } from './postgres-errors.js';
import { ReadBatches, type IsWanted } from './read-batches.js';
import { prepared } from './prepared.js';
import { commitConfirmed, SHOW_WARNINGS, WAIT_FOR_STANDBYS } from './standby-wait.js';
import { watched } from './watch-statements.js';

/** The share of the pool that searches may take. */
const SEARCHES = 0.4;

// Connections of requests plan for all values. SET LOCAL, because behind a pooler the connection serves other clients
// afterwards.
const BEGIN_PLANNED = 'BEGIN; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on';

/**
 * Runs single statements on the pool: reads, and writes as transactions of their own. Frequent prepared reads share
 * connections; every other statement has one to itself. Errors of PostgreSQL are thrown as application errors:
 * `Unavailable`, `DeadlineExceeded`, `UnusableValue`.
 */
export class Database {
  private readonly batches: ReadBatches;

  /** The limit on searches, which all users of the pool share. */
  private readonly searches: Semaphore;

  constructor(
    private readonly pool: pg.Pool,
    private readonly metrics = new DatabaseMetrics(),
  ) {
    this.batches = new ReadBatches(pool);
    this.searches = new Semaphore(() => Math.max(1, Math.floor(pool.options.max * SEARCHES)), TURN_MS);
  }

  /**
   * Runs a statement whose plan depends on its values, such as a search, as a transaction of its own. The server plans it on
   * each run.
   *
   * @param timeoutMs how long to wait for the answer, if shorter than the pool's own limit.
   */
  query<Row>(text: string, values: readonly unknown[] = [], timeoutMs?: number): Promise<Row[]> {
    const query = { text, values: [...values], ...(timeoutMs && { query_timeout: timeoutMs }) };
    return translated(watched(this.metrics, 'planned', text, () => this.planned<Row>(query)));
  }

  /** Runs a statement with one plan for all values, on a connection that no other statement shares until it ends. */
  queryAlone<Row>(text: string, values: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    const query = { ...prepared(text, values), ...(timeoutMs && { query_timeout: timeoutMs }) };
    const send = () => this.pool.query(query);
    return translated(watched(this.metrics, 'prepared', text, send)).then(({ rows }) => rows as Row[]);
  }

  /**
   * Runs a search, whose cost grows with the rows it reads, and whose plan depends on its values. Only a few run at a
   * time, so that other reads find a free connection.
   *
   * @param values begins with the id of the store: the searches of one store leave turns to other stores.
   * @throws Overloaded when too many searches wait, or when its turn does not come in time.
   */
  search<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.searches.run(values[0], () => this.query<Row>(text, values, QUERY_TIMEOUT_MS));
  }

  /**
   * The same for a search with one plan for all values, and for a page whose cost grows with the rows before it.
   *
   * @param values begins with the id of the store.
   * @throws Overloaded when too many searches wait, or when its turn does not come in time.
   */
  searchPrepared<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.searches.run(values[0], () => this.queryAlone<Row>(text, values, QUERY_TIMEOUT_MS));
  }

  /** Runs one of the few frequent statements. Each connection parses and plans it once. */
  queryPrepared<Row>(text: string, values: readonly unknown[], timeoutMs?: number): Promise<Row[]> {
    return this.batched({ ...prepared(text, values), ...(timeoutMs && { query_timeout: timeoutMs }) });
  }

  /**
   * The same for a read that its request can do without. It follows the other reads of its connection, so that they do
   * not wait when it has to wait for a lock.
   *
   * @param isWanted is asked when a connection is free.
   * @throws DeadlineExceeded, and sends nothing, when the read is no longer wanted then.
   */
  queryOptional<Row>(text: string, values: readonly unknown[], isWanted: IsWanted): Promise<Row[]> {
    return this.batched(prepared(text, values), isWanted);
  }

  /**
   * Runs a statement that writes, as a transaction of its own.
   *
   * @throws CommitOutcomeUnknown when the connection was lost before the answer, or the server cancelled the wait for its
   *   standbys.
   */
  write<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return translated(watched(this.metrics, 'prepared', text, () => this.commit(prepared(text, values))));
  }

  /**
   * Waits, like a commit, until the standbys have received everything that is committed so far.
   *
   * @throws CommitOutcomeUnknown like `write`.
   */
  async waitForStandbys(): Promise<void> {
    await this.write(WAIT_FOR_STANDBYS, []);
  }

  private batched<Row>(query: pg.QueryConfig, isWanted: IsWanted | null = null): Promise<Row[]> {
    const send = () => this.batches.query(query, isWanted).then(({ rows }) => rows as Row[]);
    return translated(watched(this.metrics, 'prepared', query.text, send));
  }

  private async commit<Row>(query: pg.QueryConfig): Promise<Row[]> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    const write = async () => {
      // The settings of the role may hide the warning of a cancelled wait.
      await client.query(`BEGIN; ${SHOW_WARNINGS}`);
      const { rows } = await client.query<Row & object>(query);
      await client.query('COMMIT');
      return rows;
    };
    try {
      return await commitConfirmed(client, write, this.metrics);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }

  /** Sends the transaction in one packet. */
  private async planned<Row>(query: pg.QueryConfig): Promise<Row[]> {
    const client = await this.pool.connect();
    let failure: Error | undefined;
    try {
      const answers = [client.query(BEGIN_PLANNED), client.query(query), client.query('COMMIT')] as const;
      const [, { rows }] = await Promise.all(answers);
      return rows as Row[];
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }
}
