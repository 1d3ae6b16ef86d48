import {
  stagesOfPlacement,
  type OrderLineRecord,
  type OrderRecord,
  type OrderSummary,
  type PipelineStageRecord,
} from '@app/application';
import type { FraudAssessment, PostalAddress, VariantAttributes } from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

/** A row of `orders` as pg returns it: bigint is text. */
export interface OrderRow {
  readonly id: string;
  readonly receipt_number: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly payment_method: string;
  readonly amount: string;
  readonly total_amount: string;
  readonly currency: string;
  readonly customer_name: string;
  readonly source: string;
  readonly created_at: Date;
}

/** A row with the order's parts, which come as JSON. */
export interface OrderRecordRow extends OrderRow {
  readonly tax_amount: string;
  readonly shipping_amount: string;
  readonly discount_amount: string;
  readonly customer_id: string | null;
  readonly customer_email: string;
  readonly customer_phone: string;
  readonly shipping_address: Partial<PostalAddress>;
  readonly billing_address: Partial<PostalAddress>;
  readonly notes: string;
  readonly external_reference: string | null;
  readonly is_test: boolean;
  readonly placed: boolean;
  readonly updated_at: Date;
  readonly lines: readonly LineJson[];
  readonly fraud: FraudAssessment | null;
  readonly stages: readonly StageJson[];
}

type LineJson = readonly [
  productId: number | null,
  variantId: number | null,
  sku: string,
  name: string,
  attributes: VariantAttributes,
  attributeNames: readonly string[],
  unitPrice: string,
  quantity: number,
  lineTotal: string,
];

type StageJson = readonly [stage: string, state: string, attempts: number, lastError: string, updatedAt: string];

export function toOrderSummary(row: OrderRow): OrderSummary {
  return {
    id: row.id,
    receiptNumber: row.receipt_number,
    status: row.status,
    fulfillmentStatus: row.fulfillment_status,
    paymentMethod: row.payment_method,
    amount: toSafeInteger(row.amount),
    totalAmount: toSafeInteger(row.total_amount),
    currency: row.currency,
    customerName: row.customer_name,
    source: row.source,
    createdAt: row.created_at,
  };
}

export function toOrderRecord(row: OrderRecordRow): OrderRecord {
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(toOrderSummary(row), {
    taxAmount: toSafeInteger(row.tax_amount),
    shippingAmount: toSafeInteger(row.shipping_amount),
    discountAmount: toSafeInteger(row.discount_amount),
    lines: row.lines.map(toLine),
    customer: { name: row.customer_name, email: row.customer_email, phone: row.customer_phone },
    customerId: row.customer_id,
    shippingAddress: toAddress(row.shipping_address),
    billingAddress: toAddress(row.billing_address),
    notes: row.notes,
    externalReference: row.external_reference ?? '',
    isTest: row.is_test,
    fraud: row.fraud,
    pipeline: [...(row.placed ? stagesOfPlacement(row.created_at) : []), ...row.stages.map(toStage)],
    updatedAt: row.updated_at,
  });
}

function toLine(line: LineJson): OrderLineRecord {
  const [productId, variantId, sku, name, attributes, attributeNames, unitPrice, quantity, lineTotal] = line;
  return {
    productId,
    variantId,
    sku,
    name,
    attributes: sortAttributes(attributes, attributeNames),
    unitPrice: toSafeInteger(unitPrice),
    quantity,
    lineTotal: toSafeInteger(lineTotal),
  };
}

/** An imported address may lack any of its parts. */
function toAddress({ address, city, zip, region, country }: Partial<PostalAddress>): PostalAddress {
  return { address: address ?? '', city: city ?? '', zip: zip ?? '', region: region ?? '', country: country ?? '' };
}

function toStage([stage, state, attempts, lastError, updatedAt]: StageJson): PipelineStageRecord {
  return { stage, state, attempts, lastError, at: new Date(updatedAt) };
}
