import type { FraudAssessment, Order, OrderCustomer, OrderState, PostalAddress, VariantAttributes } from '@app/domain';
import type { Page, PageOf } from './page.js';

/** An order as it stands in a list. Amounts are in minor units of `currency`. */
export interface OrderSummary {
  readonly id: string;
  readonly receiptNumber: string;
  readonly status: string;
  readonly fulfillmentStatus: string;
  readonly paymentMethod: string;
  /** Sum of the lines. */
  readonly amount: number;
  /** What is owed. */
  readonly totalAmount: number;
  readonly currency: string;
  readonly customerName: string;
  readonly source: string;
  readonly createdAt: Date;
}

/** A line as it was sold. Product and variant are null where an imported line names none. */
export interface OrderLineRecord {
  readonly productId: number | null;
  readonly variantId: number | null;
  readonly sku: string;
  readonly name: string;
  readonly attributes: VariantAttributes;
  readonly unitPrice: number;
  readonly quantity: number;
  readonly lineTotal: number;
}

/** How far one stage of an order's pipeline is. */
export interface PipelineStageRecord {
  readonly stage: string;
  readonly state: string;
  readonly attempts: number;
  /** Class of the last failure, `''` if there was none. */
  readonly lastError: string;
  readonly at: Date;
}

/** The full record of an order. `fraud` is null for orders that were not placed through the API. */
export interface OrderRecord extends OrderSummary {
  readonly lines: readonly OrderLineRecord[];
  readonly customer: OrderCustomer;
  readonly shippingAddress: PostalAddress;
  readonly billingAddress: PostalAddress;
  readonly notes: string;
  readonly isTest: boolean;
  readonly fraud: FraudAssessment | null;
  readonly pipeline: readonly PipelineStageRecord[];
  readonly updatedAt: Date;
}

/** Conditions on a list of orders; absent ones do not filter. Statuses and source compare case-insensitively. */
export interface OrderFilter {
  readonly status?: string;
  readonly fulfillmentStatus?: string;
  readonly source?: string;
  /** Literal text within the receipt number or the e-mail on the order, in any letter case. */
  readonly search?: string;
}

/** Which order of which store. */
export interface OrderLocation {
  readonly storeId: number;
  readonly subdomain: string;
  readonly orderId: string;
}

export abstract class OrderRepository {
  /** Newest first, then by id, descending. */
  abstract list(storeId: number, filter: OrderFilter, page: Page): Promise<PageOf<OrderSummary>>;

  abstract findById(storeId: number, id: string): Promise<OrderRecord | null>;

  /** Exact, in any letter case. */
  abstract findByReceiptNumber(storeId: number, receiptNumber: string): Promise<OrderRecord | null>;

  /**
   * The orders, of any store, that an operator may mean.
   *
   * @param reference an order id, or a receipt number in any letter case.
   * @param subdomain of the store; null = any store.
   */
  abstract locate(reference: string, subdomain: string | null): Promise<OrderLocation[]>;
}

/** The write side of orders, within a transaction. */
export abstract class NewOrders {
  /**
   * Writes the order, its lines and its assessment, linked to the store's customer with the same e-mail if there is
   * one.
   *
   * @throws ReceiptNumberTaken when another order of the store has the receipt number.
   * @throws OrderExists when the order was inserted before.
   */
  abstract insert(order: Order, assessment: FraudAssessment): Promise<void>;
}

/** Where existing orders stand, within a transaction. */
export abstract class OrderStates {
  /** Reads the state and holds the order until the transaction ends. Null when the store has no such order. */
  abstract lock(storeId: number, orderId: string): Promise<OrderState | null>;

  abstract save(storeId: number, orderId: string, state: OrderState): Promise<void>;
}

/** A fresh receipt number was already in use: the order is to be placed again with another. */
export class ReceiptNumberTaken extends Error {}

/** An order with this id was committed before: by an attempt whose answer was lost. */
export class OrderExists extends Error {}
