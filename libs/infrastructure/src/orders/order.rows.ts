import {
  stagesOfPlacement,
  type Allocation,
  type OrderLineRecord,
  type OrderRecord,
  type OrderSummary,
  type PipelineStageRecord,
} from '@app/application';
import {
  isShippedWhole,
  shippedUnitsOf,
  type FraudAssessment,
  type LineQuantity,
  type MoneyRecord,
  type PostalAddress,
  type Shipment,
  type ShipmentStatus,
  type VariantAttributes,
} from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

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
  readonly shipments: readonly ShipmentJson[];
  readonly payments: readonly MoneyJson[];
  readonly refunds: readonly MoneyJson[];
  readonly taken: readonly TakenJson[];
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
  returned: number,
];

type StageJson = readonly [
  stage: string,
  reference: string,
  state: string,
  attempts: number,
  lastError: string,
  updatedAt: string,
];

type ShipmentJson = readonly [
  reference: string,
  status: ShipmentStatus,
  carrier: string,
  trackingNumber: string,
  trackingUrl: string,
  shippedAt: string | null,
  deliveredAt: string | null,
  items: readonly (readonly [line: number, quantity: number])[] | null,
];

type MoneyJson = readonly [reference: string, amount: string, at: string];

/** Units that an order has taken from a bin. */
type TakenJson = readonly [productId: number, variantKey: number, warehouse: string, bin: string, quantity: number];

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
  const shipments = row.shipments.map(toShipment);
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(toOrderSummary(row), {
    taxAmount: toSafeInteger(row.tax_amount),
    shippingAmount: toSafeInteger(row.shipping_amount),
    discountAmount: toSafeInteger(row.discount_amount),
    lines: toLines(row, shipments),
    customer: { name: row.customer_name, email: row.customer_email, phone: row.customer_phone },
    customerId: row.customer_id,
    shippingAddress: toAddress(row.shipping_address),
    billingAddress: toAddress(row.billing_address),
    notes: row.notes,
    externalReference: row.external_reference ?? '',
    isTest: row.is_test,
    fraud: row.fraud,
    pipeline: [...(row.placed ? stagesOfPlacement(row.created_at) : []), ...row.stages.map(toStage)],
    shipments,
    payments: row.payments.map(toMoney),
    refunds: row.refunds.map(toMoney),
    updatedAt: row.updated_at,
  });
}

export type KeptOrder = Omit<OrderRecordRow, 'created_at' | 'updated_at'> & {
  readonly created_at: string;
  readonly updated_at: string;
};

export function fromKept({ created_at, updated_at, ...row }: KeptOrder): OrderRecord {
  return toOrderRecord({ ...row, created_at: new Date(created_at), updated_at: new Date(updated_at) });
}

/** Lines of the same product take from its bins one after the other. */
function toLines(row: OrderRecordRow, shipments: readonly Shipment[]): OrderLineRecord[] {
  const binsOf = binsByUnit(row.taken);
  const shippedUnits = isShippedWhole(row.fulfillment_status, shipments) ? null : shippedUnitsOf(shipments);
  return row.lines.map((json, index) => {
    const line = index + 1;
    const [productId, variantId, , , , , , quantity] = json;
    const allocations = takeFrom(binsOf.get(`${productId}/${variantId ?? 0}`) ?? [], quantity);
    const shippedQuantity = shippedUnits ? (shippedUnits.get(line) ?? 0) : quantity;
    return { ...toLine(json), line, shippedQuantity, allocations };
  });
}

interface TakenBin {
  readonly warehouse: string;
  readonly bin: string;
  remaining: number;
}

/** The bins by product and variant, the next one last. */
function binsByUnit(taken: readonly TakenJson[]): Map<string, TakenBin[]> {
  const bins = new Map<string, TakenBin[]>();
  for (const [productId, variantKey, warehouse, bin, remaining] of taken.toReversed()) {
    const unit = `${productId}/${variantKey}`;
    const others = bins.get(unit);
    if (others) others.push({ warehouse, bin, remaining });
    else bins.set(unit, [{ warehouse, bin, remaining }]);
  }
  return bins;
}

/** Takes units from the last bins, and removes those that are used up. */
function takeFrom(bins: TakenBin[], quantity: number): Allocation[] {
  const allocations: Allocation[] = [];
  let missing = quantity;
  for (let bin = bins.at(-1); missing > 0 && bin; bin = bins.at(-1)) {
    const units = Math.min(missing, bin.remaining);
    allocations.push({ warehouse: bin.warehouse, bin: bin.bin, quantity: units });
    bin.remaining -= units;
    missing -= units;
    if (bin.remaining === 0) bins.pop();
  }
  return allocations;
}

function toShipment(json: ShipmentJson): Shipment {
  const [reference, status, carrier, trackingNumber, trackingUrl, shippedAt, deliveredAt, items] = json;
  return {
    reference,
    status,
    items: (items ?? []).map(([line, quantity]): LineQuantity => ({ line, quantity })),
    carrier,
    trackingNumber,
    trackingUrl,
    shippedAt: shippedAt === null ? null : new Date(shippedAt),
    deliveredAt: deliveredAt === null ? null : new Date(deliveredAt),
  };
}

function toMoney([reference, amount, at]: MoneyJson): MoneyRecord {
  return { reference, amount: toSafeInteger(amount), at: new Date(at) };
}

function toLine(line: LineJson): Omit<OrderLineRecord, 'line' | 'shippedQuantity' | 'allocations'> {
  const [productId, variantId, sku, name, attributes, attributeNames, unitPrice, quantity, lineTotal, returned] = line;
  return {
    productId,
    variantId,
    sku,
    name,
    attributes: sortAttributes(attributes, attributeNames),
    unitPrice: toSafeInteger(unitPrice),
    quantity,
    lineTotal: toSafeInteger(lineTotal),
    returnedQuantity: returned,
  };
}

function toAddress({ address, city, zip, region, country }: Partial<PostalAddress>): PostalAddress {
  return { address: address ?? '', city: city ?? '', zip: zip ?? '', region: region ?? '', country: country ?? '' };
}

function toStage([stage, reference, state, attempts, lastError, updatedAt]: StageJson): PipelineStageRecord {
  return { stage, reference, state, attempts, lastError, at: new Date(updatedAt) };
}
