import {
  DomainError,
  NO_DETAILS,
  PlacedOrder,
  wholeAddress,
  wholeBillingAddress,
  type RecordedRefund,
  type RecordedShipment,
  type LineQuantity,
  type EffectKind,
  type EffectOf,
  type OrderChange,
  type OrderEvent,
  type PlacedLine,
  type PlacedOrderState,
  type RefundRequest,
  type ShipmentRequest,
} from '@app/domain';

export const AT = new Date('2026-11-20T12:00:00.000Z');
const TRACKING = { carrier: '', trackingNumber: '', trackingUrl: '' };
export const NO_AMOUNTS = {
  ...{ taxAmount: 0, discountAmount: 0, shippingAmount: 0, shippingTax: [] },
  isTaxIncluded: false,
  hasGivenCharges: false,
};
export const ALL = [units(1, 3), units(2, 1)];
export const CONTACT = {
  customer: { name: 'Ada', email: 'ada@example.test', phone: '1' },
  shippingAddress: wholeAddress({ address: '1 Road', city: 'Town' }),
  billingAddress: wholeBillingAddress({ company: 'Ada Ltd' }),
};

/** An order over 35.00 USD: three units of line 1 and one of line 2. */
export function anOrder(values: Partial<PlacedOrderState> = {}): PlacedOrder {
  return new PlacedOrder(stateOf(values));
}

export function stateOf(values: Partial<PlacedOrderState>): PlacedOrderState {
  return {
    createdAt: AT,
    status: 'PENDING',
    fulfillmentStatus: 'PENDING',
    totalAmount: 3500,
    ...NO_AMOUNTS,
    cancelledAmount: 0,
    credits: [],
    cancellationFee: null,
    currency: 'USD',
    contact: CONTACT,
    paymentMethod: 'COD',
    externalReference: '',
    isPlaced: true,
    heldReasons: null,
    hasTakenStock: true,
    lines: [aLine(1, 3), aLine(2, 1)],
    shipments: [],
    payments: [],
    refunds: [],
    unshippedStatus: 'PENDING',
    metadata: {},
    lineMetadata: [],
    mails: [],
    eventCounts: {},
    ...values,
  };
}

export function aLine(line: number, quantity: number, values: Partial<PlacedLine> = {}): PlacedLine {
  const unitPrice = line === 1 ? 1000 : 500;
  const units = { quantity, returnedQuantity: 0, cancelledQuantity: 0, binQuantity: quantity };
  const item = { productId: line, variantId: null, sku: '', name: `Product ${line}`, attributes: {} };
  return { line, ...item, unitPrice, tax: [], discount: 0, ...units, ...values };
}

export function units(line: number, quantity: number) {
  return { line, quantity };
}

export function aShipment(values: Partial<RecordedShipment> = {}): RecordedShipment {
  const { reference = 'S-1', status = 'shipped' } = values;
  const times = { shippedAt: status === 'picking' ? null : AT, deliveredAt: null };
  return { ...TRACKING, reference, status, items: ALL, ...times, notify: true, requestHash: 'hash', ...values };
}

export const shipping = (values: Partial<ShipmentRequest> = {}) => ({
  ...TRACKING,
  reference: 'S-9',
  items: null,
  status: 'shipped' as const,
  shippedAt: null,
  notify: true,
  requestHash: 'hash',
  ...values,
});
export const cancellation = { reason: '', restock: true, notify: true };
export const refunding = (values: Partial<RefundRequest> = {}) => ({
  reference: 're_9',
  amount: 1000,
  reason: null,
  credited: null,
  lines: null,
  restock: null,
  restockTo: null,
  notify: true,
  at: null,
  requestHash: 'hash',
  ...values,
});
export const money = (reference: string, amount: number, writtenOff = 0) => ({
  ...{ reference, amount, writtenOff, ...NO_DETAILS },
  requestHash: 'hash',
});
export const refunded = (
  reference: string,
  amount: number,
  lines: readonly (LineQuantity & { readonly cancelledQuantity?: number })[] = [],
  values: Partial<RecordedRefund> = {},
): RecordedRefund => ({
  ...{ reference, amount, requestHash: 'hash', credited: amount, restock: false },
  reason: lines.length > 0 ? 'goods' : 'goodwill',
  lines: lines.map((each) => ({ cancelledQuantity: 0, ...each })),
  ...values,
});

export function thrown(change: () => unknown): string {
  try {
    change();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
  return 'nothing';
}

export function textOf(events: readonly OrderEvent[]): string[] {
  return events.map(({ event, from, to }) => (event === 'status_changed' ? `${from}>${to}` : event));
}

export const statesOf = ({ status, fulfillmentStatus }: OrderChange) => `${status} ${fulfillmentStatus}`;

/** Returns what the change does, by kind. */
export function effectsOf({ effects }: OrderChange): { readonly [Kind in EffectKind]?: Omit<EffectOf<Kind>, 'kind'> } {
  return Object.fromEntries(effects.map(({ kind, ...effect }) => [kind, effect]));
}
