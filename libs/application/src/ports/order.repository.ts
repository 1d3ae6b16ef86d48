import type {
  Actor,
  BillingAddress,
  Booking,
  FraudAssessment,
  Metadata,
  OrderCustomer,
  OrderEvent,
  OrderLedger,
  PaymentRecord,
  PostalAddress,
  RefundRecord,
  Shipment,
  Tax,
  TaxLine,
  VariantAttributes,
} from '@app/domain';
import type { CreatedFilter, Page, PageOf, TimeRange, UpdatedFilter } from './page.js';

/** Amounts are in minor units of `currency`. */
export interface OrderSummary {
  readonly id: string;
  readonly receiptNumber: string;
  readonly status: string;
  readonly fulfillmentStatus: string;
  readonly paymentMethod: string;
  readonly amount: number;
  /** The amount owed: lines, tax and shipping, minus discounts. */
  readonly totalAmount: number;
  readonly currency: string;
  readonly customerName: string;
  readonly source: string;
  readonly createdAt: Date;
}

/** An order in a list, with the fields that the filter includes. */
export interface ListedOrder extends OrderSummary {
  readonly updatedAt?: Date;
  readonly isTest?: boolean;
  readonly isHeld?: boolean;
  /** The sum of the quantities of the lines. */
  readonly units?: number;
  readonly refundDue?: number;
  readonly paymentTermsDays?: number | null;
  readonly externalReference?: string;
  readonly customerId?: string | null;
  readonly metadata?: Metadata;
  readonly lines?: readonly OrderLineRecord[];
  readonly payments?: readonly PaymentRecord[];
  readonly amounts?: OrderLedger;
  readonly taxLines?: readonly TaxLine[];
}

export const ORDER_INCLUDES = [
  'updated_at',
  'is_test',
  'held',
  'units',
  'refund_due',
  'due_at',
  'external_reference',
  'customer_id',
  'metadata',
  'line_items',
  'payments',
  'amounts',
  'taxes',
] as const;

/** Where units of a line are to be picked, or were picked. */
export interface Allocation {
  readonly warehouse: string;
  readonly bin: string;
  readonly quantity: number;
  readonly shippedQuantity: number;
}

/** Product and variant are null on imported lines that name none. */
export interface OrderLineRecord {
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly sku: string;
  readonly name: string;
  readonly attributes: VariantAttributes;
  readonly unitPrice: number;
  readonly quantity: number;
  readonly lineTotal: number;
  readonly tax: readonly Tax[];
  readonly discount: number;
  /** The price list that gave the price; null for the catalog, an import and a client. */
  readonly priceSource: string | null;
  readonly metadata: Metadata;
  readonly line: number;
  readonly shippedQuantity: number;
  /** Shipped units whose stock went back to the bins. */
  readonly returnedQuantity: number;
  /** Units that were cancelled before they shipped, while others stayed. */
  readonly cancelledQuantity: number;
  /** Allocations from the ledger, without cancelled units. Empty for imported and for cancelled orders. */
  readonly allocations: readonly Allocation[];
}

/**
 * How a mail ended. `undeliverable`: the recipient's address is at fault. `failed`: all attempts failed. `not_wanted`:
 * the client or the store turned it off, or a cancellation made it unnecessary.
 */
export const MAIL_OUTCOMES = ['sent', 'undeliverable', 'failed', 'not_wanted'] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

export interface PipelineStageRecord {
  readonly stage: string;
  /** The shipment or refund that the stage is about; `''` for none. */
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  /** The code or class of the last failure; `''` when there was none. */
  readonly lastError: string;
  /** `none` means that the stage is not a mail. */
  readonly outcome: MailOutcome | 'waiting' | 'none';
  readonly at: Date;
}

export interface ShipmentRecord extends Shipment {
  /** Whether the contact or the shipping address changed after picking began; false unless it is being picked. */
  readonly isAddressChanged: boolean;
}

/** `fraud` is null for orders that were not placed through the API. */
export interface OrderRecord extends OrderSummary {
  readonly taxAmount: number;
  readonly shippingAmount: number;
  readonly shippingTax: readonly Tax[];
  /** Whether line prices and shipping include their taxes. */
  readonly isTaxIncluded: boolean;
  /** A positive discount lowers the total. */
  readonly discountAmount: number;
  /** The credit for units that were cancelled before they shipped, in minor units. */
  readonly cancelledAmount: number;
  /** What stayed owed when the order was cancelled, in minor units; null for nothing. */
  readonly cancellationFee: number | null;
  readonly lines: readonly OrderLineRecord[];
  readonly customer: OrderCustomer;
  /** The account that the order is linked to; null for a guest. */
  readonly customerId: string | null;
  readonly shippingAddress: PostalAddress;
  readonly billingAddress: BillingAddress;
  readonly notes: string;
  readonly metadata: Metadata;
  /** The order's number in the client's own system; `''` when there is none. */
  readonly externalReference: string;
  readonly isTest: boolean;
  /** The number of days until payment is due; null when the order has no terms. */
  readonly paymentTermsDays: number | null;
  /** The actor of the first event of the history. */
  readonly placedBy: Actor;
  /**
   * Why the order is under review: codes of rules, `manual`, `analysis_unavailable`. Null means that it is not under
   * review.
   */
  readonly heldReasons: readonly string[] | null;
  readonly fraud: FraudAssessment | null;
  readonly pipeline: readonly PipelineStageRecord[];
  /** Shipments, payments and refunds are listed in the sequence of their creation. */
  readonly shipments: readonly ShipmentRecord[];
  readonly payments: readonly PaymentRecord[];
  readonly refunds: readonly RefundRecord[];
  readonly updatedAt: Date;
}

export interface OrderFilter extends CreatedFilter, UpdatedFilter {
  /** Matches orders with one of these statuses; an empty list matches no order. */
  readonly status?: readonly string[];
  readonly fulfillmentStatus?: readonly string[];
  readonly source?: readonly string[];
  /** Order ids, or receipt numbers in any letter case. */
  readonly ids?: readonly string[];
  readonly customerId?: string;
  /** Matches the whole e-mail on the order, in any letter case. */
  readonly email?: string;
  /** Whether money must be paid back. */
  readonly refundDue?: true;
  /** Selects orders with an open amount. */
  readonly open?: true;
  /** Selects orders with an open amount that was due before now. */
  readonly overdue?: true;
  /** Selects orders with a payment within this half-open range of time. */
  readonly paidFrom?: Date;
  readonly paidTo?: Date;
  /** Whether a mail failed for good for another reason than its recipient. */
  readonly mailFailed?: true;
  /** Whether the order is under review, as defined by {@link HeldOrders}. */
  readonly held?: boolean;
  readonly isTest?: boolean;
  /** Matches exactly, including letter case. A live and a test order may have the same reference. */
  readonly externalReference?: string;
  /** Matches orders that have all of these texts under these keys. */
  readonly metadata?: Metadata;
  /** Matches as literal text within what the search of orders compares, in any letter case. */
  readonly search?: string;
  /** Adds fields to the rows; it filters nothing. */
  readonly include?: readonly (typeof ORDER_INCLUDES)[number][];
}

/** Dates are days in the store's time zone, such as `2026-03-29`. */
export interface OrderSumsFilter {
  /** When absent, 30 days before `to`. */
  readonly from?: string;
  /** The day after the last one. When absent, 30 days after `from`, or tomorrow. */
  readonly to?: string;
  readonly by: 'day' | 'month';
  /** Matches in any letter case. */
  readonly source?: string;
  /** When absent, live orders are summed. */
  readonly isTest?: boolean;
  /** Sums each period by this value of the orders. */
  readonly group?: (typeof ORDER_GROUPS)[number];
}

export const ORDER_GROUPS = ['payment_method', 'source', 'country'] as const;

/** Sums of the orders placed in a period. Amounts are in minor units. */
export interface OrderSums {
  /** A day such as `2026-03-29`, or a month such as `2026-03`. */
  readonly period: string;
  /** The payment method, the source or the country; `''` for none. Absent without a group. */
  readonly group?: string;
  readonly orders: number;
  /** Orders whose payment or fulfillment status is CANCELLED. */
  readonly cancelled: number;
  readonly units: number;
  /** The sum of `totalAmount`. */
  readonly amount: number;
  readonly tax: number;
  readonly shipping: number;
  readonly discount: number;
  /** The refunds of the period, regardless of when their orders were placed. */
  readonly refunded: number;
  /** The payments booked for the period, regardless of when the orders were placed. */
  readonly paid: number;
  /** Credits for goods, shipping, goodwill and cancelled units. */
  readonly credited: number;
  /** Credits from cancelled orders and write-offs. */
  readonly givenUp: number;
}

/** Dates and modes are those of {@link OrderSumsFilter}. */
export interface ProductSumsFilter extends Pick<OrderSumsFilter, 'from' | 'to' | 'isTest'> {
  readonly by: 'product' | 'sku';
  /** The greatest comes first. */
  readonly sort: 'units' | 'amount';
}

/** Sums of a product, or of a variant, over the lines of the orders placed in a period. */
export interface ProductSums {
  /** Null for lines of imported orders without a product. Each SKU and name of them has its sums. */
  readonly productId: number | null;
  /** Null for the product itself, and for sums by product. */
  readonly variantId: number | null;
  /** SKU and name are those of the catalog; without a product, those of the lines. */
  readonly sku: string;
  readonly name: string;
  /** Units that are not cancelled. */
  readonly units: number;
  /** Unit prices times these units, in minor units of the currency. */
  readonly amount: number;
  /** Shipped units that went back to bins. */
  readonly returned: number;
  /** Units that the orders gave up, and all units of cancelled orders. */
  readonly cancelled: number;
}

export interface OrderEventRecord extends OrderEvent {
  readonly at: Date;
  readonly actor: Actor;
}

/** Times are those that the bookings are dated to. */
export interface JournalFilter extends TimeRange {
  /** A word of `BOOKING_KINDS`, in any letter case. */
  readonly kind?: string | undefined;
  readonly orderId?: string;
  /** When absent, live orders are listed. */
  readonly isTest?: boolean;
}

/** The position of a row in the journal. */
export interface JournalPosition {
  readonly at: Date;
  /** `0` is the placing of the order. */
  readonly booking: string;
  readonly orderId: string;
}

export interface JournalPage extends Page {
  /** Pages start after this row. */
  readonly after?: JournalPosition;
}

export interface JournalRow extends Booking {
  readonly place: JournalPosition;
  readonly at: Date;
  /** When the booking was made. */
  readonly bookedAt: Date;
  readonly orderId: string;
  readonly receiptNumber: string;
  readonly externalReference: string;
  readonly currency: string;
  /** The payment method. It is `''` unless the row is a payment with a record; the same holds for fee and payout. */
  readonly method: string;
  readonly fee: number;
  readonly payout: string;
  readonly actor: Actor;
}

export interface JournalRows {
  readonly rows: readonly JournalRow[];
  readonly hasMore: boolean;
  /** The bytes that were read for taxes. */
  readonly readBytes: number;
}

export interface OrderKey {
  readonly storeId: number;
  readonly orderId: string;
}

export interface OrderLocation extends OrderKey {
  readonly subdomain: string;
}

export abstract class OrderRepository {
  /** Lists the newest first, unless the page has another sort. */
  abstract list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<ListedOrder>>;

  abstract findById(storeId: number, id: string): Promise<OrderRecord | null>;

  /** Finds the existing orders among the ids, in any order. */
  abstract findByIds(storeId: number, ids: readonly string[]): Promise<OrderRecord[]>;

  /** Returns the ids that exist and have the mode, in any order. */
  abstract idsOfMode(storeId: number, ids: readonly string[], isTest: boolean): Promise<string[]>;

  /** Finds the number in any letter case. */
  abstract findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null>;

  /** Returns every period of the range, oldest first; with a group, those of its values that a period has. */
  abstract sums(storeId: number, filter: OrderSumsFilter): Promise<OrderSums[]>;

  abstract productSums(storeId: number, filter: ProductSumsFilter, page: Page): Promise<PageOf<ProductSums>>;

  /**
   * Lists the placings of orders and the bookings, by the time that they are dated to. At the same time, placings come
   * first, and bookings follow in the sequence in which they were made.
   * @throws PageTooDeep, PageTooLarge
   */
  abstract journal(storeId: number, filter: JournalFilter, page: JournalPage): Promise<JournalRows>;

  /** Counts the rows of the journal after `after`, or all; about `most` when there are more. */
  abstract countJournal(
    storeId: number,
    filter: JournalFilter,
    after: JournalPosition | null,
    most: number,
  ): Promise<number>;

  /** Lists the oldest first. @param reference UUID or receipt number in any letter case. @throws NotFound */
  abstract history(storeId: number, reference: string, page: Page): Promise<PageOf<OrderEventRecord>>;

  /**
   * @param reference an order id, or a receipt number in any letter case. @param subdomain null searches all stores.
   */
  abstract locate(reference: string, subdomain: string | null): Promise<OrderLocation[]>;
}
