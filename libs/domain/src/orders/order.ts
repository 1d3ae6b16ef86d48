import type { Currency } from '../money/currency.js';
import { InvalidOrderItems } from '../errors.js';
import type { OrderLine } from './order-line.js';
import { Quote, type PaymentMethod } from './quote.js';
import type { FulfillmentStatus, OrderSource, PaymentStatus } from './order-status.js';

export const MAX_LINES = 100;

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
  /** State, province or county. */
  readonly region: string;
  /** ISO 3166-1 alpha-2 or XK, in upper case. */
  readonly country: string;
}

/** What makes up the total of an order, in minor units. Negative in a credit note. */
export interface OrderAmounts {
  readonly amount: number;
  readonly tax: number;
  readonly shipping: number;
  /** Positive where it lowers the total. */
  readonly discount: number;
  readonly total: number;
}

/** What the other amounts do not explain of the total: history of other systems may leave it open. */
export function adjustmentOf({ amount, tax, shipping, discount, total }: OrderAmounts): number {
  return total - amount - tax - shipping + discount;
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
  /** The API key that places it. */
  readonly placedBy?: string;
}

/** A new website order. */
export class Order extends Quote {
  readonly source: OrderSource = 'WEBSITE';
  readonly status: PaymentStatus = 'PENDING';
  readonly fulfillmentStatus: FulfillmentStatus = 'PENDING';

  private constructor(private readonly draft: OrderDraft) {
    super(draft);
  }

  /** @throws InvalidOrderItems unless there are 1 to 100 lines. */
  static place(draft: OrderDraft): Order {
    if (draft.lines.length < 1 || draft.lines.length > MAX_LINES) {
      throw new InvalidOrderItems(`An order must have 1 to ${MAX_LINES} lines`);
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
  get placedAt(): Date {
    return this.draft.placedAt;
  }
  /** The API key that places it; null for none. */
  get placedBy(): string | null {
    return this.draft.placedBy ?? null;
  }
}
