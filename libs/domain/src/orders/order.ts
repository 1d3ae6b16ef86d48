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
  readonly id: string;
  readonly storeId: number;
  readonly receiptNumber: string;
  readonly customer: OrderCustomer;
  /** Shipping and billing address alike. */
  readonly address: PostalAddress;
  readonly notes: string;
  readonly externalReference: string;
  readonly isTest: boolean;
  readonly placedAt: Date;
  /** The API key that places it; null for none. */
  readonly placedBy: string | null;

  private constructor(draft: OrderDraft) {
    super(draft);
    this.id = draft.id;
    this.storeId = draft.storeId;
    this.receiptNumber = draft.receiptNumber;
    this.customer = draft.customer;
    this.address = draft.address;
    this.notes = draft.notes;
    this.externalReference = draft.externalReference;
    this.isTest = draft.isTest;
    this.placedAt = draft.placedAt;
    this.placedBy = draft.placedBy ?? null;
  }

  /** @throws InvalidOrderItems unless there are 1 to 100 lines. */
  static place(draft: OrderDraft): Order {
    if (draft.lines.length < 1 || draft.lines.length > MAX_LINES) {
      throw new InvalidOrderItems(`An order must have 1 to ${MAX_LINES} lines`);
    }
    return new Order(draft);
  }
}
