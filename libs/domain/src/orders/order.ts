import { Money } from '../money/money.js';
import type { Currency } from '../money/currency.js';
import { InvalidOrderItems } from './order.errors.js';
import type { OrderLine } from './order-line.js';
import type { FulfillmentStatus, OrderSource, PaymentStatus } from './order-status.js';

export const MAX_LINES = 100;

/** How an order placed through the API is paid. Cards and gateways go through the hosted checkout. */
export const PAYMENT_METHODS = ['COD', 'OFFLINE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** The customer as stated on the order. `''` for an absent value. */
export interface OrderCustomer {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
}

/** A delivery or billing address. `''` for an absent value. */
export interface PostalAddress {
  readonly address: string;
  readonly city: string;
  readonly zip: string;
}

export interface OrderDraft {
  readonly id: string;
  readonly storeId: number;
  readonly receiptNumber: string;
  readonly currency: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly customer: OrderCustomer;
  readonly address: PostalAddress;
  readonly notes: string;
  /** The order's number in the client's own system, unique in store and mode; `''` when there is none. */
  readonly externalReference: string;
  readonly isTest: boolean;
  readonly lines: readonly OrderLine[];
  readonly placedAt: Date;
}

/** A new website order. Its totals are always derived from its lines, never supplied. */
export class Order {
  readonly source: OrderSource = 'WEBSITE';
  readonly status: PaymentStatus = 'PENDING';
  readonly fulfillmentStatus: FulfillmentStatus = 'PENDING';

  private constructor(private readonly draft: OrderDraft) {}

  /** @throws InvalidOrderItems unless there are 1 to 100 lines. */
  static place(draft: OrderDraft): Order {
    if (draft.lines.length < 1 || draft.lines.length > MAX_LINES) {
      throw new InvalidOrderItems(`items must have 1 to ${MAX_LINES} entries`);
    }
    return new Order(draft);
  }

  get id(): string {
    return this.draft.id;
  }
  get storeId(): number {
    return this.draft.storeId;
  }
  get receiptNumber(): string {
    return this.draft.receiptNumber;
  }
  get currency(): Currency {
    return this.draft.currency;
  }
  get paymentMethod(): PaymentMethod {
    return this.draft.paymentMethod;
  }
  get customer(): OrderCustomer {
    return this.draft.customer;
  }
  /** Shipping and billing address alike. */
  get address(): PostalAddress {
    return this.draft.address;
  }
  get notes(): string {
    return this.draft.notes;
  }
  get externalReference(): string {
    return this.draft.externalReference;
  }
  get isTest(): boolean {
    return this.draft.isTest;
  }
  get lines(): readonly OrderLine[] {
    return this.draft.lines;
  }
  get placedAt(): Date {
    return this.draft.placedAt;
  }

  get subtotal(): Money {
    return this.lines.reduce((sum, line) => sum.plus(line.total), Money.zero(this.currency));
  }

  /** Equal to the subtotal: an order placed through the API has no tax, shipping or discount. */
  get total(): Money {
    return this.subtotal;
  }
}
