import { DomainError } from '../shared/domain-error.js';
import type { LineQuantity } from './line-quantity.js';
import type { StatusField } from './order-event.js';

abstract class Rejection extends DomainError {
  readonly kind = 'rejected';
}

/** The order is under review: release or cancel it first. */
export class OrderHeld extends Rejection {
  readonly code = 'order_held';

  constructor() {
    super('The order is under review: release it first');
  }
}

/** The order is not under review. */
export class NotHeld extends Rejection {
  readonly code = 'not_held';

  constructor() {
    super('The order is not under review');
  }
}

/** Units are shipped already. */
export class AlreadyShipped extends Rejection {
  readonly code = 'already_shipped';

  /** @param left what is still to be shipped, by line. */
  constructor(
    left: readonly LineQuantity[],
    problem = left.length === 0 ? 'Nothing is left to ship' : `Less is left to ship: ${textOf(left)}`,
  ) {
    super(problem);
  }
}

/** An order with shipments has shipped when they have all its units. */
export class UnitsLeftToShip extends Rejection {
  readonly code = 'transition_not_allowed';

  constructor(left: readonly LineQuantity[]) {
    super(`The shipments of the order lack units: ship ${textOf(left)} first`);
  }
}

/** A shipment that is being picked has claimed the units. */
export class BeingPicked extends Rejection {
  readonly code = 'being_picked';

  /** @param references the shipments that are being picked. */
  constructor(references: readonly string[]) {
    super(`Units are being picked for ${references.join(', ')}: ship or void that first`);
  }
}

/** Another shipment of the order, or a void one, has the reference. */
export class ShipmentReferenceTaken extends Rejection {
  readonly code = 'shipment_reference_taken';

  constructor({ isVoid = false } = {}) {
    const what = isVoid
      ? 'The shipment with this reference is void'
      : 'The order has another shipment with this reference';
    super(`${what}: send another reference`);
  }
}

/** Another payment of the order has the reference. */
export class PaymentReferenceTaken extends Rejection {
  readonly code = 'payment_reference_taken';

  constructor() {
    super('The order has another payment with this reference');
  }
}

/** Another refund of the order has the reference. */
export class RefundReferenceTaken extends Rejection {
  readonly code = 'refund_reference_taken';

  constructor() {
    super('The order has another refund with this reference');
  }
}

/** The refunds would exceed what was paid. */
export class RefundExceedsPayment extends Rejection {
  readonly code = 'refund_exceeds_payment';

  /** @param left what can still be refunded, in minor units. */
  constructor(readonly left: number) {
    super(`At most ${left} can be refunded (in minor units)`);
  }
}

/** A refund is for more units of a line than were ordered. */
export class RefundExceedsLine extends Rejection {
  readonly code = 'refund_exceeds_line';

  constructor(line: number) {
    super(`Line ${line} has fewer units`);
  }
}

/** Units that came from no bin cannot go back to it. */
export class UnitsWithoutBin extends Rejection {
  readonly code = 'units_without_bin';

  constructor() {
    super('The units of an imported order came from no bin');
  }
}

/** Units that were not shipped, or have come back already, cannot come back. */
export class ReturnExceedsShipment extends Rejection {
  readonly code = 'return_exceeds_shipment';

  /** @param left what can still come back, by line. */
  constructor(readonly left: readonly LineQuantity[]) {
    super(left.length === 0 ? 'No units can come back' : `These units can come back: ${textOf(left)}`);
  }
}

/** The order has another status than its client expects. */
export class StaleStatus extends Rejection {
  readonly code = 'stale';

  /** @param possible the statuses to which it can change now. */
  constructor(
    readonly field: StatusField,
    present: string,
    possible: readonly string[],
  ) {
    super(`${field} is ${present}${possible.length > 0 ? `, and can change to ${possible.join(' or ')}` : ''}`);
  }
}

abstract class InvalidChange extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_request';
}

/** A shipment cannot arrive before it was shipped. */
export class DeliveredTooEarly extends InvalidChange {
  constructor(readonly shippedAt: Date) {
    super(`The shipment left at ${shippedAt.toISOString()}`);
  }
}

/** The sum of the payments would no longer be exact. */
export class PaymentsTooLarge extends InvalidChange {
  constructor() {
    super(`amount is too large: the payments of an order add up to at most ${Number.MAX_SAFE_INTEGER}`);
  }
}

function textOf(lines: readonly LineQuantity[]): string {
  return lines.map(({ line, quantity }) => `${quantity} of line ${line}`).join(', ');
}
