import type { OrderState } from '@app/domain';
import type { OrderKey } from './order.repository.js';

/** An existing order while its state changes. */
export interface LockedOrder extends OrderState {
  /** The amount owed, in minor units of `currency`. Imported orders may have a negative one. */
  readonly totalAmount: number;
  readonly currency: string;
}

/** The state of an order after a change. */
export interface ChangedOrder extends OrderState {
  /** A line for the notes of the order, which get it once. */
  readonly note?: string;
}

/**
 * Computes the state of an order after a change; throws to refuse it. May run more than once, so it must have no side
 * effects.
 */
export type StateChange = (order: LockedOrder) => ChangedOrder;

/**
 * The change, which must not cancel the fulfillment: only `cancel` returns the stock.
 *
 * @throws Error from the change that cancels; a defect of its author.
 */
export function withoutCancelling(change: StateChange): StateChange {
  return (before) => {
    const after = change(before);
    if (cancels(before, after)) throw new Error('Only OrderLifecycle.cancel may cancel an order: it returns the stock');
    return after;
  };
}

/**
 * The change, which must cancel the fulfillment: the stock of any other order is still sold.
 *
 * @throws Error from the change that does not cancel; a defect of its author.
 */
export function withCancelling(change: StateChange): StateChange {
  return (before) => {
    const after = change(before);
    if (!cancels(before, after)) throw new Error('OrderLifecycle.cancel returns the stock: it must cancel the order');
    return after;
  };
}

function cancels(before: OrderState, after: OrderState): boolean {
  return after.fulfillmentStatus === 'CANCELLED' && before.fulfillmentStatus !== 'CANCELLED';
}

/** An order after a cancellation. */
export interface CancelledOrder extends OrderState {
  /** Units that went back to their bins. */
  readonly restocked: number;
}

/** Moves existing orders through their life cycle, one transaction per change. */
export abstract class OrderLifecycle {
  /**
   * Locks the order, applies the change and saves its result. A result that equals the order's state, without a note or
   * with one that the order has, writes nothing to the order. A result of CONFIRMED queues a held confirmation.
   *
   * @throws NotFound when the store has no such order.
   * @throws Error when the change cancels the fulfillment, which is for `cancel`; nothing is written.
   * @throws the error that `change` throws; nothing is written.
   */
  abstract change(order: OrderKey, change: StateChange): Promise<OrderState>;

  /**
   * Like `change`, for a change that cancels the fulfillment. Returns the stock of the order to the bins it came from,
   * exactly once, and abandons a held confirmation: it is never sent.
   *
   * @throws NotFound when the store has no such order.
   * @throws Error when the change does not cancel the fulfillment, or it is already cancelled; nothing is written.
   * @throws the error that `change` throws; nothing is written.
   */
  abstract cancel(order: OrderKey, change: StateChange): Promise<CancelledOrder>;
}
