import {
  OrderLifecycle,
  withCancelling,
  withoutCancelling,
  type CancelledOrder,
  type OrderKey,
  type StateChange,
} from '@app/application';
import { NotFound, type OrderState } from '@app/domain';
import { findOrder, moveStages, type InMemoryTransactions, type State } from './in-memory-transactions.js';

export class InMemoryOrderLifecycle extends OrderLifecycle {
  constructor(private readonly transactions: InMemoryTransactions) {
    super();
  }

  override change(key: OrderKey, change: StateChange): Promise<OrderState> {
    return this.transactions.run((state) => {
      const after = apply(state, key, withoutCancelling(change));
      if (after.fulfillmentStatus === 'CONFIRMED') moveStages(state, key, 'held', 'pending');
      return after;
    });
  }

  override cancel(key: OrderKey, change: StateChange): Promise<CancelledOrder> {
    return this.transactions.run((state) => {
      const after = apply(state, key, withCancelling(change));
      moveStages(state, key, 'held', 'dead');
      return { ...after, restocked: restock(state, key.orderId) };
    });
  }
}

function apply(state: State, key: OrderKey, change: StateChange): OrderState {
  const placed = findOrder(state, key);
  if (!placed) throw new NotFound('Order');
  const { total, currency } = placed.order;
  const { status, fulfillmentStatus, note = '' } = change({ ...placed.state, totalAmount: total.minor, currency });
  const after = { status, fulfillmentStatus };
  const { notes = placed.order.notes } = placed;
  const noted = { notes: notes.includes(note) ? notes : [notes, note].filter(Boolean).join('\n') };
  state.orders = state.orders.map((other) => (other === placed ? { ...placed, ...noted, state: after } : other));
  return after;
}

function restock(state: State, orderId: string): number {
  const withdrawals = state.taken.get(orderId) ?? [];
  for (const { item, binId, quantity } of withdrawals) {
    const bin = state.bins.get(item)?.find((other) => other.binId === binId);
    if (bin) bin.quantity += quantity;
  }
  state.taken.delete(orderId);
  return withdrawals.reduce((sum, { quantity }) => sum + quantity, 0);
}
