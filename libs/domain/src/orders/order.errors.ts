import { DomainError } from '../shared/domain-error.js';

/** Items that cannot be ordered as they were asked for. */
export class InvalidOrderItems extends DomainError {
  readonly kind = 'invalid';
}

/** One order line that asks for more than there is. */
export interface Shortage {
  /** Position of the line in the request, from 0. */
  readonly line: number;
  readonly requested: number;
  /** What the bins hold for the line's product and variant, all lines together. */
  readonly available: number;
}

/** Stock is short. Nothing was written. */
export class OutOfStock extends DomainError {
  readonly kind = 'rejected';

  constructor(readonly shortages: readonly Shortage[]) {
    super(
      shortages
        .slice(0, 20)
        .map(({ line, requested, available }) => `items[${line}]: requested ${requested}, available ${available}`)
        .join('; '),
    );
  }
}

/** The store's fraud rules refuse the order. Says nothing about which rule, so that it cannot be probed. */
export class OrderRejected extends DomainError {
  readonly kind = 'rejected';

  constructor() {
    super('The order cannot be accepted');
  }
}

/** A cancelled order is neither released nor confirmed to its customer. */
export class OrderCancelled extends DomainError {
  readonly kind = 'rejected';

  constructor() {
    super('The order is cancelled');
  }
}
