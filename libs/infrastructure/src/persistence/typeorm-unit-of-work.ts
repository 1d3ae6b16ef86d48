import { CommitOutcomeUnknown, UnitOfWork, type Transaction } from '@app/application';
import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { PostgresOrderPipeline } from '../queue/postgres-order-pipeline.js';
import { PostgresStockRepository } from './inventory/postgres-stock.repository.js';
import { PostgresIdempotencyClaims } from './orders/postgres-idempotency-claims.js';
import { PostgresNewOrders } from './orders/postgres-new-orders.js';
import { PostgresOrderStates } from './orders/postgres-order-states.js';
import { isConnectionLost, isRetryable } from './postgres-errors.js';

const ATTEMPTS = 4;
const BUDGET_MS = 4_000;
const FIRST_DELAY_MS = 50;

// One round trip. Every wait is bounded: a lock is given up before the client loses patience, and a transaction whose
// process died is ended by the server.
const BEGIN = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = '8s';
  SET LOCAL lock_timeout = '2s';
  SET LOCAL idle_in_transaction_session_timeout = '10s'`;

@Injectable()
export class TypeOrmUnitOfWork extends UnitOfWork {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const deadline = Date.now() + BUDGET_MS;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(work);
      } catch (error) {
        if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
        // Full jitter: those who collided do not meet again.
        const delay = Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1);
        if (Date.now() + delay >= deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  private async runOnce<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.query(BEGIN);
      const result = await work(transactionOn(runner));
      await commit(runner);
      return result;
    } catch (error) {
      // A connection that is gone has rolled back by itself; the first error is the one to tell.
      if (!(error instanceof CommitOutcomeUnknown)) await runner.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

async function commit(runner: QueryRunner): Promise<void> {
  try {
    await runner.query('COMMIT');
  } catch (error) {
    throw isConnectionLost(error) ? new CommitOutcomeUnknown(error) : error;
  }
}

function transactionOn({ manager }: QueryRunner): Transaction {
  return {
    idempotency: new PostgresIdempotencyClaims(manager),
    orders: new PostgresNewOrders(manager),
    orderStates: new PostgresOrderStates(manager),
    stock: new PostgresStockRepository(manager),
    pipeline: new PostgresOrderPipeline(manager),
  };
}
