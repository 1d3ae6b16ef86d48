import { OrderStates } from '@app/application';
import type { FulfillmentStatus, OrderState, PaymentStatus } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';

interface StateRow {
  readonly status: PaymentStatus;
  readonly fulfillment_status: FulfillmentStatus;
}

/** Lives for one transaction: it is built by the unit of work, not by Nest. */
export class PostgresOrderStates extends OrderStates {
  constructor(private readonly sql: TransactionSql) {
    super();
  }

  override async lock(storeId: number, orderId: string): Promise<OrderState | null> {
    const [row] = await this.sql.query<StateRow>(
      `/* orders.lock_state */ SELECT status, fulfillment_status FROM orders WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE`,
      [storeId, orderId],
    );
    return row ? { status: row.status, fulfillmentStatus: row.fulfillment_status } : null;
  }

  override async save(storeId: number, orderId: string, state: OrderState): Promise<void> {
    await this.sql.query(
      `/* orders.set_state */ UPDATE orders SET status = $3, fulfillment_status = $4, updated_at = now() WHERE store_id = $1 AND id = $2`,
      [storeId, orderId, state.status, state.fulfillmentStatus],
    );
  }
}
