import type { Currency } from '../values/currency.js';
import { InvalidOrderItems } from './placement-errors.js';
import type { Metadata } from '../shared/metadata.js';
import type { OrderLine } from './order-line.js';
import type { OrderSource, OrderState } from './order-status.js';
import type { BillingAddress, PostalAddress } from '../shared/postal-address.js';
import type { Charges } from './charges.js';
import { quoteOf, type PaymentMethod, type Quote } from './quote.js';

export const MAX_LINES = 100;
export const MAX_PAYMENT_TERMS_DAYS = 365;

/** An absent value is `''`. */
export interface OrderCustomer {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
}

export interface ShippingContact {
  readonly customer: OrderCustomer;
  readonly shippingAddress: PostalAddress;
}

export interface BilledContact extends ShippingContact {
  readonly billingAddress: BillingAddress;
}

/** Amounts are in minor units. They are negative in a credit note. */
export interface OrderAmounts {
  readonly amount: number;
  readonly tax: number;
  readonly shipping: number;
  /** A positive discount lowers the total. */
  readonly discount: number;
  readonly total: number;
}

/** Returns the part of the total that the other amounts do not explain. Orders from other systems may have one. */
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
  /** The account of the order; null = that of the e-mail of the customer. */
  readonly customerId: string | null;
  readonly address: PostalAddress;
  /** Null means that the billing address is the shipping address. */
  readonly billing: BillingAddress | null;
  readonly notes: string;
  readonly metadata: Metadata;
  /** The order's number in the client's own system, unique in store and mode; `''` when there is none. */
  readonly externalReference: string;
  readonly isTest: boolean;
  readonly lines: readonly OrderLine[];
  /** Absent means no charges. */
  readonly charges?: Charges;
  /** Whether the client gave the charges. */
  readonly hasGivenCharges?: boolean;
  /** Whether the customer gets a confirmation. */
  readonly notify: boolean;
  readonly placedAt: Date;
  /** The API key that placed the order; null for none. */
  readonly placedBy: string | null;
  /** The number of days until payment is due. Null takes the terms of the account that the order is linked to. */
  readonly paymentTermsDays: number | null;
}

export interface Order extends Omit<OrderDraft, 'charges'>, Quote, OrderState {
  readonly source: OrderSource;
}

const DAY_MS = 86_400_000;

/** Returns when payment of an order is due, or null without terms. A day has 24 hours. */
export function dueAtOf(order: { readonly createdAt: Date; readonly paymentTermsDays: number | null }): Date | null {
  const { createdAt, paymentTermsDays: days } = order;
  return days === null ? null : new Date(createdAt.getTime() + days * DAY_MS);
}

/** @throws InvalidOrderItems unless there are 1 to 100 lines. @throws RangeError for charges that are not valid. */
export function newOrder(draft: OrderDraft): Order {
  if (draft.lines.length < 1 || draft.lines.length > MAX_LINES) {
    throw new InvalidOrderItems(`An order must have 1 to ${MAX_LINES} lines`);
  }
  return { ...draft, ...quoteOf(draft), source: 'WEBSITE', status: 'PENDING', fulfillmentStatus: 'PENDING' };
}
