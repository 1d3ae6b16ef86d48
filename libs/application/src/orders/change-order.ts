import {
  cancelOrder,
  changeShipment,
  moveStatus,
  recordPayment,
  recordRefund,
  releaseOrder,
  setStatuses,
  shipOrder,
  type Actor,
  type Cancellation,
  type OrderChange,
  type OrderState,
  type PaymentRequest,
  type PlacedOrder,
  type RefundRequest,
  type ShipmentPatch,
  type ShipmentRequest,
  type Transition,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import type { Deadline } from '../deadline.js';
import { requestHashOf } from '../request-hash.js';
import type { IdempotencyScope } from '../ports/idempotency.js';
import { OrderLifecycle, type ChangedOrder, type OrderTarget } from '../ports/order-lifecycle.js';

export interface ChangeContext {
  readonly order: OrderTarget;
  readonly actor: Actor;
  readonly idempotency: IdempotencyScope | null;
  readonly deadline?: Deadline;
}

type WithoutHash<T> = Omit<T, 'requestHash'>;

/**
 * Changes an order after it is placed. Each method is one transaction. All of them throw:
 *
 * @throws NotFound when the store has no such order.
 * @throws IdempotencyMismatch when the key was used with another request.
 * @throws IdempotencyInFlight when the first request with the key is still running.
 */
@Injectable()
export class ChangeOrder {
  constructor(private readonly lifecycle: OrderLifecycle) {}

  /**
   * Adds a shipment; the same request again changes nothing.
   *
   * @throws AlreadyShipped, and records it.
   * @throws ShipmentReferenceTaken, BeingPicked, OrderHeld, OrderCancelled
   */
  ship(context: ChangeContext, request: WithoutHash<ShipmentRequest>): Promise<ChangedOrder> {
    const requestHash = requestHashOf(request).toString('base64');
    return this.run(context, ['ship', request], (order) => shipOrder(order, { ...request, requestHash }));
  }

  /**
   * Changes the tracking or the status of a shipment.
   *
   * @throws NotFound, IllegalTransition
   */
  changeShipment(context: ChangeContext, reference: string, patch: ShipmentPatch): Promise<ChangedOrder> {
    return this.run(context, ['changeShipment', reference, patch], (order) => changeShipment(order, reference, patch));
  }

  /**
   * Cancels an order before it ships. A cancelled order stays as it is.
   *
   * @throws CancelledTooLate, BeingPicked, IllegalTransition
   */
  cancel(context: ChangeContext, cancellation: Cancellation): Promise<ChangedOrder> {
    return this.run(context, ['cancel', cancellation], (order) => cancelOrder(order, cancellation));
  }

  /**
   * Moves a status from the one that the client expects.
   *
   * @throws StaleStatus, IllegalTransition, ReturnExceedsShipment
   */
  move(context: ChangeContext, transition: Transition): Promise<ChangedOrder> {
    return this.run(context, ['move', transition], (order) => moveStatus(order, transition));
  }

  /**
   * Sets the payment status, the fulfillment status, or both. Confirming an order under review releases the customer's
   * confirmation; cancelling the fulfillment returns the stock.
   *
   * @throws IllegalTransition, CancelledTooLate, BeingPicked
   */
  setStatus(context: ChangeContext, change: Partial<OrderState>): Promise<ChangedOrder> {
    return this.run(context, ['setStatus', change], (order) => setStatuses(order, change));
  }

  /**
   * Ends the review of an order: sends the customer's confirmation, as for an accepted order.
   *
   * @throws NotHeld, OrderCancelled
   */
  release(context: ChangeContext): Promise<ChangedOrder> {
    return this.run(context, ['release'], releaseOrder);
  }

  /**
   * Records a payment of the whole total; the same request again changes nothing. The payment of an order that is
   * cancelled, paid or refunded is recorded as well, and must be refunded.
   *
   * @throws PaidAmountMismatch, and records it.
   * @throws PaymentReferenceTaken
   */
  pay(context: ChangeContext, request: WithoutHash<PaymentRequest>): Promise<ChangedOrder> {
    const requestHash = requestHashOf(request).toString('base64');
    return this.run(context, ['pay', request], (order) => recordPayment(order, { ...request, requestHash }));
  }

  /**
   * Records a refund; the same request again changes nothing. Calls no gateway.
   *
   * @throws RefundExceedsPayment, RefundReferenceTaken, ReturnExceedsShipment
   */
  refund(context: ChangeContext, request: WithoutHash<RefundRequest>): Promise<ChangedOrder> {
    const requestHash = requestHashOf(request).toString('base64');
    return this.run(context, ['refund', request], (order) => recordRefund(order, { ...request, requestHash }));
  }

  private run(
    { order, idempotency: scope, ...context }: ChangeContext,
    request: readonly unknown[],
    decide: (order: PlacedOrder) => OrderChange,
  ): Promise<ChangedOrder> {
    const requestHash = requestHashOf([order.reference.toLowerCase(), ...request]);
    return this.lifecycle.change({
      ...context,
      order,
      decide,
      idempotency: scope && { scope, requestHash },
    });
  }
}
