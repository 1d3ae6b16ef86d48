import {
  outcomeOf,
  stagesOfPlacement,
  type Allocation,
  type MailOutcome,
  type OrderLineRecord,
  type OrderRecord,
  type PipelineStageRecord,
  type ShipmentRecord,
} from '@app/application';
import {
  isShipped,
  isShippedWhole,
  unitsByLine,
  wholeAddress,
  wholeBillingAddress,
  type BillingAddress,
  type RecordedPayment,
  type RecordedRefund,
  type RecordedShipment,
  type LineQuantity,
  type PostalAddress,
  type Tax,
} from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

type Parts =
  | 'lines'
  | 'shippingTax'
  | 'customer'
  | 'shippingAddress'
  | 'billingAddress'
  | 'pipeline'
  | 'shipments'
  | 'payments'
  | 'refunds';

/** A row of `SELECT_ORDERS`: fields of the order's record, and the parts that the other fields are made from. */
export interface OrderRow extends Omit<OrderRecord, Parts> {
  readonly shippingTax: readonly Tax[] | null;
  readonly customerEmail: string;
  readonly customerPhone: string;
  readonly shippingAddress: Partial<PostalAddress>;
  readonly billingAddress: Partial<BillingAddress>;
  readonly placed: boolean;
  readonly lines: readonly LineJson[];
  readonly stages: readonly StageJson[];
  readonly shipments: readonly ShipmentJson[];
  readonly payments: readonly MoneyJson<RecordedPayment>[];
  readonly refunds: readonly RefundJson[];
  readonly allocations: readonly AllocationJson[];
}

/** The record, and what shows whether a request is a repetition. */
export interface StoredOrderRecord extends OrderRecord {
  readonly shipments: readonly (ShipmentRecord & RecordedShipment)[];
  readonly payments: readonly (RecordedPayment & { readonly at: Date })[];
  readonly refunds: readonly (RecordedRefund & { readonly at: Date })[];
}

type AmountOfLine = 'unitPrice' | 'lineTotal' | 'discount';

interface LineJson extends Omit<OrderLineRecord, AmountOfLine | 'tax' | 'shippedQuantity' | 'allocations'> {
  readonly attributeNames: readonly string[];
  readonly unitPrice: string;
  readonly lineTotal: string;
  readonly discount: string | null;
  readonly tax: readonly Tax[] | null;
}

interface StageJson extends Omit<PipelineStageRecord, 'outcome' | 'at'> {
  readonly outcome: MailOutcome | null;
  readonly at: string;
}

interface ShipmentJson extends Omit<ShipmentRecord & RecordedShipment, 'shippedAt' | 'deliveredAt'> {
  readonly shippedAt: string | null;
  readonly deliveredAt: string | null;
}

/** Amounts are text, because JSON numbers are not exact. */
type MoneyJson<Money extends RecordedPayment | RecordedRefund> = {
  readonly [Field in keyof Money]: Money[Field] extends number ? string : Money[Field];
} & { readonly at: string };

type RefundJson = Omit<MoneyJson<RecordedRefund>, 'lines'> & {
  readonly lines: readonly (LineQuantity & { readonly cancelled_quantity?: number })[];
};

interface AllocationJson extends Allocation {
  readonly line: number;
}

/** The parts of an order that its lines are made from. */
export type LineParts = Pick<OrderRow, 'lines' | 'shipments' | 'allocations' | 'fulfillmentStatus'>;

export function toPayments({ payments }: Pick<OrderRow, 'payments'>): StoredOrderRecord['payments'] {
  return payments.map(toPayment);
}

export function toOrderRecord(row: OrderRow): StoredOrderRecord {
  const { customerEmail, customerPhone, placed, stages, allocations: _, ...order } = row;
  // In Node 20, an object literal with a spread and more fields takes ten times as long.
  return Object.assign(order, {
    lines: toLines(row),
    shippingTax: toTaxes(row.shippingTax),
    customer: { name: order.customerName, email: customerEmail, phone: customerPhone },
    shippingAddress: wholeAddress(order.shippingAddress),
    billingAddress: wholeBillingAddress(order.billingAddress),
    pipeline: [...(placed ? stagesOfPlacement(order.createdAt) : []), ...stages.map(toStage)],
    shipments: row.shipments.map(toShipment),
    payments: toPayments(row),
    refunds: row.refunds.map(toRefund),
  });
}

/** A row that was stored as JSON. */
export type StoredOrder = Omit<OrderRow, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
};

export function fromStored({ createdAt, updatedAt, ...row }: StoredOrder): OrderRecord {
  return toOrderRecord({ ...row, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) });
}

/** An order that was set to a shipped status without shipments has shipped as a whole. */
export function toLines({ lines, shipments, allocations, fulfillmentStatus }: LineParts): OrderLineRecord[] {
  const isWhole = isShippedWhole(fulfillmentStatus, shipments);
  const shipped = unitsByLine(shipments.filter(isShipped).flatMap(({ items }) => items));
  const allocationsOf = new Map<number, Allocation[]>();
  for (const { line, warehouse, bin, quantity, shippedQuantity } of allocations) {
    const allocation = { warehouse, bin, quantity, shippedQuantity: isWhole ? quantity : shippedQuantity };
    const known = allocationsOf.get(line);
    if (known) known.push(allocation);
    else allocationsOf.set(line, [allocation]);
  }
  return lines.map((json) => ({
    line: json.line,
    productId: json.productId,
    variantId: json.variantId,
    sku: json.sku,
    name: json.name,
    attributes: sortAttributes(json.attributes, json.attributeNames),
    unitPrice: toSafeInteger(json.unitPrice),
    quantity: json.quantity,
    lineTotal: toSafeInteger(json.lineTotal),
    metadata: json.metadata,
    tax: toTaxes(json.tax),
    discount: json.discount === null ? 0 : toSafeInteger(json.discount),
    priceSource: json.priceSource ?? null,
    shippedQuantity: isWhole ? json.quantity - json.cancelledQuantity : (shipped.get(json.line) ?? 0),
    returnedQuantity: json.returnedQuantity,
    cancelledQuantity: json.cancelledQuantity,
    allocations: allocationsOf.get(json.line) ?? [],
  }));
}

/** The amounts are exact: no order costs more than the greatest exact integer. */
function toTaxes(taxes: readonly Tax[] | null): Tax[] {
  return taxes ? taxes.map(({ name, rate, amount }) => ({ name, rate, amount })) : [];
}

function toShipment(json: ShipmentJson): ShipmentRecord & RecordedShipment {
  return {
    reference: json.reference,
    status: json.status,
    items: json.items,
    carrier: json.carrier,
    trackingNumber: json.trackingNumber,
    trackingUrl: json.trackingUrl,
    shippedAt: json.shippedAt === null ? null : new Date(json.shippedAt),
    deliveredAt: json.deliveredAt === null ? null : new Date(json.deliveredAt),
    isAddressChanged: json.isAddressChanged,
    notify: json.notify,
    requestHash: json.requestHash,
  };
}

function toPayment(payment: MoneyJson<RecordedPayment>) {
  const { reference, amount, at, writtenOff, method, fee, payout, metadata, requestHash } = payment;
  return {
    reference,
    amount: toSafeInteger(amount),
    at: new Date(at),
    writtenOff: toSafeInteger(writtenOff),
    method,
    fee: toSafeInteger(fee),
    payout,
    metadata,
    requestHash,
  };
}

function toRefund({ reference, amount, at, reason, credited, lines, restock, requestHash }: RefundJson) {
  return {
    reference,
    amount: toSafeInteger(amount),
    at: new Date(at),
    reason,
    credited: toSafeInteger(credited),
    lines: lines.map(({ line, quantity, cancelled_quantity: cancelledQuantity = 0 }) => {
      return { line, quantity, cancelledQuantity };
    }),
    restock,
    requestHash,
  };
}

function toStage({ stage, reference, state, attempts, lastError, outcome, at }: StageJson): PipelineStageRecord {
  return { stage, reference, state, attempts, lastError, outcome: outcomeOf(stage, outcome), at: new Date(at) };
}
