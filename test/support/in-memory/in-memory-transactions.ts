import type { IdempotencyScope, NotificationStage, OrderKey, OrderReceipt } from '@app/application';
import type { FraudAssessment, Order, OrderState, StockItem } from '@app/domain';

export interface PlacedOrder {
  readonly order: Order;
  readonly assessment: FraudAssessment;
  readonly state: OrderState;
  /** With what was added after the placement; absent when nothing was. */
  readonly notes?: string;
}

export interface QueuedStage {
  readonly orderId: string;
  readonly stage: NotificationStage;
  readonly state: 'pending' | 'held' | 'dead';
  /** Reasons of the hold. Empty for a stage that was never held. */
  readonly heldFor: readonly string[];
}

interface Withdrawal {
  readonly item: string;
  readonly binId: number;
  readonly quantity: number;
}

export interface State {
  /** Units of one product or variant by bin id. */
  bins: Map<string, { binId: number; quantity: number }[]>;
  orders: PlacedOrder[];
  queued: QueuedStage[];
  /** Units that orders took, by order. */
  taken: Map<string, Withdrawal[]>;
  keys: Map<string, { requestHash: Buffer; receipt: OrderReceipt }>;
}

/** Runs one transaction at a time, on a copy that replaces the state when the work resolves. */
export class InMemoryTransactions {
  state: State = { bins: new Map(), orders: [], queued: [], taken: new Map(), keys: new Map() };
  /** Idempotency keys of endless requests. */
  readonly heldKeys = new Set<string>();
  private previous: Promise<unknown> = Promise.resolve();

  run<T>(work: (state: State) => T): Promise<T> {
    const run = this.previous.then(() => {
      const copy = copyOf(this.state);
      const result = work(copy);
      this.state = copy;
      return result;
    });
    this.previous = run.catch(() => undefined);
    return run;
  }
}

export function itemKey({ productId, variantId }: StockItem): string {
  return `${productId}/${variantId ?? 0}`;
}

export function scopeKey({ storeId, mode, key }: IdempotencyScope): string {
  return `${storeId}/${mode}/${key}`;
}

export function findOrder({ orders }: State, { storeId, orderId }: OrderKey): PlacedOrder | undefined {
  return orders.find(({ order }) => order.storeId === storeId && order.id === orderId);
}

/** Moves stages of an order from one state to another. Returns their names. */
export function moveStages(
  state: State,
  { orderId }: OrderKey,
  from: QueuedStage['state'],
  to: QueuedStage['state'],
  isMeant: (stage: NotificationStage) => boolean = () => true,
): NotificationStage[] {
  const moved = state.queued.filter((job) => job.orderId === orderId && job.state === from && isMeant(job.stage));
  state.queued = state.queued.map((job) => (moved.includes(job) ? { ...job, state: to } : job));
  return moved.map(({ stage }) => stage);
}

function copyOf({ bins, orders, queued, taken, keys }: State): State {
  return {
    bins: new Map([...bins].map(([item, rows]) => [item, rows.map((row) => ({ ...row }))])),
    orders: [...orders],
    queued: [...queued],
    taken: new Map(taken),
    keys: new Map(keys),
  };
}
