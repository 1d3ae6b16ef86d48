import { Deadline, SEARCHES, Semaphore, STATEMENTS_OF_STORE, TRANSACTION_MS, SLOT_WAIT_MS } from '@app/application';
import type pg from 'pg';
import { DatabaseMetrics, type StatementKind } from './database-metrics.js';
import { translated } from './postgres-errors.js';
import { ownerOf, ReadBatches, type IsWanted, type Owner } from './read-batches.js';
import { prepared } from './prepared.js';
import { commitConfirmed, SHOW_WARNINGS, WAIT_FOR_STANDBYS } from './standby-wait.js';
import type { TransactionSql } from './transaction-sql.js';
import { Transactions } from './transactions.js';
import { watched } from './watch-statements.js';

// The connections of requests otherwise use generic plans. SET LOCAL is required: behind a pooler, the connection later
// serves other clients.
const BEGIN_PLANNED = 'BEGIN; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on';

export interface PreparedOptions {
  /** How long to wait for the answer, when shorter than the pool's own limit. */
  readonly timeoutMs?: number;
  /**
   * Whether the statement takes long or waits for locks: no other statement then shares its connection until it ends.
   */
  readonly isAlone?: boolean;
  /**
   * Decides, when a connection is free, whether the request still wants this optional read. The read follows the other
   * reads of its connection, so that they do not wait when it has to wait for a lock.
   */
  readonly isWanted?: IsWanted;
}

/**
 * Runs statements under the limits of requests, and throws errors of PostgreSQL as application errors. Use
 * `queryPrepared` for the frequent single statements, `search` for those whose cost grows with the rows of a store,
 * `write` for those whose success the standbys must confirm, and `query` for all others.
 */
export class Database {
  private readonly batches: ReadBatches;

  /**
   * Limits each store, so that slow statements of one leave connections to the others. The API limits the requests that
   * wait.
   */
  private readonly slots: Semaphore;

  /** Limits searches; all users of the pool share this limit. */
  private readonly searches: Semaphore;

  private readonly transactions: Transactions;

  constructor(
    private readonly pool: pg.Pool,
    private readonly metrics = new DatabaseMetrics(),
  ) {
    const shareOf = (part: number) => Math.max(1, Math.floor(pool.options.max * part));
    this.slots = new Semaphore(() => pool.options.max, SLOT_WAIT_MS, shareOf(STATEMENTS_OF_STORE), Infinity);
    metrics.observeSlots(() => this.slots.waiting);
    this.batches = new ReadBatches((owner, work) => this.onClient(owner, work));
    this.searches = new Semaphore(() => shareOf(SEARCHES), SLOT_WAIT_MS);
    this.transactions = new Transactions(pool, metrics);
  }

  /**
   * Runs a statement as a transaction of its own. The server plans it on each run, for its values.
   *
   * @param values begins with the id of the store, or with no number.
   * @param owner the owner of its slot; required when the values begin with another number, such as a limit.
   */
  query<Row>(text: string, values: readonly unknown[] = [], owner: Owner = ownerOf(values)): Promise<Row[]> {
    const send = async (client: pg.PoolClient) => {
      const query = { text, values: [...values] };
      // All statements are sent without waiting for the answers in between.
      const answers = [client.query(BEGIN_PLANNED), client.query<Row & object>(query), client.query('COMMIT')] as const;
      return (await Promise.all(answers))[1].rows;
    };
    return this.measured('planned', text, () => this.onClient(owner, send));
  }

  /**
   * Runs one of the few frequent statements. Each connection parses and plans it once, for all values. Unless `isAlone`
   * is set, reads that are sent at the same time share a connection.
   * @throws DeadlineExceeded, and sends nothing, when the caller no longer waits for the result.
   */
  queryPrepared<Row>(text: string, values: readonly unknown[], options: PreparedOptions = {}): Promise<Row[]> {
    const { timeoutMs, isAlone, isWanted } = options;
    const query = { ...prepared(text, values), ...(timeoutMs && { query_timeout: timeoutMs }) };
    const send = () =>
      isAlone
        ? this.onClient(ownerOf(values), (client) => client.query(query))
        : this.batches.query(query, isWanted ?? null);
    return this.measured('prepared', text, async () => (await send()).rows as Row[]);
  }

  /**
   * Runs a search, whose cost grows with the rows that it reads, or a page whose cost grows with the rows before it.
   * Only a few run at a time, so that other reads find a free connection.
   * @param values must begin with the id of the store: the searches of one store leave slots to other stores.
   * @param onePlan whether a generic plan is good for all values, as in `queryPrepared`.
   * @throws Overloaded when too many searches wait, or when the wait for a slot times out.
   */
  search<Row>(text: string, values: readonly unknown[], { onePlan = false } = {}): Promise<Row[]> {
    return this.searches.run(values[0], () =>
      onePlan ? this.queryPrepared<Row>(text, values, { isAlone: true }) : this.query<Row>(text, values),
    );
  }

  /**
   * Runs a read of TypeORM, which takes its connections from the pool itself.
   * @param storeId the store whose slot it takes.
   * @param isSearch whether it also takes a slot of searches, and may throw what `search` throws.
   */
  orm<T>(storeId: number, read: () => Promise<T>, { isSearch = false } = {}): Promise<T> {
    const inSlot = () => this.slots.run(storeId, read);
    return translated(isSearch ? this.searches.run(storeId, inSlot) : inSlot());
  }

  /**
   * Runs a statement that writes, as a transaction of its own.
   *
   * @param values begins with the id of the store, or with no number.
   * @param owner as in `query`.
   * @throws CommitOutcomeUnknown when the connection was lost before the answer, or the server cancelled the wait for its
   *   standbys.
   */
  write<Row>(text: string, values: readonly unknown[], owner: Owner = ownerOf(values)): Promise<Row[]> {
    const send = (client: pg.PoolClient) => async () => {
      // The settings of the role may hide the warning about a cancelled wait.
      await client.query(`BEGIN; ${SHOW_WARNINGS}`);
      const { rows } = await client.query<Row & object>(prepared(text, values));
      await client.query('COMMIT');
      return rows;
    };
    return this.measured('prepared', text, () =>
      this.onClient(owner, (client) => commitConfirmed(client, send(client), this.metrics)),
    );
  }

  /**
   * Runs a transaction, which commits when `work` resolves and rolls back when it rejects. It runs `work` again, up to
   * 4 times in total, after a deadlock, a lock timeout or a connection lost before COMMIT was sent.
   * @param storeId the store whose rows it writes, and whose slot each attempt takes; null for rows of no store.
   * @param deadline limits the waits for a slot, for a connection and for locks, over all attempts; 2.4 s by default.
   * @throws StoreMoved when the store is moving, or has moved, to another cluster.
   * @throws Overloaded when the wait for a slot times out.
   * @throws CommitOutcomeUnknown when the connection was lost during COMMIT, or the server cancelled the wait for its
   * standbys.
   */
  transaction<T>(
    storeId: number | null,
    work: (sql: TransactionSql) => Promise<T>,
    deadline = Deadline.in(TRANSACTION_MS),
  ): Promise<T> {
    return this.transactions.run(storeId, work, deadline);
  }

  /** Waits, like `write`, until the standbys have received everything committed so far. */
  async waitForStandbys(): Promise<void> {
    await this.write(WAIT_FOR_STANDBYS, []);
  }

  private measured<T>(kind: StatementKind, text: string, run: () => Promise<T>): Promise<T> {
    return translated(watched(this.metrics, kind, text, run));
  }

  /** After a failure, the connection may be inside a transaction: the pool closes it. */
  private onClient<T>(owner: Owner, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.slots.run(owner, async () => {
      const client = await this.pool.connect();
      let failure: Error | undefined;
      try {
        return await work(client);
      } catch (error) {
        failure = error as Error;
        throw error;
      } finally {
        client.release(failure);
      }
    });
  }
}
