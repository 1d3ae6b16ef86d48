import { MAIL_OUTCOMES, PIPELINE_STAGES } from '@app/application';
import {
  BOOKING_KINDS,
  CUSTOMER_LIMITS,
  FULFILLMENT_STATUSES,
  MAX_INT4,
  MAX_ORDER_TAXES,
  MAX_PAYMENT_TERMS_DAYS,
  MAX_PAYMENTS,
  MAX_REFUNDS,
  MAX_SHIPMENTS,
  MAX_TAX_NAME,
  MAX_TAXES,
  ORDER_EVENTS,
  ORDER_SOURCES,
  PAYMENT_STATUSES,
  SHIPMENT_STATUSES,
  mapAddressFields,
  REFUND_REASONS,
} from '@app/domain';
import * as is from './vocabulary.js';

const ADDRESS = mapAddressFields((name, { max }) => is.optional(name === 'country' ? is.country : is.text(max)));

const accountAddress = is.object({ label: is.optional(is.text(CUSTOMER_LIMITS.label)), ...ADDRESS });
const { name, phone, role } = CUSTOMER_LIMITS.contact;
const contact = is.object({
  name: is.optional(is.text(name)),
  email: is.optional(is.email),
  phone: is.optional(is.text(phone)),
  role: is.optional(is.text(role)),
});

const termsDays = is.integer(0, MAX_PAYMENT_TERMS_DAYS);

export const customerLine = is.object(
  {
    kind: is.kind('customer'),
    store: is.subdomain,
    id: is.optional(is.uuid),
    name: is.optional(is.described(is.text(200), is.OF_NEW)),
    email: is.optional(is.email),
    phone: is.optional(is.text(40)),
    status: is.optional(is.name(40)),
    email_verified: is.optional(is.flag),
    loyalty_points: is.optional(is.integer(0, MAX_INT4)),
    total_spent: is.optional(is.described(is.signedAmount, 'Minor units. The payments of imported orders are in it.')),
    tags: is.optional(is.list(is.text(100), { maxItems: 100 })),
    city: is.optional(is.text(200)),
    payment_terms_days: is.optional(
      is.described(is.orNull(termsDays), 'Payment terms of new orders in days. Null removes them.'),
    ),
    company: is.optional(is.text(CUSTOMER_LIMITS.company)),
    vat_id: is.optional(is.text(CUSTOMER_LIMITS.vatId)),
    groups: is.optional(
      is.list(is.reference, {
        maxItems: CUSTOMER_LIMITS.groups,
        uniqueItems: true,
        problem: 'must not name a group twice',
        description: 'Price lists name groups.',
      }),
    ),
    price_list: is.optional(
      is.described(is.orNull(is.reference), "The code of the customer's price list, which exists. Null removes it."),
    ),
    addresses: is.optional(is.list(accountAddress, { maxItems: CUSTOMER_LIMITS.addresses })),
    contacts: is.optional(
      is.described(
        is.list(contact, { maxItems: CUSTOMER_LIMITS.contacts }),
        'An order with the e-mail of a contact is an order of the customer.',
      ),
    ),
    metadata: is.optional(is.metadata),
    created_at: is.optional(is.timestamp),
    last_login: is.optional(is.orNull(is.timestamp)),
    password_hash: is.optional(is.text(1_000, { description: 'Stored, never returned. Empty removes it.' })),
    verification_token: is.optional(is.text(1_000, { description: 'Stored, never returned. Empty removes it.' })),
    national_id: is.optional(is.text(200, { description: 'Stored encrypted, never returned. Empty removes it.' })),
  },
  {
    rule: 'customer',
    description: 'A customer account. Key: store and email in lower case, or else id, or else name, phone, created_at.',
  },
);

const tax = is.object({ name: is.name(MAX_TAX_NAME), rate: is.taxRate, amount: is.signedAmount }, { rule: 'taxRate' });
const taxes = is.list(tax, { maxItems: MAX_TAXES, differ: ['name', 'rate'] });

export const orderItem = is.object(
  {
    product: is.optional(is.orNull(is.slug)),
    variant: is.optional(is.orNull(is.sku)),
    sku: is.optional(is.trimmedText(200)),
    name: is.name(500),
    attributes: is.optional(is.attributes),
    metadata: is.optional(is.metadata),
    unit_price: is.signedAmount,
    quantity: is.integer(0, MAX_INT4, '0: the line is cancelled.'),
    tax: is.optional(is.described(taxes, 'The taxes of the line.')),
    discount_amount: is.optional(is.described(is.signedAmount, 'In minor units; positive where it lowers the total.')),
    price_source: is.optional(is.described(is.reference, 'The price list that gave the price.')),
    cancelled_quantity: is.optional(is.integer(1, MAX_INT4, 'Units that were cancelled before they shipped.')),
    returned_quantity: is.optional(is.integer(1, MAX_INT4, 'Shipped units whose stock went back to the bins.')),
  },
  { rule: 'orderItem', description: 'A snapshot that survives its product, which is named where it still exists.' },
);

const fraud = is.object(
  {
    verdict: is.oneOf(['ACCEPT', 'REVIEW', 'REJECT']),
    score: is.integer(-MAX_INT4, MAX_INT4),
    reasons: is.list(is.object({ rule: is.name(200), score: is.integer(-MAX_INT4, MAX_INT4) }), { maxItems: 100 }),
  },
  { description: 'The outcome of the fraud analysis. Absent: the order was not screened.' },
);

/** In earlier bundles, this stage means that an order is under review although its confirmation was sent. */
export const EARLIER_REVIEW = 'review';

const stage = is.object(
  {
    stage: is.oneOf([...PIPELINE_STAGES, EARLIER_REVIEW]),
    reference: is.optional(is.described(is.reference, 'The shipment or refund that the stage is about.')),
    state: is.oneOf(['pending', 'held', 'done', 'dead']),
    attempts: is.integer(0, MAX_INT4),
    last_error: is.optional(is.text(200)),
    outcome: is.optional(is.oneOf([...MAIL_OUTCOMES, 'waiting', 'none'])),
    at: is.timestamp,
  },
  {
    rule: 'stateOfStage',
    description:
      'A pending stage is stored as dead (`imported`): an import sends no mail. Only notify-customer can be held; ' +
      'fraud-analysis and inventory are done. `review` is a stage of earlier bundles, instead of `held_reasons`.',
  },
);

const lineQuantities = is.list(
  is.object({ line: is.integer(1, MAX_INT4, 'Counts from 1.'), quantity: is.integer(1, MAX_INT4) }),
  { differ: ['line'] },
);

const shipment = is.object({
  reference: is.reference,
  status: is.oneOf(SHIPMENT_STATUSES),
  items: lineQuantities,
  carrier: is.optional(is.text(200)),
  tracking_number: is.optional(is.text(200)),
  tracking_url: is.optional(is.text(2_000)),
  notify: is.optional(is.described(is.flag, 'False: the customer gets no mail when it is shipped.')),
  shipped_at: is.optional(is.orNull(is.timestamp)),
  delivered_at: is.optional(is.orNull(is.timestamp)),
});

const MONEY = { reference: is.reference, amount: is.amount, at: is.timestamp };
const refundedUnits = is.list(
  is.object({
    line: is.integer(1, MAX_INT4, 'Counts from 1.'),
    quantity: is.integer(1, MAX_INT4),
    cancelled_quantity: is.optional(is.integer(0, MAX_INT4, 'Units of them that were cancelled before they shipped.')),
  }),
  { differ: ['line'] },
);
const refund = is.object({
  ...MONEY,
  reason: is.optional(is.oneOf(REFUND_REASONS)),
  credited: is.optional(
    is.described(is.amount, 'Amount that is no longer owed, in minor units. Absent: the amount less the overpayment.'),
  ),
  lines: is.optional(refundedUnits),
  restock: is.optional(is.described(is.flag, 'Whether these units went back to bins. Absent: false.')),
});
const payment = is.object({
  ...MONEY,
  written_off: is.optional(
    is.described(
      is.signedAmount,
      'Amount written off by this payment, in minor units. Negative: it paid an earlier write-off.',
    ),
  ),
  method: is.optional(is.text(64)),
  fee: is.optional(is.described(is.amount, 'Fee of the gateway, in minor units.')),
  payout: is.optional(is.text(64)),
  metadata: is.optional(is.metadata),
});

/** A change of lines may remove all taxes of an order and add as many others. */
const MAX_TAXES_OF_BOOKING = 2 * MAX_ORDER_TAXES;

const booking = is.object({
  at: is.timestamp,
  booked_at: is.optional(is.described(is.timestamp, 'When it was made. Absent: at the import.')),
  kind: is.oneOf(BOOKING_KINDS.filter((kind) => kind !== 'order')),
  reference: is.optional(is.text(64)),
  charged: is.optional(is.signedAmount),
  credited: is.optional(is.signedAmount),
  paid: is.optional(is.signedAmount),
  refunded: is.optional(is.signedAmount),
  tax_lines: is.optional(
    is.list(is.object({ name: is.text(200), rate: is.number, amount: is.signedAmount, included: is.flag }), {
      maxItems: MAX_TAXES_OF_BOOKING,
    }),
  ),
});

const event = is.object(
  {
    at: is.timestamp,
    actor: is.object({
      type: is.oneOf(['key', 'person', 'operator', 'pipeline', 'system']),
      id: is.optional(is.text(200)),
      name: is.optional(is.text(200)),
    }),
    event: is.oneOf(ORDER_EVENTS.filter((name) => name !== 'placed' && name !== 'imported')),
    field: is.optional(is.orNull(is.name(40))),
    from: is.optional(is.orNull(is.name(40))),
    to: is.optional(is.orNull(is.name(40))),
    reference: is.optional(is.text(64)),
    details: is.optional(is.details),
  },
  { rule: 'orderEvent', description: '`status_changed` has `field`, `from` and `to`; the others have none of them.' },
);

/** The limit exceeds what an order of the API can have. */
const MAX_EVENTS = 20_000;

const account = is.described(
  is.orNull(is.uuid),
  'The account; null for a guest. Absent or not in the store: the account with customer_email.',
);
const ABOUT_HISTORY =
  'Oldest first, without the placing or the import. Shipments, cancelled units, payments and refunds without an event get one.';

const ABOUT_BOOKINGS =
  'Bookings after the placement, for the journal. Absent: derived from the payments, refunds and statuses.';

const HELD_REASONS =
  'Why the order is under review: codes of rules, or `manual`. Absent: it is not, unless a stage is held.';

const TAKES_STOCK =
  'True: a till sale. Its units leave the bins once, as those of an order do. A shortage does not refuse it.';

export const orderLine = is.object(
  {
    kind: is.kind('order'),
    store: is.subdomain,
    id: is.optional(is.uuid),
    receipt_number: is.receipt,
    source: is.oneOf(ORDER_SOURCES),
    status: is.oneOf(PAYMENT_STATUSES),
    fulfillment_status: is.oneOf(FULFILLMENT_STATUSES),
    payment_method: is.name(64),
    currency: is.currency,
    amount: is.signedAmount,
    total_amount: is.signedAmount,
    tax_amount: is.optional(is.signedAmount),
    shipping_amount: is.optional(is.signedAmount),
    discount_amount: is.optional(is.described(is.signedAmount, 'In minor units; positive where it lowers the total.')),
    shipping_tax: is.optional(is.described(taxes, 'The taxes of the shipping.')),
    tax_included: is.optional(
      is.described(is.flag, 'Whether the prices of the lines and the shipping include their taxes. Absent: false.'),
    ),
    cancelled_amount: is.optional(
      is.described(
        is.signedAmount,
        'The credit for cancelled units, in minor units. Absent: their share of total_amount, or all but the fee.',
      ),
    ),
    cancellation_fee: is.optional(is.described(is.amount, 'Cancellation fee, in minor units.')),
    adjustment_amount: is.optional(
      is.described(is.signedAmount, 'Difference to total_amount. In minor units. Computed if absent.'),
    ),
    customer_id: is.optional(account),
    customer_name: is.optional(is.text(200)),
    customer_email: is.optional(
      is.described(is.trimmedText(254), 'Kept as it is, also where no mail can be sent to it, unless a mail is held.'),
    ),
    customer_phone: is.optional(is.text(40)),
    shipping_address: is.optional(is.object(ADDRESS)),
    billing_address: is.optional(
      is.object({ name: is.optional(is.text(200)), ...ADDRESS }, { description: 'Absent: the shipping address.' }),
    ),
    notes: is.optional(is.text(10_000)),
    metadata: is.optional(is.metadata),
    is_test: is.optional(is.flag),
    external_reference: is.optional(is.externalReference),
    created_at: is.timestamp,
    payment_terms_days: is.optional(
      is.described(is.orNull(termsDays), 'Payment terms in days after created_at. Absent: no terms.'),
    ),
    updated_at: is.optional(is.updatedAt),
    line_items: is.optional(is.list(orderItem, { maxItems: 1_000 })),
    takes_stock: is.optional(is.described(is.flag, TAKES_STOCK)),
    held_reasons: is.optional(is.described(is.list(is.name(200), { maxItems: 100 }), HELD_REASONS)),
    fraud: is.optional(fraud),
    pipeline: is.optional(is.list(stage, { maxItems: 500, differ: ['stage', 'reference'] })),
    shipments: is.optional(is.list(shipment, { maxItems: MAX_SHIPMENTS, differ: ['reference'] })),
    payments: is.optional(is.list(payment, { maxItems: MAX_PAYMENTS, differ: ['reference'] })),
    refunds: is.optional(is.list(refund, { maxItems: MAX_REFUNDS, differ: ['reference'] })),
    bookings: is.optional(is.list(booking, { maxItems: MAX_EVENTS, description: ABOUT_BOOKINGS })),
    history: is.optional(is.list(event, { maxItems: MAX_EVENTS, description: ABOUT_HISTORY })),
  },
  {
    rule: 'order',
    description: 'A past order, or a sale. Key: store, receipt_number. It is inserted once and never changed.',
  },
);
