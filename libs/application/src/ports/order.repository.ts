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
  /** Amount owed: lines, tax and shipping, less discounts. */
  readonly totalAmount: number;
  readonly currency: string;
  readonly customerName: string;
  readonly source: string;
  readonly createdAt: Date;
}

/** An order of a list, with what the filter includes. */
export interface ListedOrder extends OrderSummary {
  readonly updatedAt?: Date;
  readonly isTest?: boolean;
  readonly isHeld?: boolean;
  /** Sum of the quantities of the lines. */
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

/** Where to pick units of a line, or where they were picked. */
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
  /** Units that were given up before they shipped, while others stayed. */
  readonly cancelledQuantity: number;
  /** Allocations by the ledger, without units that were given up. Empty for imported and for cancelled orders. */
  readonly allocations: readonly Allocation[];
}

/**
 * How a mail ended. `undeliverable`: the address of the recipient is at fault. `failed`: after all attempts. `not_wanted`: the
 * client, the store or a cancellation did without it.
 */
export const MAIL_OUTCOMES = ['sent', 'undeliverable', 'failed', 'not_wanted'] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

export interface PipelineStageRecord {
  readonly stage: string;
  /** The shipment or refund that the stage is about; `''` for none. */
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  /** Code or class of the last failure; `''` if there was none. */
  readonly lastError: string;
  /** `none`: the stage is no mail. */
  readonly outcome: MailOutcome | 'waiting' | 'none';
  readonly at: Date;
}

export interface ShipmentRecord extends Shipment {
  /** Whether the contact or the shipping address changed after its picking began; false unless it is being picked. */
  readonly isAddressChanged: boolean;
}

/** `fraud` is null for orders that were not placed through the API. */
export interface OrderRecord extends OrderSummary {
  readonly taxAmount: number;
  readonly shippingAmount: number;
  readonly shippingTax: readonly Tax[];
  /** Whether the prices of the lines and the shipping include their taxes. */
  readonly isTaxIncluded: boolean;
  /** Positive where it lowers the total. */
  readonly discountAmount: number;
  /** The credit for units that were given up before they shipped, in minor units. */
  readonly cancelledAmount: number;
  /** What stayed owed when the order was cancelled, in minor units; null = nothing. */
  readonly cancellationFee: number | null;
  readonly lines: readonly OrderLineRecord[];
  readonly customer: OrderCustomer;
  /** The account to which the order is linked; null for a guest. */
  readonly customerId: string | null;
  readonly shippingAddress: PostalAddress;
  readonly billingAddress: BillingAddress;
  readonly notes: string;
  readonly metadata: Metadata;
  /** The order's number in the client's own system; `''` when there is none. */
  readonly externalReference: string;
  readonly isTest: boolean;
  /** In how many days it is to be paid; null = it has no terms. */
  readonly paymentTermsDays: number | null;
  /** The actor of the first event of the history. */
  readonly placedBy: Actor;
  /** Why the order is under review: codes of rules, `manual`, `analysis_unavailable`. Null = it is not. */
  readonly heldReasons: readonly string[] | null;
  readonly fraud: FraudAssessment | null;
  readonly pipeline: readonly PipelineStageRecord[];
  /** Shipments in the order of their creation, as payments and refunds. */
  readonly shipments: readonly ShipmentRecord[];
  readonly payments: readonly PaymentRecord[];
  readonly refunds: readonly RefundRecord[];
  readonly updatedAt: Date;
}

export interface OrderFilter extends CreatedFilter, UpdatedFilter {
  /** The order has one of these; an empty list matches no order. */
  readonly status?: readonly string[];
  readonly fulfillmentStatus?: readonly string[];
  readonly source?: readonly string[];
  /** Ids, or receipt numbers in any letter case. */
  readonly ids?: readonly string[];
  readonly customerId?: string;
  /** The whole e-mail on the order, in any letter case. */
  readonly email?: string;
  /** Whether money must be paid back. */
  readonly refundDue?: true;
  /** Something is still to be paid. */
  readonly open?: true;
  /** The same, and it was due before now. */
  readonly overdue?: true;
  /** Orders with a payment of this time or a later one, or of an earlier one. */
  readonly paidFrom?: Date;
  readonly paidTo?: Date;
  /** Whether a mail failed for good, other than because of its recipient. */
  readonly mailFailed?: true;
  /** Whether the order is under review: as in {@link HeldOrders}. */
  readonly held?: boolean;
  readonly isTest?: boolean;
  /** Exact, in this letter case. A live and a test order may have the same. */
  readonly externalReference?: string;
  /** All of these texts under these keys. */
  readonly metadata?: Metadata;
  /** Literal text within what the search of orders compares, in any letter case. */
  readonly search?: string;
  /** Not a condition: what the rows have besides. */
  readonly include?: readonly (typeof ORDER_INCLUDES)[number][];
}

/** Dates are days in the time zone of the store, as in `2026-03-29`. */
export interface OrderSumsFilter {
  /** Absent: 30 days before `to`. */
  readonly from?: string;
  /** The day after the last. Absent: 30 days after `from`, or tomorrow. */
  readonly to?: string;
  readonly by: 'day' | 'month';
  /** Letter case does not matter. */
  readonly source?: string;
  /** Absent: live orders. */
  readonly isTest?: boolean;
}

/** Sums of the orders placed in a period. Amounts are in minor units. */
export interface OrderSums {
  /** A day such as `2026-03-29`, or a month such as `2026-03`. */
  readonly period: string;
  readonly orders: number;
  /** Orders whose payment or fulfillment status is CANCELLED. */
  readonly cancelled: number;
  readonly units: number;
  /** The sum of `totalAmount`. */
  readonly amount: number;
  readonly tax: number;
  readonly shipping: number;
  readonly discount: number;
  /** The refunds of the period, whenever their orders were placed. */
  readonly refunded: number;
  /** What was booked for the period, whenever the orders were placed. */
  readonly paid: number;
  /** Credits for goods, shipping, goodwill and units that were given up. */
  readonly credited: number;
  /** What cancellations and write-offs credit. */
  readonly givenUp: number;
}

export interface OrderEventRecord extends OrderEvent {
  readonly at: Date;
  readonly actor: Actor;
}

/** Times are those for which the bookings count. */
export interface JournalFilter extends TimeRange {
  /** A word of `BOOKING_KINDS`, in any letter case. */
  readonly kind?: string | undefined;
  readonly orderId?: string;
  /** Absent: live orders. */
  readonly isTest?: boolean;
}

/** The place of a row in the journal. */
export interface JournalPosition {
  readonly at: Date;
  /** `0`: the placing of the order. */
  readonly booking: string;
  readonly orderId: string;
}

export interface JournalPage extends Page {
  /** Pages count from the row after it. */
  readonly after?: JournalPosition;
}

export interface JournalRow extends Booking {
  readonly place: JournalPosition;
  readonly at: Date;
  /** When it was made. */
  readonly bookedAt: Date;
  readonly orderId: string;
  readonly receiptNumber: string;
  readonly externalReference: string;
  readonly currency: string;
  /** How it was paid; `''` unless the row is a payment with a record, as for fee and payout. */
  readonly method: string;
  readonly fee: number;
  readonly payout: string;
  readonly actor: Actor;
}

export interface JournalRows {
  readonly rows: readonly JournalRow[];
  readonly hasMore: boolean;
  /** What was read of taxes. */
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
  /** Newest first, unless the page has another order. */
  abstract list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<ListedOrder>>;

  abstract findById(storeId: number, id: string): Promise<OrderRecord | null>;

  /** Finds those that exist, in any order. */
  abstract findByIds(storeId: number, ids: readonly string[]): Promise<OrderRecord[]>;

  /** The ids of those that exist and have the mode, in any order. */
  abstract idsOfMode(storeId: number, ids: readonly string[], isTest: boolean): Promise<string[]>;

  /** Finds the number in any letter case. */
  abstract findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null>;

  /** Every period of the range, oldest first. */
  abstract sums(storeId: number, filter: OrderSumsFilter): Promise<OrderSums[]>;

  /**
   * The placings of orders and the bookings, by the time for which they count. For the same time, the placings come first, and
   * the bookings follow in the order in which they were made.
   * @throws PageTooDeep, PageTooLarge
   */
  abstract journal(storeId: number, filter: JournalFilter, page: JournalPage): Promise<JournalRows>;

  /** Oldest first. @param reference UUID or receipt number in any letter case. @throws NotFound */
  abstract history(storeId: number, reference: string, page: Page): Promise<PageOf<OrderEventRecord>>;

  /** @param reference an order id, or a receipt number in any letter case. @param subdomain null = any store. */
  abstract locate(reference: string, subdomain: string | null): Promise<OrderLocation[]>;
}
