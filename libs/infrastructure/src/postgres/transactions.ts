import { FREE_OF_TRANSACTIONS, Semaphore, SLOT_WAIT_MS, type Deadline } from '@app/application';
import type pg from 'pg';
import type { DatabaseMetrics } from './database-metrics.js';
import { isRetryable, retryReason, toApplicationError } from './postgres-errors.js';
import { TransactionSql } from './transaction-sql.js';

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 50;

/**
 * Runs transactions on the primary, with retries, and limits how many run concurrently. Otherwise, transactions that
 * wait for a lock, such as that of a popular product, would hold all connections.
 */
export class Transactions {
  private readonly slots: Semaphore;

  constructor(
    private readonly pool: pg.Pool,
    private readonly metrics: DatabaseMetrics,
  ) {
    const free = Math.ceil(pool.options.max * FREE_OF_TRANSACTIONS);
    const most = Math.max(1, pool.options.max - free);
    // The API limits the requests that wait.
    this.slots = new Semaphore(() => most, SLOT_WAIT_MS, Math.max(1, most - free), Infinity);
    metrics.observeSlots(() => this.slots.waiting);
  }

  /** Runs a transaction as `Database.transaction` does. */
  async run<T>(storeId: number | null, work: (sql: TransactionSql) => Promise<T>, deadline: Deadline): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.slots.run(storeId, () => this.runOnce(storeId, work, deadline), deadline);
      } catch (error) {
        if (!isRetryable(error) || attempt === ATTEMPTS) throw toApplicationError(error);
        // The delay has full jitter, so that transactions that collided do not collide again.
        const delay = Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1);
        if (delay >= deadline.remainingMs) throw toApplicationError(error);
        this.metrics.countRetry(retryReason(error));
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  private async runOnce<T>(
    storeId: number | null,
    work: (sql: TransactionSql) => Promise<T>,
    deadline: Deadline,
  ): Promise<T> {
    const client = await this.connect(deadline);
    const sql = new TransactionSql(client, storeId, deadline, this.metrics);
    // Until the server reports the end of the transaction, the connection may still be inside it and must not be
    // reused: the next transaction would be committed or rolled back together with this one.
    let over = false;
    try {
      const result = await work(sql);
      await sql.commit();
      over = true;
      return result;
    } catch (error) {
      over = await sql.rollBack(error);
      throw error;
    } finally {
      client.release(!over);
    }
  }

  /** A connection that arrives after the deadline returns to the pool unused. */
  private async connect(deadline: Deadline): Promise<pg.PoolClient> {
    const connecting = this.pool.connect();
    try {
      return await deadline.bound(connecting);
    } catch (error) {
      connecting.then((client) => client.release()).catch(() => undefined);
      throw error;
    }
  }
}
