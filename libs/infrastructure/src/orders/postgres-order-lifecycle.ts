import {
  OrderLifecycle,
  withCancelling,
  withoutCancelling,
  type CancelledOrder,
  type LockedOrder,
  type OrderKey,
  type StateChange,
} from '@app/application';
import { NotFound, type FulfillmentStatus, type OrderState, type PaymentStatus } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { toSafeInteger } from '../postgres/integers.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Transactions } from '../postgres/transactions.js';
import { restock } from '../stock/restock.js';
import { abandonHeldStage, releaseHeldStage } from './order-stages.js';

interface StateRow {
  readonly status: PaymentStatus;
  readonly fulfillment_status: FulfillmentStatus;
  /** bigint, which pg returns as text. */
  readonly total_amount: string;
  readonly currency: string;
}

@Injectable()
export class PostgresOrderLifecycle extends OrderLifecycle {
  constructor(private readonly transactions: Transactions) {
    super();
  }

  override change(order: OrderKey, change: StateChange): Promise<OrderState> {
    return this.transactions.run(async (sql) => {
      const state = await apply(sql, order, withoutCancelling(change));
      if (state.fulfillmentStatus === 'CONFIRMED') await releaseHeldStage(sql, order);
      return state;
    });
  }

  override cancel(order: OrderKey, change: StateChange): Promise<CancelledOrder> {
    return this.transactions.run(async (sql) => {
      // Every writer locks stock before the order. A cancellation that loses the race for the stock finds the order
      // cancelled, and its return is rolled back.
      const restocked = await restock(sql, order);
      const state = await apply(sql, order, withCancelling(change));
      await abandonHeldStage(sql, order);
      return { ...state, restocked };
    });
  }
}

async function apply(sql: TransactionSql, order: OrderKey, change: StateChange): Promise<OrderState> {
  const before = await lockOrder(sql, order);
  if (!before) throw new NotFound('Order');
  const { status, fulfillmentStatus, note } = change(before);
  if (note !== undefined) {
    await sql.query(
      `/* orders.add_note */ UPDATE orders SET notes = concat_ws(E'\\n', nullif(notes, ''), $3::text), updated_at = now()
       WHERE store_id = $1 AND id = $2 AND strpos(notes, $3::text) = 0`,
      [order.storeId, order.orderId, note],
    );
  }
  if (status === before.status && fulfillmentStatus === before.fulfillmentStatus) return { status, fulfillmentStatus };
  await sql.query(
    `/* orders.set_state */ UPDATE orders SET status = $3, fulfillment_status = $4, updated_at = now() WHERE store_id = $1 AND id = $2`,
    [order.storeId, order.orderId, status, fulfillmentStatus],
  );
  return { status, fulfillmentStatus };
}

/** Reads the order and holds it until the transaction ends. Null when the store has no such order. */
export async function lockOrder(sql: TransactionSql, { storeId, orderId }: OrderKey): Promise<LockedOrder | null> {
  const [row] = await sql.query<StateRow>(
    `/* orders.lock_state */ SELECT status, fulfillment_status, total_amount, currency FROM orders
     WHERE store_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    [storeId, orderId],
  );
  if (!row) return null;
  const { status, fulfillment_status: fulfillmentStatus, total_amount, currency } = row;
  return { status, fulfillmentStatus, totalAmount: toSafeInteger(total_amount), currency };
}
