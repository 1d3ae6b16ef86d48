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
  type LineQuantity,
  type MoneyRecord,
  type PaymentRecord,
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
  readonly billingAddress: Partial<PostalAddress>;
  readonly placed: boolean;
  readonly lines: readonly LineJson[];
  readonly stages: readonly StageJson[];
  readonly shipments: readonly ShipmentJson[];
  readonly payments: readonly PaymentJson[];
  readonly refunds: readonly MoneyJson[];
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

/** Units of a line that the order has given up. */
type CancelledJson = readonly [line: number, quantity: number, bins: readonly number[]];

/** Units that an order has taken from a bin. By product, variant and id of the bin. */
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
    shippingAddress: toAddress(order.shippingAddress),
    billingAddress: toAddress(order.billingAddress),
    pipeline: [...(placed ? stagesOfPlacement(order.createdAt) : []), ...stages.map(toStage)],
    shipments,
    payments: order.payments.map(toPayment),
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

/** A shipment has the bin of each of its units. The other units of a product belong to its lines, one after the other. */
function toLines(row: OrderRow, shipments: readonly Shipment[]): OrderLineRecord[] {
  const claims = claimsByLine(row);
  const binsOf = binsByUnit(row, claims);
  const isWhole = isShippedWhole(row.fulfillmentStatus, shipments);
  return row.lines.map((json, index) => {
    const line = index + 1;
    const claim = claims.get(line) ?? NO_CLAIM;
    const { cancelledQuantity } = claim;
    const kept = quantityOf(json) - cancelledQuantity;
    const allocations = allocationsOf(binsOf.get(unitOf(json)) ?? [], claim, kept, isWhole);
    const shippedQuantity = isWhole ? kept : claim.shippedQuantity;
    return { ...toLine(json), line, shippedQuantity, cancelledQuantity, allocations };
  });
}

/** What the shipments of an order have of a line, and what it has given up. Bins are empty in an imported order. */
interface Claim {
  quantity: number;
  shippedQuantity: number;
  cancelledQuantity: number;
  /** The bin of each unit. */
  readonly bins: number[];
  readonly shippedBins: number[];
  readonly cancelledBins: number[];
}

const noClaim = (): Claim => ({
  ...{ quantity: 0, shippedQuantity: 0, cancelledQuantity: 0 },
  ...{ bins: [], shippedBins: [], cancelledBins: [] },
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
      claim.bins.push(...bins);
      if (!isShipped({ status })) continue;
      claim.shippedQuantity += quantity;
      claim.shippedBins.push(...bins);
    }
  }
  for (const [line, quantity, bins] of cancelled ?? []) {
    const claim = claimOf(line);
    claim.cancelledQuantity += quantity;
    claim.cancelledBins.push(...bins);
  }
  return claims;
}

interface TakenBin {
  readonly id: number;
  readonly warehouse: string;
  readonly bin: string;
  unclaimed: number;
}

/** The bins by product and variant. */
function binsByUnit({ taken, lines }: OrderRow, claims: ReadonlyMap<number, Claim>): Map<string, TakenBin[]> {
  const bins = new Map<string, TakenBin[]>();
  for (const [productId, variantKey, warehouse, bin, unclaimed, id] of taken) {
    const unit = `${productId}/${variantKey}`;
    const others = bins.get(unit);
    if (others) others.push({ id, warehouse, bin, unclaimed });
    else bins.set(unit, [{ id, warehouse, bin, unclaimed }]);
  }
  for (const [line, claim] of claims) {
    const json = lines[line - 1];
    for (const bin of (json && bins.get(unitOf(json))) ?? []) {
      bin.unclaimed -= unitsIn(bin, claim.bins) + unitsIn(bin, claim.cancelledBins);
    }
  }
  return bins;
}

/** Takes what no shipment has of the line from the bins. @param quantity without units that were given up. */
function allocationsOf(bins: readonly TakenBin[], claim: Claim, quantity: number, isWhole: boolean): Allocation[] {
  const allocations: Allocation[] = [];
  let missing = quantity - claim.quantity;
  for (const bin of bins) {
    const open = Math.min(missing, bin.unclaimed);
    const units = unitsIn(bin, claim.bins) + open;
    bin.unclaimed -= open;
    missing -= open;
    if (units === 0) continue;
    const shippedQuantity = isWhole ? units : unitsIn(bin, claim.shippedBins);
    allocations.push({ warehouse: bin.warehouse, bin: bin.bin, quantity: units, shippedQuantity });
  }
  return allocations;
}

function unitsIn({ id }: TakenBin, bins: readonly number[]): number {
  return bins.reduce((units, bin) => units + (bin === id ? 1 : 0), 0);
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

function toLine(line: LineJson): Omit<OrderLineRecord, 'line' | 'shippedQuantity' | 'cancelledQuantity' | 'allocations'> {
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
