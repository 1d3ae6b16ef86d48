import type { Currency } from '../money/currency.js';
import { toDecimalText, type Money } from '../money/money.js';
import { DomainError } from '../shared/domain-error.js';

/** A line whose product or variant is unknown to the store or inactive. */
export interface UnavailableItem {
  /** Position of the line in the request, from 0. */
  readonly line: number;
  /** `variant` when the product could be ordered without it. */
  readonly what: 'product' | 'variant';
  readonly id: number;
}

/** The request names products or variants that cannot be ordered. */
export class ItemsUnavailable extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'item_unavailable';

  /** @param items by line. */
  constructor(readonly items: readonly UnavailableItem[]) {
    super('A product or variant of the order is not available');
  }
}

/** The number of lines, or a quantity, is out of range. */
export class InvalidOrderItems extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_request';
}

/** One order line that requests more than is available. */
export interface Shortage {
  /** Position of the line in the request, from 0. */
  readonly line: number;
  readonly requested: number;
  /** Units in all bins for the product and variant of the line. */
  readonly available: number;
  /** The line names no variant, but the product has variants: their stock does not count for the line. */
  readonly lacksVariant?: boolean;
}

/** Stock is short. Nothing was written. */
export class OutOfStock extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'out_of_stock';

  /** @param shortages by line. */
  constructor(readonly shortages: readonly Shortage[]) {
    super('The stock is short');
  }
}

/** Another order of the store, in the same mode, has the client's reference. Nothing was written. */
export class ExternalReferenceTaken extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'external_reference_taken';

  /** @param orderId the order that has the reference. */
  constructor(readonly orderId: string) {
    super('Another order has this reference');
  }
}

/** The client expects another currency than the store's. Nothing was written. */
export class CurrencyMismatch extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'currency_mismatch';

  /** @param currency the store's. */
  constructor(currency: Currency) {
    super(`The currency of the store is ${currency}`);
  }
}

/** The order costs something else than its client expects. Nothing was written. */
export class PriceChanged extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'price_changed';

  /** @param total what the order costs now. */
  constructor(readonly total: Money) {
    super(`The order costs ${toDecimalText(total)} ${total.currency}`);
  }
}

/** The store's fraud rules refuse the order. The message does not name the rule, so that clients cannot probe it. */
export class OrderRejected extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'fraud_rejected';

  constructor() {
    super('The order cannot be accepted');
  }
}

/** A cancelled order is neither released nor confirmed to its customer. */
export class OrderCancelled extends DomainError {
  readonly kind = 'rejected';
  readonly code = 'order_cancelled';

  constructor() {
    super('The order is cancelled');
  }
}
