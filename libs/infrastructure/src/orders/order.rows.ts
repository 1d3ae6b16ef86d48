import {
  stagesOfPlacement,
  type Allocation,
  type OrderLineRecord,
  type OrderRecord,
  type PipelineStageRecord,
} from '@app/application';
import {
  isShipped,
  isShippedWhole,
  isVoid,
  wholeAddress,
  wholeBillingAddress,
  type BillingAddress,
  type LineQuantity,
  type Metadata,
  type MoneyRecord,
  type PaymentRecord,
  type PostalAddress,
  type RefundRecord,
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
  readonly payments: readonly PaymentJson[];
  readonly refunds: readonly RefundJson[];
  readonly cancelled: readonly CancelledJson[] | null;
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
  metadata: Metadata,
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
  items: readonly (readonly [line: number, quantity: number, bins: readonly number[]])[] | null,
];

type MoneyJson = readonly [reference: string, amount: string, at: string];
type PaymentJson = readonly [...MoneyJson, writtenOff: string | null];
type RefundJson = readonly [...MoneyJson, lines: readonly LineQuantity[] | null];

/** Units of a line that the order has given up. */
type CancelledJson = readonly [line: number, quantity: number, bins: readonly number[]];

/** Units that an order has taken from a bin. */
type TakenJson = readonly [
  productId: number,
  variantKey: number,
  warehouse: string,
  bin: string,
  quantity: number,
  binId: number,
];

export function toOrderRecord(row: OrderRow): OrderRecord {
  const { customerEmail, customerPhone, placed, stages, ...parts } = row;
  const { taken: _taken, lines: _lines, cancelled: _cancelled, ...order } = parts;
  const shipments = row.shipments.map(toShipment);
  // In Node 20, an object literal with a spread and further fields takes ten times as long.
  return Object.assign(order, {
    lines: toLines(row, shipments),
    customer: { name: order.customerName, email: customerEmail, phone: customerPhone },
    shippingAddress: wholeAddress(order.shippingAddress),
    billingAddress: wholeBillingAddress(order.billingAddress),
    pipeline: [...(placed ? stagesOfPlacement(order.createdAt) : []), ...stages.map(toStage)],
    shipments,
    payments: order.payments.map(toPayment),
    refunds: order.refunds.map(toRefund),
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

/** A shipment has the bin of each of its units. The other units of a product belong to its lines, one after the other. */
function toLines(row: OrderRow, shipments: readonly Shipment[]): OrderLineRecord[] {
  const claims = claimsByLine(row);
  const takenOf = takenByUnit(row, claims);
  const isWhole = isShippedWhole(row.fulfillmentStatus, shipments);
  return row.lines.map((json, index) => {
    const line = index + 1;
    const claim = claims.get(line) ?? NO_CLAIM;
    const { cancelledQuantity } = claim;
    const kept = quantityOf(json) - cancelledQuantity;
    const taken = takenOf.get(unitOf(json));
    const allocations = taken ? allocationsOf(taken, claim, kept, isWhole) : [];
    const shippedQuantity = isWhole ? kept : claim.shippedQuantity;
    return { ...toLine(json), line, shippedQuantity, cancelledQuantity, allocations };
  });
}

type UnitsByBin = Map<number, number>;

/** What the shipments of an order have of a line, and what it has given up. Bins are empty in an imported order. */
interface Claim {
  quantity: number;
  shippedQuantity: number;
  cancelledQuantity: number;
  readonly bins: UnitsByBin;
  readonly shippedBins: UnitsByBin;
  readonly cancelledBins: UnitsByBin;
}

const noClaim = (): Claim => ({
  ...{ quantity: 0, shippedQuantity: 0, cancelledQuantity: 0 },
  ...{ bins: new Map(), shippedBins: new Map(), cancelledBins: new Map() },
});
const NO_CLAIM = noClaim();

function claimsByLine({ shipments, cancelled }: OrderRow): Map<number, Claim> {
  const claims = new Map<number, Claim>();
  const claimOf = (line: number) => {
    const claim = claims.get(line) ?? noClaim();
    claims.set(line, claim);
    return claim;
  };
  for (const [, status, , , , , , items] of shipments.filter(([, status]) => !isVoid({ status }))) {
    for (const [line, quantity, bins] of items ?? []) {
      const claim = claimOf(line);
      claim.quantity += quantity;
      addUnits(claim.bins, bins);
      if (!isShipped({ status })) continue;
      claim.shippedQuantity += quantity;
      addUnits(claim.shippedBins, bins);
    }
  }
  for (const [line, quantity, bins] of cancelled ?? []) {
    const claim = claimOf(line);
    claim.cancelledQuantity += quantity;
    addUnits(claim.cancelledBins, bins);
  }
  return claims;
}

function addUnits(units: UnitsByBin, bins: readonly number[]): void {
  for (const bin of bins) units.set(bin, (units.get(bin) ?? 0) + 1);
}

interface TakenBin {
  readonly id: number;
  readonly warehouse: string;
  readonly bin: string;
  unclaimed: number;
}

/** The bins of a product or variant. */
interface Taken {
  readonly byId: Map<number, TakenBin>;
  /** Those that may have unclaimed units, the next one last. */
  readonly open: TakenBin[];
}

function takenByUnit({ taken, lines }: OrderRow, claims: ReadonlyMap<number, Claim>): Map<string, Taken> {
  const units = new Map<string, Taken>();
  for (const [productId, variantKey, warehouse, bin, unclaimed, id] of taken.toReversed()) {
    const unit = `${productId}/${variantKey}`;
    const { byId, open } = units.get(unit) ?? { byId: new Map<number, TakenBin>(), open: [] };
    const one = { id, warehouse, bin, unclaimed };
    byId.set(id, one);
    open.push(one);
    units.set(unit, { byId, open });
  }
  for (const [line, { bins, cancelledBins }] of claims) {
    const json = lines[line - 1];
    const of = json && units.get(unitOf(json));
    for (const [id, claimed] of [...bins, ...cancelledBins]) {
      const bin = of?.byId.get(id);
      if (bin) bin.unclaimed -= claimed;
    }
  }
  return units;
}

/** Takes what no shipment has of the line from the bins. @param quantity without units that were given up. */
function allocationsOf({ byId, open }: Taken, claim: Claim, quantity: number, isWhole: boolean): Allocation[] {
  const units = new Map(claim.bins);
  let missing = quantity - claim.quantity;
  for (let bin = open.at(-1); missing > 0 && bin; bin = open.at(-1)) {
    const taken = Math.max(0, Math.min(missing, bin.unclaimed));
    if (taken > 0) units.set(bin.id, (units.get(bin.id) ?? 0) + taken);
    bin.unclaimed -= taken;
    missing -= taken;
    if (bin.unclaimed <= 0) open.pop();
  }
  const sorted = [...units].sort(([one], [other]) => one - other);
  return sorted.flatMap(([id, count]) => {
    const bin = byId.get(id);
    if (!bin) return [];
    const shippedQuantity = isWhole ? count : (claim.shippedBins.get(id) ?? 0);
    return [{ warehouse: bin.warehouse, bin: bin.bin, quantity: count, shippedQuantity }];
  });
}

function unitOf([productId, variantId]: LineJson): string {
  return `${productId}/${variantId ?? 0}`;
}

function quantityOf([, , , , , , , quantity]: LineJson): number {
  return quantity;
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

function toPayment([reference, amount, at, writtenOff]: PaymentJson): PaymentRecord {
  return { ...toMoney([reference, amount, at]), writtenOff: toSafeInteger(writtenOff ?? '0') };
}

function toRefund([reference, amount, at, lines]: RefundJson): RefundRecord {
  return { ...toMoney([reference, amount, at]), lines: lines ?? [] };
}

function toLine(
  line: LineJson,
): Omit<OrderLineRecord, 'line' | 'shippedQuantity' | 'cancelledQuantity' | 'allocations'> {
  const [
    productId,
    variantId,
    sku,
    name,
    attributes,
    attributeNames,
    unitPrice,
    quantity,
    lineTotal,
    returned,
    metadata,
  ] = line;
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
    metadata,
  };
}

function toStage([stage, reference, state, attempts, lastError, updatedAt]: StageJson): PipelineStageRecord {
  return { stage, reference, state, attempts, lastError, at: new Date(updatedAt) };
}
