import { Injectable } from '@nestjs/common';
import { canonicalHash, ChangeOrder, OrdersService, type ChangeContext } from 'store-commerce/application';
import { DomainError, extensionActor, PaidAmountMismatch } from 'store-commerce/domain';
import { PaymentDisputed, PaymentRefunded, type PaymentSucceeded } from './payment-event.js';

/** The refund arrived before its payment. The 409 makes the provider send it again. */
export class PaymentUnknown extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'payment_unknown';

  constructor() {
    super('The order does not have the payment yet');
  }
}

@Injectable()
export class RecordPaymentEvent {
  constructor(
    private readonly changes: ChangeOrder,
    private readonly orders: OrdersService,
  ) {}

  /**
   * Records an event; a repeated one changes nothing. An event that the order refuses, such as another amount, would be
   * refused for ever: the history of the order shows it to a person.
   * @throws NotFound for an order that the store does not have. @throws PaymentUnknown
   */
  async execute(storeId: number, event: PaymentSucceeded): Promise<void> {
    const context = contextOf(storeId, event);
    try {
      await this.record(context, event);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'rejected') throw error;
      // The service itself adds `payment_refused` to the history.
      if (error instanceof PaidAmountMismatch) return;
      await this.changes.note(context, { text: `Event ${event.id} of payment ${event.payment}: ${error.message}` });
    }
  }

  private async record(context: ChangeContext, event: PaymentSucceeded): Promise<unknown> {
    const { payment, amount } = event;
    if (event instanceof PaymentDisputed) return this.changes.hold(context, `Payment ${payment} is disputed`);
    // The reference makes these unique for ever, an idempotency key only for some days.
    const once = { ...context, idempotency: null };
    if (event instanceof PaymentRefunded) {
      const { storeId, reference } = context.order;
      const { payments } = await this.orders.retrieve(storeId, reference);
      if (!payments.some((known) => known.reference === payment)) throw new PaymentUnknown();
      const requestHash = canonicalHash([payment, event.refund, amount]).toString('base64');
      return this.changes.refund(once, { ...REFUND, reference: event.refund, amount, requestHash });
    }
    const currency = event.currency.toUpperCase();
    const requestHash = canonicalHash([payment, amount, currency]).toString('base64');
    return this.changes.pay(once, { ...PAYMENT, reference: payment, amount, currency, requestHash });
  }
}

/** Finds live orders only. */
function contextOf(storeId: number, { id, order, ...others }: PaymentSucceeded): ChangeContext {
  return {
    order: { storeId, reference: order, isTest: false },
    actor: extensionActor('payments'),
    idempotency: {
      scope: { storeId, mode: 'live', key: `payments ${id}` },
      requestHash: canonicalHash([order, others]),
    },
  };
}

const PAYMENT = {
  ...{ partial: false, settles: false, excess: false, at: null },
  ...{ method: 'card', fee: 0, payout: '', metadata: {} },
};
const REFUND = {
  ...{ reason: null, credited: null, notify: true, at: null },
  ...{ lines: null, restock: null, restockTo: null },
};
