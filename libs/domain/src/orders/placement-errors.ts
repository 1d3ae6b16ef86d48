import { type Money, toDecimalText } from '../money/money.js';
import { domainError, rejected } from '../shared/domain-error.js';
import type { Currency } from '../values/currency.js';

/** The product or variant is unknown to the store or inactive. */
export interface UnavailableItem {
  /** Position of the line in the request, from 0. */
  readonly line: number;
  /** The array of the request that contains the line. Absent for a new order, whose only array is `items`. */
  readonly list?: 'add';
  /** `variant` when the product is available but the variant is not; `sku` when the line names no ids. */
  readonly what: 'product' | 'variant' | 'sku';
  /** The SKU itself when `what` is `sku`. */
  readonly id: number | string;
}

export class ItemsUnavailable extends domainError(
  'invalid',
  'item_unavailable',
  'A product or variant of the order is not available',
) {
  constructor(readonly items: readonly UnavailableItem[]) {
    super();
  }
}

/** The position of a line in the request, from 0, and its SKU. */
export interface AmbiguousItem {
  readonly line: number;
  /** The list of the line, as in {@link UnavailableItem}. */
  readonly list?: 'add';
  readonly sku: string;
}

export class AmbiguousSku extends domainError('invalid', 'ambiguous_sku', 'Several products have the SKU of a line') {
  constructor(readonly items: readonly AmbiguousItem[]) {
    super();
  }
}

export interface Shortage {
  readonly line: number;
  /** The list of the line, as in {@link UnavailableItem}. */
  readonly list?: 'set' | 'add';
  readonly requested: number;
  /** The units for sale of the product and variant of the line: those in bins of active warehouses. */
  readonly available: number;
  /** The product has variants, and the line names none: their stock does not count for the line. */
  readonly lacksVariant?: boolean;
}

export class OutOfStock extends rejected('out_of_stock', 'Not enough stock') {
  constructor(readonly shortages: readonly Shortage[]) {
    super();
  }
}

/** A line whose units are sold in other quantities only. */
export interface UnofferedQuantity {
  readonly line: number;
  /** The list of the line, as in {@link UnavailableItem}. */
  readonly list?: 'set' | 'add';
  /** The units of all lines of the order with its product and variant. */
  readonly requested: number;
  /** What is offered: multiples of `step` from `minQuantity` on. */
  readonly minQuantity: number;
  readonly step: number;
}

export class QuantityNotOffered extends rejected('quantity_not_offered', 'A quantity of the order is not offered') {
  constructor(readonly items: readonly UnofferedQuantity[]) {
    super();
  }
}

export const UnknownCustomer = rejected('unknown_customer', 'The store has no such customer');

/** Another order of the store, in the same mode, has the client's reference. */
export class ExternalReferenceTaken extends rejected('external_reference_taken', 'Another order has this reference') {
  constructor(readonly orderId: string) {
    super();
  }
}

/** The number of lines or a quantity is out of range, or a charge that the client gave is invalid. */
export const InvalidOrderItems = domainError('invalid', 'invalid_request', (problem: string) => problem);

export const CurrencyMismatch = rejected(
  'currency_mismatch',
  (ofStore: Currency) => `currency must be ${ofStore}, the currency of the store`,
);

export const PriceChanged = rejected(
  'price_changed',
  (total: Money) => `The order total is ${toDecimalText(total)} ${total.currency}`,
);

/** A client set the charges of the order, so the service cannot compute the charges of changed lines. */
export const ChargesGiven = rejected(
  'charges_given',
  'A client set the tax, shipping and discounts of the order: change its lines with a key that has the scope pricing',
);

export const TotalOutOfRange = rejected(
  'total_out_of_range',
  (minor: number) =>
    `With tax, shipping and discount, the order total would be ${minor} minor units, which is ${minor < 0 ? 'negative' : 'too large'}`,
);

export const TooManyTaxes = rejected(
  'too_many_taxes',
  (most: number) =>
    `An order can have at most ${most} taxes of different names or rates, including those of its shipping`,
);

/** The message does not name the fraud rule, so that clients cannot probe it. */
export const OrderRejected = rejected('fraud_rejected', 'The order cannot be accepted');

/** Every answer that contains the order lists the units of each line in each bin. */
export const TooManyBinsOfOrder = rejected(
  'too_many_bins',
  (most: number) => `The lines would take units from more than ${most} bins: split the order`,
);
