import { cancelState, changeState, NotFound, type OrderState } from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { OrderLocation } from '../ports/order.repository.js';
import { UnitOfWork } from '../ports/unit-of-work.js';

type OrderId = Pick<OrderLocation, 'storeId' | 'orderId'>;

/** An order after it was moved. */
export interface ChangedOrder extends OrderState {
  /** Units that went back to their bins. */
  readonly restocked: number;
}

/** Moves an order through its life cycle. */
@Injectable()
export class ChangeOrderStatus {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Sets the payment status, the fulfillment status, or both. Confirming an order under review releases the customer's
   * confirmation; cancelling the fulfillment returns the stock.
   *
   * @throws NotFound when the store has no such order.
   * @throws IllegalTransition when the life cycle does not allow it; nothing is changed.
   */
  changeStatus(order: OrderId, change: Partial<OrderState>): Promise<ChangedOrder> {
    return this.move(order, (state) => changeState(state, change), change.fulfillmentStatus === 'CANCELLED');
  }

  /**
   * Calls an order off before it ships, and returns its stock to the bins it came from.
   *
   * @throws NotFound when the store has no such order.
   * @throws IllegalTransition when it has shipped or was cancelled before; nothing is changed.
   */
  cancel(order: OrderId): Promise<ChangedOrder> {
    return this.move(order, cancelState, true);
  }

  private move(
    { storeId, orderId }: OrderId,
    next: (state: OrderState) => OrderState,
    returnsStock: boolean,
  ): Promise<ChangedOrder> {
    return this.unitOfWork.run(async ({ orderStates, stock, pipeline }) => {
      // Stock before the order, as every writer locks. A cancellation that loses the race for the stock finds the
      // order cancelled when it gets there, and its return is rolled back.
      const restocked = returnsStock ? await stock.restock(storeId, orderId) : 0;
      const before = await orderStates.lock(storeId, orderId);
      if (!before) throw new NotFound('Order');

      const after = next(before);
      await orderStates.save(storeId, orderId, after);
      if (after.fulfillmentStatus === 'CONFIRMED') await pipeline.release(storeId, orderId);
      if (after.fulfillmentStatus === 'CANCELLED') await pipeline.abandonHeld(storeId, orderId);
      return { ...after, restocked };
    });
  }
}
