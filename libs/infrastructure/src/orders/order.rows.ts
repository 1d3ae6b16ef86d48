import {
  stagesOfPlacement,
  type Allocation,
  type OrderLineRecord,
  type OrderRecord,
  type PipelineStageRecord,
} from '@app/application';
import {
  isShippedWhole,
  shippedUnitsOf,
  wholeAddress,
  wholeBillingAddress,
  type BillingAddress,
  type LineQuantity,
  type MoneyRecord,
  type PostalAddress,
  type Shipment,
  type ShipmentStatus,
  type VariantAttributes,
} from '@app/domain';
import { sortAttributes } from '../postgres/attributes.js';
import { toSafeInteger } from '../postgres/integers.js';

type MadeFromParts =
  'lines' | 'customer' | 'shippingAddress' | 'billingAddress' | 'pipeline' | 'shipments' | 'payments' | 'refunds';

/** A row of `SELECT_ORDERS`: what an order's record has, and the parts from which the rest of it is made. */
export interface OrderRow extends Omit<OrderRecord, MadeFromParts> {
  readonly customerEmail: string;
  readonly customerPhone: string;
  readonly shippingAddress: Partial<PostalAddress>;
  readonly billingAddress: Partial<BillingAddress>;
  readonly placed: boolean;
  readonly lines: readonly LineJson[];
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

export function toOrderRecord(row: OrderRow): OrderRecord {
  const { customerEmail, customerPhone, placed, stages, taken: _taken, lines: _lines, ...order } = row;
  const shipments = row.shipments.map(toShipment);
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(order, {
    lines: toLines(row, shipments),
    customer: { name: order.customerName, email: customerEmail, phone: customerPhone },
    shippingAddress: wholeAddress(order.shippingAddress),
    billingAddress: wholeBillingAddress(order.billingAddress),
    pipeline: [...(placed ? stagesOfPlacement(order.createdAt) : []), ...stages.map(toStage)],
    shipments,
    payments: order.payments.map(toMoney),
    refunds: order.refunds.map(toMoney),
  });
}

/** A row that was kept as JSON. */
export type KeptOrder = Omit<OrderRow, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
};

export function fromKept({ createdAt, updatedAt, ...row }: KeptOrder): OrderRecord {
  return toOrderRecord({ ...row, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) });
}

/** Lines of the same product take from its bins one after the other. */
function toLines(row: OrderRow, shipments: readonly Shipment[]): OrderLineRecord[] {
  const binsOf = binsByUnit(row.taken);
  const shippedUnits = isShippedWhole(row.fulfillmentStatus, shipments) ? null : shippedUnitsOf(shipments);
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

function toStage([stage, reference, state, attempts, lastError, updatedAt]: StageJson): PipelineStageRecord {
  return { stage, reference, state, attempts, lastError, at: new Date(updatedAt) };
}
