import { assertPaidInFull, changeState, type Currency, type OrderState } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { OrderLifecycle } from '../ports/order-lifecycle.js';
import type { OrderKey } from '../ports/order.repository.js';

/** A payment as the gateway reports it. */
export interface ReportedPayment {
  readonly order: OrderKey;
  /** In minor units of `currency`. */
  readonly amount: number;
  readonly currency: Currency;
}

/** Records a gateway's payment of an order. */
@Injectable()
export class VerifyPayment {
  constructor(private readonly lifecycle: OrderLifecycle) {}

  /**
   * Compares the paid amount with the order's total, and sets the payment status to SUCCEEDED when they are equal.
   * Gateways repeat their callbacks: an order that is already SUCCEEDED does not change. The payment of an order that was
   * cancelled unpaid is recorded in the notes of the order, because CANCELLED is the end of a payment status.
   *
   * @returns both statuses. The payment of an order with a CANCELLED status must be refunded.
   * @throws NotFound when the store has no such order.
   * @throws PaidAmountMismatch when amount or currency differ; names both amounts, and changes nothing.
   * @throws IllegalTransition when the payment is FAILED or REFUNDED; changes nothing.
   */
  execute({ order, amount, currency }: ReportedPayment): Promise<OrderState> {
    return this.lifecycle.change(order, ({ totalAmount, currency: owedIn, ...state }) => {
      assertPaidInFull({ minor: amount, currency }, { minor: totalAmount, currency: owedIn });
      if (state.status === 'CANCELLED') {
        return {
          ...state,
          note: `Paid after the cancellation: ${amount} ${currency} (in minor units), to be refunded.`,
        };
      }
      return state.status === 'SUCCEEDED' ? state : changeState(state, { status: 'SUCCEEDED' });
    });
  }
}
