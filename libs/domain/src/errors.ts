import type { Currency } from './values/currency.js';
import { toDecimalText, type Money } from './money/money.js';
import { ACCOUNT_SIZE } from './shared/customer-limits.js';
import { domainError } from './shared/domain-error.js';
import { MAX_INT4 } from './values/value-kind.js';
import { METADATA_LIMITS, METADATA_SIZE } from './shared/metadata.js';

/** These types repeat those of orders: the orders import this file, so this file cannot import them. */
type LineQuantity = { readonly line: number; readonly quantity: number };
type StatusField = 'status' | 'fulfillmentStatus';

/** The store's current state refuses the request. */
function rejected<Args extends readonly unknown[] = []>(code: string, text: string | ((...args: Args) => string)) {
  return domainError('rejected', code, text);
}

/** @param what the type of the resource, such as `Product`. */
export const NotFound = domainError('not_found', 'not_found', (what: string) => `${what} not found`);

// These errors refuse a new order. Nothing was written.

/** The product or variant is unknown to the store or inactive. */
export interface UnavailableItem {
  /** Position of the line in the request, from 0. */
  readonly line: number;
  /** A change of lines names the list; a new order has only one, so the field is absent. */
  readonly list?: 'add';
  /** `variant` when the product could be ordered without it; `sku` when the line names no ids. */
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
  /** Counts the units in all bins for the product and variant of the line. */
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

/** The number of lines, or a quantity, is out of range. */
export const InvalidOrderItems = domainError('invalid', 'invalid_request', (problem: string) => problem);
export const CurrencyMismatch = rejected(
  'currency_mismatch',
  (ofStore: Currency) => `currency must be ${ofStore}, the currency of the store`,
);
export const PriceChanged = rejected(
  'price_changed',
  (total: Money) => `The order total is ${toDecimalText(total)} ${total.currency}`,
);
/** Only the client that gave the charges of an order knows those of other lines. */
export const ChargesGiven = rejected(
  'charges_given',
  'A client set the tax, shipping and discounts of the order: change its lines with a key that has the scope pricing',
);
export const TotalOutOfRange = rejected(
  'total_out_of_range',
  (minor: number) =>
    `With tax, shipping and discount, the order total would be ${minor} minor units, which is out of range`,
);
export const TooManyTaxes = rejected(
  'too_many_taxes',
  (most: number) =>
    `An order can have at most ${most} taxes of different names or rates, including those of its shipping`,
);
/** The message does not name the fraud rule, so that clients cannot probe it. */
export const OrderRejected = rejected('fraud_rejected', 'The order cannot be accepted');

// These errors refuse a change of a placed order.

export const OrderHeld = rejected('order_held', 'The order is under review: release it first');
export const OrderCancelled = rejected('order_cancelled', 'The order is cancelled');
/** The mail is pending: a worker is trying it, or will. */
export const MailPending = rejected(
  'mail_pending',
  'The mail is still being sent: wait until its state is done or dead',
);
export const MetadataTooLarge = rejected(
  'metadata_too_large',
  `Metadata can have at most ${METADATA_LIMITS.keys} keys, and an order with its lines at most ${METADATA_SIZE} of metadata: remove keys or shorten texts`,
);
export const TooManyRecords = rejected(
  'too_many_records',
  (what: string, most: number) => `The order already has ${most} ${what}, the maximum`,
);
/** Every answer that contains the order lists the units of each line in each bin. */
export const TooManyBinsOfOrder = rejected(
  'too_many_bins',
  (most: number) => `The lines would take units from more than ${most} bins: split the order`,
);
export const TooManyInvitations = rejected(
  'too_many_records',
  (of: string, most: number) => `The invitation is sent at most ${most} times for ${of}`,
);
export const TooManyKeys = rejected(
  'too_many_records',
  (most: number) =>
    `The store already has ${most} keys, including revoked ones: ask the operator to run \`store-commerce keys create\``,
);
/** @param command the operator's command that does the same without a limit. */
export const TooManyRows = rejected(
  'too_many_records',
  (what: string, most: number, command: string) =>
    `A request handles at most ${most} ${what}: ask the operator to run \`store-commerce ${command}\``,
);
export const NotHeld = rejected('not_held', 'The order is not under review');
export const AlreadyShipped = rejected('already_shipped', (left: readonly LineQuantity[]) =>
  left.length === 0 ? 'Nothing is left to ship' : `Fewer units are left to ship: ${textOf(left)}`,
);
export const BeingPicked = rejected(
  'being_picked',
  (references: readonly string[]) => `Units are being picked for ${references.join(', ')}: ship or void that first`,
);
export const CancelledTooLate = rejected(
  'already_shipped',
  'Units of the order have shipped: it can no longer be cancelled',
);
/**
 * @param needed units that the shipment takes from a bin where the order has none. @param free units of the bin that
 * are for sale.
 */
export const BinShort = rejected('out_of_stock', (bin: string, needed: number, free: number) => {
  return `Bin ${bin} has ${free} free units, ${needed} are required`;
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
  'All units of the order have shipped: its contact and address can no longer be corrected',
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
    const [owed, whole] = [`the amount owed ${open.minor} ${open.currency}`, `the total ${total} ${open.currency}`];
    const some = open.minor === total ? `not ${owed}` : `neither ${whole} nor ${owed}`;
    const expected = open.minor > 0 || total === 0 ? some : `not ${whole}, and nothing is open`;
    return `The paid amount ${paid.minor} ${paid.currency} is ${expected} (in minor units)`;
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
export const OrderCredited = rejected('order_credited', 'Nothing is owed for the order, so it cannot ship');
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
export const UnitsWithoutBin = rejected('units_without_bin', 'The units of an imported order have no bins');
export const BinAboveLimit = rejected('above_limit', `A bin holds at most ${MAX_INT4}`);
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
    if (from === to) return `${what} is already ${from}`;
    const instead = possible.length > 0 ? `, only to ${possible.join(' or ')}` : `: ${from} is final`;
    return `${what} cannot change from ${from} to ${to}${instead}`;
  },
);
/** An order with shipments has shipped when they have all its units. */
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

// These errors refuse a sign-in.

/** All cases share one text, so that trying addresses or codes reveals nothing. */
export const SignInInvalid = rejected(
  'sign_in_invalid',
  'The code or link is wrong, expired, already used or requested in another browser: try again, or request a new one',
);
export const AddressNotPrivate = rejected(
  'address_not_private',
  'This connection is not encrypted: use HTTPS, or open the address on the host itself',
);

// These errors concern stock, prices and webhooks.

/** What is wrong with a line of a request. */
export interface LineFault {
  /** The place of the line in the request, such as `lines[0]`; `''` where the request has no such line. */
  readonly path: string;
  readonly message: string;
}

function refusedLines(code: string) {
  const refused = rejected(code, (faults: readonly LineFault[]) => {
    const texts = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    return `Nothing was changed: ${texts.join('; ')}`;
  });
  return class extends refused {
    constructor(readonly faults: readonly LineFault[]) {
      super(faults);
    }
  };
}

export class StockRefused extends refusedLines('stock_refused') {}
export class PricesRefused extends refusedLines('prices_refused') {}
export const UnknownPriceList = rejected('unknown_price_list', (code: string) => `The store has no price list ${code}`);
/** A customer would get a price list that the store does not have. */
export class UnknownPriceListOfCustomer extends UnknownPriceList {}
export const TooManyPriceLists = rejected(
  'too_many_records',
  (most: number) => `A store has at most ${most} price lists`,
);
/** Customers would pay other prices without notice. */
export const PriceListInUse = rejected(
  'price_list_in_use',
  (code: string) => `Customers have the price list ${code}: give them another one, or none, first`,
);
export const ReferenceTaken = rejected(
  'reference_taken',
  'Another request of this kind has this reference: send another reference',
);
export class ImportRefused extends refusedLines('import_refused') {}
/** @param problem such as `must begin with https://`. */
export const UrlNotAllowed = rejected('url_not_allowed', (problem: string) => `url ${problem}`);
export const TooManyWebhooks = rejected(
  'too_many_webhooks',
  (most: number) => `A store can have at most ${most} webhooks per mode`,
);
export const WebhookDeleted = rejected(
  'idempotency_mismatch',
  'The webhook of this idempotency key was deleted: send another key',
);

// These errors concern people.

export const EmailTaken = rejected('email_taken', 'Another person of the store has this e-mail');
export const LastOwner = rejected('last_owner', 'The store must keep an owner: make another person an owner first');
/** Personal data is found by e-mail address. */
export const CustomerWithoutEmail = rejected('no_email', 'The customer has no e-mail');

export const CustomerTooLarge = rejected(
  'customer_too_large',
  `The addresses and contacts of a customer are at most ${ACCOUNT_SIZE}: send less`,
);

const MAX_NAMED = 20;

/** An erasure would remove data that open orders still need. */
export const OrdersOpen = rejected(
  'orders_open',
  (orders: readonly { receiptNumber: string; status: string; fulfillmentStatus: string }[]) => {
    const named = orders
      .slice(0, MAX_NAMED)
      .map(({ receiptNumber, status, fulfillmentStatus }) => `${receiptNumber} (${status}, ${fulfillmentStatus})`);
    const more = orders.length > MAX_NAMED ? [`and ${orders.length - MAX_NAMED} more`] : [];
    return `The customer has open orders: ${[...named, ...more].join(', ')}`;
  },
);

function textOf(lines: readonly LineQuantity[]): string {
  return lines.map(({ line, quantity }) => `${quantity} of line ${line}`).join(', ');
}
