import {
  DomainError,
  PlacedOrder,
  wholeAddress,
  type KnownShipment,
  type OrderChange,
  type OrderEvent,
  type PlacedOrderState,
  type RefundRequest,
  type ShipmentRequest,
} from '@app/domain';

export const AT = new Date('2026-11-20T12:00:00.000Z');
const TRACKING = { carrier: '', trackingNumber: '', trackingUrl: '' };
export const ALL = [units(1, 3), units(2, 1)];
export const CONTACT = {
  customer: { name: 'Ada', email: 'ada@example.test', phone: '1' },
  shippingAddress: wholeAddress({ address: '1 Road', city: 'Town' }),
};

/** An order over 35.00 USD: three units of line 1 and one of line 2. */
export function anOrder(values: Partial<PlacedOrderState> = {}): PlacedOrder {
  return new PlacedOrder(stateOf(values));
}

export function stateOf(values: Partial<PlacedOrderState>): PlacedOrderState {
  return {
    status: 'PENDING',
    fulfillmentStatus: 'PENDING',
    totalAmount: 3500,
    currency: 'USD',
    contact: CONTACT,
    isHeld: false,
    isHeldByPerson: false,
    isConfirmationHeld: false,
    hasTakenStock: true,
    lines: [aLine(1, 3), aLine(2, 1)],
    shipments: [],
    payments: [],
    refunds: [],
    unshippedStatus: 'PENDING',
    metadata: {},
    lineMetadata: [],
    mails: [],
    ...values,
  };
}

export function aLine(line: number, quantity: number, { returned = 0, cancelledQuantity = 0 } = {}) {
  const unitPrice = line === 1 ? 1000 : 500;
  return { line, productId: line, variantId: null, quantity, unitPrice, returned, cancelledQuantity };
}

export function units(line: number, quantity: number) {
  return { line, quantity };
}

export function aShipment(values: Partial<KnownShipment> = {}): KnownShipment {
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
  lines: null,
  restock: false,
  restockTo: null,
  notify: true,
  at: null,
  requestHash: 'hash',
  ...values,
});
export const money = (reference: string, amount: number, writtenOff = 0) => ({
  ...{ reference, amount, writtenOff },
  requestHash: 'hash',
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
