import type { Money } from '../money/money.js';
import { domainError, rejected } from '../shared/domain-error.js';
import { METADATA_LIMITS, METADATA_SIZE } from '../shared/metadata.js';
import type { LineQuantity } from './line-units.js';
import type { StatusField } from './order-event.js';

export const OrderHeld = rejected('order_held', 'The order is under review: release it first');

export const OrderCancelled = rejected('order_cancelled', 'The order is cancelled');

/** The mail is pending: a worker is trying it, or will. */
export const MailPending = rejected(
  'mail_pending',
  'The mail is still being sent: wait until its state is done or dead',
);

export const MetadataTooLarge = rejected(
  'metadata_too_large',
  `Metadata can have at most ${METADATA_LIMITS.keys} keys, and an order with its lines and payments at most ${METADATA_SIZE} of metadata: remove keys or shorten texts`,
);

export const TooManyRecords = rejected(
  'too_many_records',
  (what: string, most: number) => `The order already has ${most} ${what}, the maximum`,
);

export const NotHeld = rejected('not_held', 'The order is not under review');

export const AlreadyShipped = rejected('already_shipped', (left: readonly LineQuantity[]) =>
  left.length === 0 ? 'Nothing is left to ship' : `Only these units are left to ship: ${textOf(left)}`,
);

export const BeingPicked = rejected(
  'being_picked',
  (references: readonly string[]) => `Units are being picked: ship or void ${references.join(', ')} first`,
);

export const CancelledTooLate = rejected(
  'already_shipped',
  'Units of the order have shipped: it can no longer be cancelled',
);

/**
 * @param needed units that the shipment takes from the bin beyond those that the order has there. @param free units of
 * the bin that are for sale.
 */
export const BinShort = rejected('out_of_stock', (bin: string, needed: number, free: number) => {
  return `Bin ${bin} has ${free} free units, but ${needed} are required`;
});

export const MailWithoutAddress = rejected('no_email', 'The order has no e-mail: set customer.email first');

export const NoUnitsLeft = rejected('no_units_left', 'The order would have no units left: cancel it instead');

export const PaymentUnrecorded = rejected(
  'payment_unrecorded',
  'The payment status was set without a record: record the payment or refund first',
);

export const LinesFixed = rejected('already_shipped', 'The order has shipped: its lines can no longer change');

export const ContactTooLate = rejected(
  'already_shipped',
  'All units of the order have shipped: its contact and shipping address can no longer be corrected',
);

export const BillingTooLate = rejected(
  'order_ended',
  'The order has ended: its billing address can no longer be corrected',
);

export const HeldTooLate = rejected('already_shipped', 'Units of the order have shipped: it can no longer be held');

export const ShipmentReferenceTaken = rejected(
  'shipment_reference_taken',
  'The order has another shipment with this reference: send another reference',
);

export const ShipmentVoid = rejected(
  'shipment_reference_taken',
  'The shipment with this reference is void: send another reference',
);

export const PaymentReferenceTaken = rejected(
  'payment_reference_taken',
  'The order has another payment with this reference: send another reference',
);

export const RefundReferenceTaken = rejected(
  'refund_reference_taken',
  'The order has another refund with this reference: send another reference',
);

export const PaidAmountMismatch = rejected(
  'amount_mismatch',
  (paid: Pick<Money, 'minor' | 'currency'>, open: Pick<Money, 'minor' | 'currency'>, total: number) => {
    const ofTotal = open.minor === total ? '' : `, and the total is ${total} ${open.currency}`;
    const expected = `the open amount is ${open.minor} ${open.currency}${ofTotal}`;
    return `The paid amount ${paid.minor} ${paid.currency} is not accepted: ${expected} (in minor units)`;
  },
);

/** Beyond this sum, payments would no longer be exact integers. */
export const PaymentsTooLarge = domainError(
  'invalid',
  'invalid_request',
  `amount is too large: the payments of an order add up to at most ${Number.MAX_SAFE_INTEGER}`,
);

/** @param earliest a day before the order, or 60 days ago, whichever is later. */
export const DatedTooEarly = rejected(
  'dated_too_early',
  (earliest: Date) => `at must be ${earliest.toISOString()} or later`,
);

/** @param left what can still be refunded, in minor units. */
export const RefundExceedsPayment = rejected(
  'refund_exceeds_payment',
  (left: number) => `At most ${left} can be refunded (in minor units)`,
);

export const OrderCredited = rejected('order_credited', 'The order is credited in full, so it cannot ship');

/** @param owed in minor units. */
export const CreditExceedsOwed = rejected(
  'credit_exceeds_owed',
  (owed: number) => `credited must be at most ${owed}, the amount owed (in minor units)`,
);

export const FeeExceedsOwed = rejected(
  'fee_exceeds_owed',
  (owed: number) => `fee must be at most ${owed}, the amount owed (in minor units)`,
);

export const RefundExceedsLine = rejected(
  'refund_exceeds_line',
  ({ line, quantity }: LineQuantity) =>
    `Line ${line} has ${quantity} ${quantity === 1 ? 'unit' : 'units'} left to refund`,
);

export const UnitsWithoutBin = rejected('units_without_bin', 'The units of the order were not taken from bins');

export const ReturnExceedsShipment = rejected('return_exceeds_shipment', (left: readonly LineQuantity[]) =>
  left.length === 0 ? 'No units can be returned' : `Only these units can be returned: ${textOf(left)}`,
);

/** @param possible the statuses that the current one can change to. */
export class StaleStatus extends rejected(
  'stale',
  (field: StatusField, present: string, possible: readonly string[]) =>
    `${field} is ${present}${possible.length > 0 ? `, and can change to ${possible.join(' or ')}` : ''}`,
) {
  constructor(
    readonly field: StatusField,
    present: string,
    possible: readonly string[],
  ) {
    super(field, present, possible);
  }
}

/** @param possible the statuses that the current one can change to. */
export const IllegalTransition = rejected(
  'transition_not_allowed',
  (what: 'payment' | 'fulfillment' | 'shipment', from: string, to: string, possible: readonly string[]) => {
    if (from === to) return `The ${what} status is already ${from}`;
    const instead = possible.length > 0 ? `, only to ${possible.join(' or ')}` : `: ${from} is final`;
    return `The ${what} status cannot change from ${from} to ${to}${instead}`;
  },
);

/** An order with shipments is SHIPPED only when the shipments contain all its units. */
export const UnitsLeftToShip = rejected(
  'transition_not_allowed',
  (left: readonly LineQuantity[]) => `Not all units of the order have shipped: ship ${textOf(left)} first`,
);

export class DeliveredTooEarly extends domainError(
  'invalid',
  'invalid_request',
  (shippedAt: Date) => `The shipment left at ${shippedAt.toISOString()}`,
) {
  constructor(readonly shippedAt: Date) {
    super(shippedAt);
  }
}

function textOf(lines: readonly LineQuantity[]): string {
  return lines.map(({ line, quantity }) => `${quantity} of line ${line}`).join(', ');
}
