import type { OrderLineRecord, OrderRecord, OrderSummary, PipelineStageRecord } from '@app/application';
import type { FraudAssessment, PostalAddress } from '@app/domain';

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

/** The full record: a list item with its lines and everything else there is to know of the order. */
export function toOrderResponse(order: OrderRecord) {
  const { name, email, phone } = order.customer;
  return {
    ...toOrderListItem(order),
    line_items: order.lines.map(toLineItem),
    customer: { name, email, phone },
    shipping_address: toAddress(order.shippingAddress),
    billing_address: toAddress(order.billingAddress),
    notes: order.notes,
    is_test: order.isTest,
    fraud: toFraud(order.fraud),
    pipeline: order.pipeline.map(toStage),
    updated_at: order.updatedAt.toISOString(),
  };
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

/** An order that was never screened has the same keys, so that clients need no second case. */
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
