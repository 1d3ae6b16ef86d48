import {
  PIPELINE_STAGES,
  type OrderLineRecord,
  type OrderRecord,
  type OrderSummary,
  type PipelineStageRecord,
} from '@app/application';
import {
  FULFILLMENT_STATUSES,
  ORDER_SOURCES,
  PAYMENT_STATUSES,
  type FraudAssessment,
  type PostalAddress,
} from '@app/domain';
import {
  arrayOf,
  flag,
  id,
  integer,
  minorUnits,
  object,
  oneOf,
  orNull,
  text,
  timestamp,
  uuid,
} from '../openapi/schema.js';

export type OrderListItem = ReturnType<typeof toOrderListItem>;
export type OrderResponse = ReturnType<typeof toOrderResponse>;

/** Amounts are in minor units. */
export function toOrderListItem(order: OrderSummary) {
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

/** The full record: a list item with the lines and all other public fields of the order. */
export function toOrderResponse(order: OrderRecord) {
  const { name, email, phone } = order.customer;
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(toOrderListItem(order), {
    line_items: order.lines.map(toLineItem),
    customer: { id: order.customerId, name, email, phone },
    shipping_address: toAddress(order.shippingAddress),
    billing_address: toAddress(order.billingAddress),
    notes: order.notes,
    external_reference: order.externalReference,
    is_test: order.isTest,
    fraud: toFraud(order.fraud),
    pipeline: order.pipeline.map(toStage),
    updated_at: order.updatedAt.toISOString(),
  });
}

function toLineItem(line: OrderLineRecord) {
  return {
    product_id: line.productId,
    variant_id: line.variantId,
    sku: line.sku,
    name: line.name,
    attributes: line.attributes,
    unit_price: line.unitPrice,
    quantity: line.quantity,
    line_total: line.lineTotal,
  };
}

function toAddress({ address, city, zip }: PostalAddress) {
  return { address, city, zip };
}

/** An order that was not screened has the same keys, so that clients need no special case. */
function toFraud(assessment: FraudAssessment | null) {
  return {
    verdict: assessment?.verdict ?? '',
    score: assessment?.score ?? 0,
    reasons: assessment?.reasons.map(({ rule, score }) => ({ rule, score })) ?? [],
  };
}

function toStage(stage: PipelineStageRecord) {
  return {
    stage: stage.stage,
    state: stage.state,
    attempts: stage.attempts,
    last_error: stage.lastError,
    at: stage.at.toISOString(),
  };
}

export const ORDER_LIST_ITEM = object<OrderListItem>({
  id: uuid('The order.'),
  receipt_number: text('The readable key of the order. Unique in the store.', 'WEB-261120-7K3M9Q'),
  status: oneOf(PAYMENT_STATUSES, 'Payment status.'),
  fulfillment_status: oneOf(FULFILLMENT_STATUSES, 'Fulfillment stage.'),
  payment_method: text('COD or OFFLINE; orders of a point of sale have other methods.', 'COD'),
  amount: minorUnits('Sum of the lines.'),
  total_amount: minorUnits('The amount owed: `amount` with tax and shipping, less any discount.'),
  currency: text('ISO 4217.', 'USD'),
  customer_name: text('Display name.', 'Ada Lovelace'),
  source: oneOf(ORDER_SOURCES, 'Where the order comes from: a point of sale, or the website and this API.'),
  created_at: timestamp('When the order was placed.'),
});

type LineItem = OrderResponse['line_items'][number];

const ADDRESS = {
  address: text('`""` when there is none.', '12 St James Square'),
  city: text('`""` when there is none.', 'London'),
  zip: text('`""` when there is none.', 'SW1Y 4JH'),
};

export const ORDER = object<OrderResponse>({
  ...ORDER_LIST_ITEM.properties,
  line_items: arrayOf(
    object<LineItem>({
      product_id: orNull(id('The product; null when an imported order names none.')),
      variant_id: orNull(id('The variant; null when there is none.')),
      sku: text('`""` when there is none.', 'R-1-42'),
      name: text('Name of the product.', 'Runner'),
      attributes: {
        type: 'object',
        description: 'Attributes of the variant, by name.',
        additionalProperties: { type: 'string' },
        examples: [{ Size: '42', Color: 'Blue' }],
      },
      unit_price: minorUnits('Price of one unit.'),
      quantity: integer('Units.', 2),
      line_total: minorUnits('Price of the line.'),
    }),
    'The lines as they were sold. Later changes of the products do not change them.',
  ),
  customer: object<OrderResponse['customer']>(
    {
      id: orNull(uuid('The account to which the order is linked, by its e-mail when it was placed; null for a guest.')),
      name: text('Display name.', 'Ada Lovelace'),
      email: text('`""` when there is none.', 'ada@example.com'),
      phone: text('`""` when there is none.', '+44 20 7946 0000'),
    },
    { description: 'As stated on the order.' },
  ),
  shipping_address: object<OrderResponse['shipping_address']>(ADDRESS),
  billing_address: object<OrderResponse['billing_address']>(ADDRESS),
  notes: text('`""` when there are none.', 'Please ring twice'),
  external_reference: text('The client\'s own number of the order; `""` when there is none.', 'PO-2026-117'),
  is_test: flag('Whether the order was placed with a test key. Lists do not contain this field.'),
  fraud: object<OrderResponse['fraud']>(
    {
      verdict: oneOf(['ACCEPT', 'REVIEW', 'REJECT', ''], '`""` for an order that was not screened.', [
        'ACCEPT',
        'REVIEW',
        'REJECT',
        'NONE',
      ]),
      score: integer('Sum of the scores of the reasons.', 30),
      reasons: arrayOf(
        object<OrderResponse['fraud']['reasons'][number]>({
          rule: text('The rule that fired.', 'disposable_email'),
          score: integer('Weight of the rule.', 30),
        }),
        'Empty when no rule fired.',
      ),
    },
    { description: 'The outcome of the fraud analysis.' },
  ),
  pipeline: arrayOf(
    object<OrderResponse['pipeline'][number]>({
      stage: oneOf(PIPELINE_STAGES, 'Name of the stage.'),
      state: oneOf(['pending', 'held', 'done', 'dead'], 'held: waits for a review. dead: failed for good.'),
      attempts: integer('Number of attempts that have ended, since an operator retried the stage, if one did.', 1),
      last_error: text('Code or class of the last failure; `""` when there was none.', ''),
      at: timestamp('When the stage last changed.'),
    }),
    'The stages of the pipeline, in this order, with their progress. Empty for imported orders.',
  ),
  updated_at: timestamp(
    'When a status of the order last changed, or its personal data was erased. Each stage has its own time.',
  ),
});
