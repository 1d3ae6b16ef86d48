import {
  CommitOutcomeUnknown,
  Deadline,
  LOCK_TIMEOUT_MS,
  TRANSACTION_MS,
  UnitOfWork,
  type Transaction,
} from '@app/application';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { PostgresOrderPipeline } from './postgres-order-pipeline.js';
import { PostgresStockRepository } from '../stock/postgres-stock.repository.js';
import { PostgresIdempotencyClaims } from './postgres-idempotency-claims.js';
import { PostgresNewOrders } from './postgres-new-orders.js';
import { PostgresOrderStates } from './postgres-order-states.js';
import { poolOf } from '../postgres/data-source.js';
import { isConnectionLost, isRetryable } from '../postgres/postgres-errors.js';
import { errorCode } from '../platform/error-code.js';
import { TransactionSql } from '../postgres/transaction-sql.js';

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 50;

// One round trip. The plans do not depend on what is ordered: to make them anew took longer than to run them. Every wait
// is bounded: a lock is given up before the client loses patience, and a transaction whose
// process died is ended by the server.
function begin({ remainingMs }: Deadline): string {
  // 0 would be for ever.
  const lockTimeout = Math.max(1, Math.min(LOCK_TIMEOUT_MS, Math.floor(remainingMs)));
  return `
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL plan_cache_mode = force_generic_plan;
    SET LOCAL statement_timeout = '8s';
    SET LOCAL lock_timeout = ${lockTimeout};
    SET LOCAL idle_in_transaction_session_timeout = '10s'`;
}

@Injectable()
export class PostgresUnitOfWork extends UnitOfWork {
  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: ServiceMetrics,
  ) {
    super();
  }

  override async run<T>(
    work: (transaction: Transaction) => Promise<T>,
    deadline = Deadline.in(TRANSACTION_MS),
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(work, deadline);
      } catch (error) {
        if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
        // Full jitter: those who collided do not meet again.
        const delay = Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1);
        if (delay >= deadline.remainingMs) throw error;
        this.metrics.countRetry(errorCode(error));
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  private async runOnce<T>(work: (transaction: Transaction) => Promise<T>, deadline: Deadline): Promise<T> {
    const client = await this.connect(deadline);
    const sql = new TransactionSql(client, deadline, this.metrics);
    // Until the server says that the transaction is over, the connection may still be inside it, and must not be used
    // again: the next order would be committed or rolled back together with this one.
    let over = false;
    let begun = false;
    try {
      await sql.execute(begin(deadline));
      begun = true;
      const result = await work(transactionOn(sql));
      await commit(sql);
      over = true;
      return result;
    } catch (error) {
      over = begun && (await rollBack(sql, error));
      throw error;
    } finally {
      client.release(!over);
    }
  }

  /** A connection that comes too late goes back unused. */
  private async connect(deadline: Deadline): Promise<pg.PoolClient> {
    const connecting = poolOf(this.dataSource).connect();
    try {
      return await deadline.bound(connecting);
    } catch (error) {
      connecting.then((client) => client.release()).catch(() => undefined);
      throw error;
    }
  }
}

async function commit(sql: TransactionSql): Promise<void> {
  try {
    await sql.commit();
  } catch (error) {
    throw isConnectionLost(error) ? new CommitOutcomeUnknown(error) : error;
  }
}

/** Returns whether the transaction is over. A connection that is lost is not asked: its end rolls back. */
async function rollBack(sql: TransactionSql, reason: unknown): Promise<boolean> {
  if (reason instanceof CommitOutcomeUnknown || isConnectionLost(reason)) return false;
  return sql.execute('ROLLBACK').then(
    () => true,
    () => false,
  );
}

function transactionOn(sql: TransactionSql): Transaction {
  return {
    idempotency: new PostgresIdempotencyClaims(sql),
    orders: new PostgresNewOrders(sql),
    orderStates: new PostgresOrderStates(sql),
    stock: new PostgresStockRepository(sql),
    pipeline: new PostgresOrderPipeline(sql),
  };
}
