import type { IdempotencyClaims } from './idempotency-records.js';
import type { OrderPipeline } from './order-pipeline.js';
import type { NewOrders, OrderStates } from './order.repository.js';
import type { StockRepository } from './stock.repository.js';
import type { Deadline } from '../deadline.js';
import { ApplicationError } from '../errors/application-error.js';

/** The ports that share one database transaction. */
export interface Transaction {
  readonly idempotency: IdempotencyClaims;
  readonly orders: NewOrders;
  readonly orderStates: OrderStates;
  readonly stock: StockRepository;
  readonly pipeline: OrderPipeline;
}

export abstract class UnitOfWork {
  /**
   * Commits when `work` resolves; rolls everything back and rethrows when it rejects. `work` runs again, from the
   * start, after a deadlock, a lock timeout or a connection lost before the commit was sent: it must not do anything
   * that cannot be repeated.
   *
   * @param deadline until which it may wait for a connection and for locks; 2.4 s unless told.
   * @throws CommitOutcomeUnknown when the connection was lost while committing.
   */
  abstract run<T>(work: (transaction: Transaction) => Promise<T>, deadline?: Deadline): Promise<T>;
}

/** The connection was lost during COMMIT. Only a look-up can tell whether the transaction took effect. */
export class CommitOutcomeUnknown extends ApplicationError {
  readonly kind = 'unavailable';
  readonly code = 'outcome_unknown';

  constructor(cause: unknown) {
    super('The outcome of the commit is unknown', { cause });
  }
}
