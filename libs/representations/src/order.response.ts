import {
  MAIL_OUTCOMES,
  PIPELINE_STAGES,
  type Allocation,
  type ListedOrder,
  type ORDER_INCLUDES,
  type OrderLineRecord,
  type OrderRecord,
  type OrderSummary,
  type PipelineStageRecord,
  type ShipmentRecord,
} from '@app/application';
import {
  FULFILLMENT_STATUSES,
  ORDER_SOURCES,
  PAYMENT_STATUSES,
  SHIPMENT_STATUSES,
  adjustmentOf,
  taxLinesOf,
  type Tax as OrderTax,
  type TaxLine,
  dueAtOf,
  ledgerOf,
  REFUND_REASONS,
  type OrderLedger,
  mapAddressFields,
  type FraudAssessment,
  type MoneyRecord,
  type PaymentRecord,
  type RefundRecord,
} from '@app/domain';
import type { Static } from '@sinclair/typebox';
import { ACTOR, toActor } from './actor.js';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const LineAllocation = is.object({
  warehouse: is.text('Code of the warehouse.', 'MAIN'),
  bin: is.text('Code of the bin.', 'A-1'),
  quantity: is.integer('Units.', 2),
  shipped_quantity: is.integer('Units that are shipped.', 0),
});

const TAX = {
  name: is.text('Name of the tax.', 'VAT'),
  rate: is.percent('With at most 4 decimals.', 20),
  amount: is.minorUnits('The tax.', 2663),
};
const Tax = is.object(TAX);
const TaxSum = is.object({
  ...TAX,
  included: is.flag('Whether the prices of the lines and the shipping include it.'),
});

const LineItem = is.object({
  line: is.integer('Number of the line, from 1.', 1),
  product_id: is.orNull(is.id('The product; null when an imported order names none.', 70)),
  variant_id: is.orNull(is.id('The variant; null when there is none.', 12)),
  sku: is.text('`""` when there is none.', 'R-1-42'),
  name: is.text('Name of the product.', 'Runner'),
  attributes: is.attributes('Attributes of the variant, by name.'),
  unit_price: is.minorUnits('Price of one unit.', 7990),
  quantity: is.integer('Units; 0 when the line is cancelled.', 2),
  line_total: is.minorUnits('Price of the line, before tax and discount.', 15980),
  tax: is.arrayOf(Tax, 'The taxes of the line. Empty where the service does not know them.', []),
  discount_amount: is.minorUnits('Discount of the line; positive where it lowers the total.', 0),
  price_source: is.orNull(
    is.text('The price list that gave the price. Null: the catalog, the client or an import.', 'DEALERS'),
  ),
  metadata: is.metadata('Custom fields that clients store with the line.'),
  shipped_quantity: is.integer('Units that are shipped.', 0),
  cancelled_quantity: is.integer('Units that were cancelled before they shipped.', 0),
  returned_quantity: is.integer('Shipped units that were restocked, by a refund or with RETURNED.', 0),
  allocations: is.arrayOf(
    LineAllocation,
    'The bins that hold, or held, the units of the line that were not cancelled. Empty for imported orders.',
  ),
});

const LineQuantity = is.object({ line: is.integer('Number of the line.', 1), quantity: is.integer('Units.', 2) });

const Shipment = is.object({
  reference: is.text("The client's number of the shipment. Unique in the order.", 'SHIP-1'),
  status: is.oneOf(SHIPMENT_STATUSES, 'picking reserves the units. The units of a void shipment can ship again.', {
    example: 'shipped',
  }),
  items: is.arrayOf(LineQuantity, 'What it contains.'),
  carrier: is.text('`""` when there is none.', 'DHL'),
  tracking_number: is.text('Same.', '00340434161094042557'),
  tracking_url: is.text('Same.', 'https://tracking.example.com/00340434161094042557'),
  shipped_at: is.orNull(is.timestamp('Null until it is shipped.')),
  delivered_at: is.orNull(is.timestamp('Null until it is delivered.')),
  address_changed: is.flag(
    'Whether the contact or the shipping address changed after its picking began. False once it is shipped or void.',
  ),
});

const RefundedUnits = is.object({
  line: is.integer('Number of the line.', 1),
  quantity: is.integer('Units.', 2),
  cancelled_quantity: is.integer('Units of them that were cancelled before they shipped.', 0),
});

const MONEY = {
  reference: is.text('The id at the gateway. Unique in the order.', 'pi_3NX81'),
  amount: is.minorUnits('Paid or refunded amount.', 15980),
  at: is.timestamp('When it was created.'),
};
const RefundOfOrder = is.object({
  ...MONEY,
  reason: is.oneOf(
    REFUND_REASONS,
    'Reason of the refund. goods, shipping and goodwill lower `amount_owed`; chargeback and repayment do not.',
  ),
  credited: is.minorUnits('Amount that is no longer owed.', 15980),
  lines: is.arrayOf(RefundedUnits, 'Refunded or returned units. Empty when there are none.'),
  restock: is.flag('Whether these units were restocked.'),
});
const PaymentOfOrder = is.object({
  ...MONEY,
  written_off: is.minorUnits(
    'Amount written off by this payment, such as a cash discount or a bank charge. Negative: it paid an earlier write-off.',
    0,
  ),
  method: is.text('Payment method; `""` when it is unknown.', 'card'),
  fee: is.minorUnits('Fee of the gateway.', 493),
  payout: is.text('Payout of the gateway; `""` when there is none.', 'po_81'),
  metadata: is.metadata('Custom fields that clients store with the payment.'),
});

const CUSTOMER_ID = '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c';

const CustomerOfOrder = is.object(
  {
    id: is.orNull(
      is.uuid(
        'The account to which the order is linked, by its e-mail when it was placed; null for a guest.',
        CUSTOMER_ID,
      ),
    ),
    name: is.text('Display name.', 'Ada Lovelace'),
    email: is.text('`""` when there is none.', 'ada@example.com'),
    phone: is.text('`""` when there is none.', '+1 555 0100'),
  },
  'As stated on the order.',
);

const ADDRESS = mapAddressFields((_name, { description, example }) =>
  is.text(`${description} \`""\` when there is none.`, example),
);

const FraudReason = is.object({
  rule: is.text('The rule that fired.', 'disposable_email'),
  score: is.integer('Weight of the rule.', 30),
});

const VERDICTS = ['ACCEPT', 'REVIEW', 'REJECT'];

const Fraud = is.object(
  {
    verdict: is.oneOf([...VERDICTS, ''], '`""` for an order that was not screened.', {
      names: [...VERDICTS, 'NONE'],
    }),
    score: is.integer('Sum of the scores of the reasons.', 0),
    reasons: is.arrayOf(FraudReason, 'Empty when no rule fired.', []),
  },
  'The outcome of the fraud analysis.',
);

const Stage = is.object({
  stage: is.oneOf(PIPELINE_STAGES, 'Name of the stage.'),
  reference: is.text('The shipment or refund that it is about; `""` for none.', ''),
  state: is.oneOf(['pending', 'held', 'done', 'dead'], 'held: waits for a review. dead: failed permanently.'),
  attempts: is.integer('Number of finished attempts, since the last retry by an operator if there was one.', 1),
  last_error: is.text('Code or class of the last failure; `""` when there was none.', ''),
  outcome: is.oneOf(
    ['waiting', ...MAIL_OUTCOMES, 'none'],
    'Outcome of the mail. undeliverable: the address of the recipient is at fault. failed: all attempts failed. not_wanted: ' +
      'the order was placed with `notify: false`, the recipient has no address, the store has switched it off, or the order was ' +
      'cancelled first. none: the stage is not a mail.',
    { example: 'none' },
  ),
  at: is.timestamp('When the stage last changed.'),
});

const AMOUNTS = {
  amount_credited: is.minorUnits(
    'Part of `total_amount` that is no longer owed: cancelled units, refunded goods, shipping and goodwill, and ' +
      'write-offs; all of a refunded order, and all of a cancelled order except its fee.',
    0,
  ),
  amount_owed: is.minorUnits('`total_amount` less `amount_credited`, at least 0, whether paid or not.', 15980),
  amount_paid: is.minorUnits('Sum of the payments.', 0),
  amount_refunded: is.minorUnits('Sum of the refunds.', 0),
  amount_open: is.minorUnits('Outstanding amount: `amount_owed` less payments plus refunds, at least 0.', 15980),
};

const TAX_LINES = is.arrayOf(
  TaxSum,
  'The taxes of the lines and the shipping by name and rate, as the order was sold: no credit lowers them.',
  [],
);

const SUMMARY = {
  id: is.uuid('The order.'),
  receipt_number: is.text('The readable key of the order. Unique in the store.', 'WEB-261120-7K3M9Q'),
  status: is.oneOf(PAYMENT_STATUSES, 'Payment status.'),
  fulfillment_status: is.oneOf(FULFILLMENT_STATUSES, 'Fulfillment stage.'),
  payment_method: is.text('COD or OFFLINE for orders of this API; imported orders may have other methods.', 'COD'),
  amount: is.minorUnits('Sum of the lines.', 15980),
  total_amount: is.minorUnits('Total of the order: `amount` with tax and shipping, less any discount.', 15980),
  currency: is.text('ISO 4217.', 'USD'),
  customer_name: is.text('Display name.', 'Ada Lovelace'),
  source: is.oneOf(ORDER_SOURCES, 'Origin of the order: a point of sale, or the website and this API.', {
    example: 'WEBSITE',
  }),
  created_at: is.timestamp('When the order was placed.'),
};

export const OrderListItem = representation(
  'OrderListItem',
  is.object({
    ...SUMMARY,
    ...is.included({
      updated_at: is.timestamp('When the order last changed.'),
      is_test: is.flag('Whether the order was placed with a test key.'),
      held: is.flag('Whether the order is under review.'),
      units: is.integer('Sum of the quantities of its lines.', 2, 'int64'),
      refund_due: is.minorUnits('Amount to refund. Also with `include=amounts`.', 0),
      due_at: is.orNull(is.timestamp('Due date of the payment; null without terms.')),
      external_reference: is.text('The client\'s own number of the order; `""` when there is none.', 'PO-2026-117'),
      customer_id: is.orNull(is.uuid('The account to which the order is linked; null for a guest.', CUSTOMER_ID)),
      metadata: is.metadata('Custom fields that clients store with the order.'),
      line_items: is.arrayOf(LineItem, 'The lines as they were sold.'),
      payments: is.arrayOf(PaymentOfOrder, 'Recorded payments, in the order in which they were recorded.', []),
    }),
    ...is.included(AMOUNTS, 'amounts'),
    ...is.included({ tax_lines: TAX_LINES }, 'taxes'),
  }),
  { money: 'minor' },
);
export type OrderItemResponse = ValueOf<typeof OrderListItem>;

export const Order = representation(
  'Order',
  is.object({
    ...SUMMARY,
    tax_amount: is.minorUnits('Tax, of the lines and the shipping; 0 where there is none.', 0),
    tax_lines: TAX_LINES,
    shipping_amount: is.minorUnits('Shipping.', 0),
    shipping_tax: is.arrayOf(Tax, 'The taxes of the shipping.', []),
    discount_amount: is.minorUnits('Discount; positive where it lowers the total.', 0),
    adjustment_amount: is.minorUnits(
      'Difference to the total: `amount` + tax + shipping - discount + adjustment = `total_amount`. Minus the tax ' +
        'where the prices include it.',
      0,
    ),
    line_items: is.arrayOf(LineItem, 'The lines as they were sold. Later changes of the products do not change them.'),
    customer: CustomerOfOrder,
    shipping_address: is.object(ADDRESS),
    billing_address: is.object({ name: is.text('Name on the invoice; `""`: the customer.', ''), ...ADDRESS }),
    notes: is.text('`""` when there are none.', 'Ring twice'),
    metadata: is.metadata('Custom fields that clients store with the order.'),
    external_reference: is.text('The client\'s own number of the order; `""` when there is none.', 'PO-2026-117'),
    is_test: is.flag('Whether the order was placed with a test key. Lists contain it with `include=is_test`.'),
    payment_terms_days: is.orNull(is.integer('Payment terms in days; null without terms.', 30)),
    due_at: is.orNull(is.timestamp('Due date of the payment: `created_at` plus the terms, in days of 24 hours.')),
    placed_by: is.described(ACTOR, 'Who placed it: a key or a person; `system` for an imported order.'),
    held: is.flag('Whether the order is under review. It does not ship until it is released.'),
    held_reasons: is.arrayOf(
      is.text('Code of a rule, `manual` or `analysis_unavailable`.', 'amount_over_limit'),
      'Why the order is under review. Empty when it is not.',
      [],
    ),
    fraud: Fraud,
    pipeline: is.arrayOf(
      Stage,
      'The stages of the pipeline, in this order, with their progress. Empty for an imported order that nothing changed.',
      PIPELINE_STAGES.slice(0, 4).map((stage) => ({ ...is.exampleOf(Stage), stage, state: 'done' })),
    ),
    shipments: is.arrayOf(Shipment, 'In the order of their creation.', []),
    payments: is.arrayOf(PaymentOfOrder, 'Recorded payments, in the order of their recording.', []),
    refunds: is.arrayOf(RefundOfOrder, 'Recorded refunds, likewise.', []),
    ...AMOUNTS,
    refund_due: is.minorUnits('Amount to refund: payments less refunds less `amount_owed`, at least 0.', 0),
    cancellation_fee: is.minorUnits('Cancellation fee.', 0),
    updated_at: is.timestamp(
      'When the order, a shipment, a payment or a refund last changed, or its personal data was erased. Each stage has ' +
        'its own time.',
    ),
  }),
  { money: 'minor' },
);
export type OrderResponse = ValueOf<typeof Order>;

function summaryOf(order: OrderSummary) {
  return {
    id: order.id,
    receipt_number: order.receiptNumber,
    status: order.status,
    fulfillment_status: order.fulfillmentStatus,
    payment_method: order.paymentMethod,
    amount: order.amount,
    total_amount: order.totalAmount,
    currency: order.currency,
    customer_name: order.customerName,
    source: order.source,
    created_at: order.createdAt.toISOString(),
  };
}

type Include = (typeof ORDER_INCLUDES)[number];

const INCLUDED: {
  readonly [Word in Exclude<Include, 'amounts' | 'taxes'>]: (order: ListedOrder) => OrderItemResponse[Word];
} = {
  updated_at: ({ updatedAt }) => updatedAt?.toISOString(),
  is_test: ({ isTest }) => isTest,
  held: ({ isHeld }) => isHeld,
  units: ({ units }) => units,
  refund_due: ({ refundDue }) => refundDue,
  due_at: ({ paymentTermsDays = null, createdAt }) => toDueAt({ paymentTermsDays, createdAt }),
  external_reference: ({ externalReference }) => externalReference,
  customer_id: ({ customerId }) => customerId,
  metadata: ({ metadata }) => metadata,
  line_items: ({ lines, fulfillmentStatus }) => lines?.map((line) => toLineItem(line, fulfillmentStatus)),
  payments: ({ payments }) => payments?.map(toPayment),
};

export function toOrderListItem(order: ListedOrder, include: readonly Include[] = []): OrderItemResponse {
  const item = summaryOf(order);
  if (include.length === 0) return item;
  const words = include.filter((word) => word !== 'amounts' && word !== 'taxes');
  Object.assign(item, Object.fromEntries(words.map((word) => [word, INCLUDED[word](order)])));
  if (order.taxLines) Object.assign(item, { tax_lines: order.taxLines.map(toTaxLine) });
  return order.amounts ? Object.assign(item, toAmounts(order.amounts)) : item;
}

export function toOrderResponse(order: OrderRecord): OrderResponse {
  const { name, email, phone } = order.customer;
  const { amount, taxAmount: tax, shippingAmount: shipping, discountAmount: discount, totalAmount: total } = order;
  // In Node 20, an object literal with a spread and more fields takes ten times as long.
  return Object.assign(summaryOf(order), {
    tax_amount: tax,
    tax_lines: taxLinesOf(order).map(toTaxLine),
    shipping_amount: shipping,
    shipping_tax: order.shippingTax.map(toTax),
    discount_amount: discount,
    adjustment_amount: adjustmentOf({ amount, tax, shipping, discount, total }),
    line_items: order.lines.map((line) => toLineItem(line, order.fulfillmentStatus)),
    customer: { id: order.customerId, name, email, phone },
    shipping_address: order.shippingAddress,
    billing_address: order.billingAddress,
    notes: order.notes,
    metadata: order.metadata,
    external_reference: order.externalReference,
    is_test: order.isTest,
    payment_terms_days: order.paymentTermsDays,
    due_at: toDueAt(order),
    placed_by: toActor(order.placedBy),
    held: order.heldReasons !== null,
    held_reasons: [...(order.heldReasons ?? [])],
    fraud: toFraud(order.fraud),
    pipeline: order.pipeline.map(toStage),
    shipments: order.shipments.map(toShipment),
    payments: order.payments.map(toPayment),
    refunds: order.refunds.map(toRefund),
    ...toAmounts(ledgerOf(order)),
    cancellation_fee: order.cancellationFee ?? 0,
    updated_at: order.updatedAt.toISOString(),
  } satisfies Omit<OrderResponse, keyof typeof SUMMARY>);
}

function toDueAt(order: Pick<OrderRecord, 'createdAt' | 'paymentTermsDays'>): string | null {
  return dueAtOf(order)?.toISOString() ?? null;
}

function toAmounts({ credited, owed, paid, refunded, open, refundDue }: OrderLedger) {
  return {
    amount_credited: credited,
    amount_owed: owed,
    amount_paid: paid,
    amount_refunded: refunded,
    amount_open: open,
    refund_due: refundDue,
  };
}

function toTax({ name, rate, amount }: OrderTax): Static<typeof Tax> {
  return { name, rate, amount };
}

function toTaxLine({ name, rate, amount, included }: TaxLine): Static<typeof TaxSum> {
  return { name, rate, amount, included };
}

function toShipment(shipment: ShipmentRecord): Static<typeof Shipment> {
  return {
    reference: shipment.reference,
    status: shipment.status,
    items: shipment.items.map(({ line, quantity }) => ({ line, quantity })),
    carrier: shipment.carrier,
    tracking_number: shipment.trackingNumber,
    tracking_url: shipment.trackingUrl,
    shipped_at: shipment.shippedAt?.toISOString() ?? null,
    delivered_at: shipment.deliveredAt?.toISOString() ?? null,
    address_changed: shipment.isAddressChanged,
  };
}

function toMoney({ reference, amount, at }: MoneyRecord) {
  return { reference, amount, at: at.toISOString() };
}

function toPayment(record: PaymentRecord): Static<typeof PaymentOfOrder> {
  const { writtenOff, method, fee, payout, metadata, ...payment } = record;
  return { ...toMoney(payment), written_off: writtenOff, method, fee, payout, metadata };
}

function toRefund({ reason, credited, lines, restock, ...refund }: RefundRecord): Static<typeof RefundOfOrder> {
  return {
    ...toMoney(refund),
    reason,
    credited,
    lines: lines.map(({ line, quantity, cancelledQuantity }) => {
      return { line, quantity, cancelled_quantity: cancelledQuantity };
    }),
    restock,
  };
}

function toLineItem(line: OrderLineRecord, fulfillmentStatus: string): Static<typeof LineItem> {
  const isCancelled = fulfillmentStatus === 'CANCELLED';
  return {
    line: line.line,
    product_id: line.productId,
    variant_id: line.variantId,
    sku: line.sku,
    name: line.name,
    attributes: line.attributes,
    unit_price: line.unitPrice,
    quantity: line.quantity,
    line_total: line.lineTotal,
    tax: line.tax.map(toTax),
    discount_amount: line.discount,
    price_source: line.priceSource,
    metadata: line.metadata,
    shipped_quantity: line.shippedQuantity,
    cancelled_quantity: isCancelled ? line.quantity - line.shippedQuantity : line.cancelledQuantity,
    returned_quantity: line.returnedQuantity,
    allocations: line.allocations.map(toAllocation),
  };
}

function toAllocation({ warehouse, bin, quantity, shippedQuantity }: Allocation): Static<typeof LineAllocation> {
  return { warehouse, bin, quantity, shipped_quantity: shippedQuantity };
}

/** An order that was not screened has the same keys, so that clients need no special case. */
function toFraud(assessment: FraudAssessment | null): Static<typeof Fraud> {
  return {
    verdict: assessment?.verdict ?? '',
    score: assessment?.score ?? 0,
    reasons: assessment?.reasons.map(({ rule, score }) => ({ rule, score })) ?? [],
  };
}

function toStage(row: PipelineStageRecord): Static<typeof Stage> {
  const { stage, reference, state, attempts, lastError: last_error, outcome, at } = row;
  return { stage, reference, state, attempts, last_error, outcome, at: at.toISOString() };
}
