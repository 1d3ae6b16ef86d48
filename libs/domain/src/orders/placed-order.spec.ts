import { DomainError } from '../shared/domain-error.js';
import { ANALYSIS_UNAVAILABLE } from '../fraud/fraud-assessment.js';
import { wholeAddress } from '../shared/postal-address.js';
import { cancelOrder } from './cancel-order.js';
import { changeContact, changedParts, correctedContact, type ContactPatch } from './change-contact.js';
import { holdOrder } from './hold-order.js';
import { moveStatus, type Transition } from './move-status.js';
import type { KnownShipment, OrderChange } from './order-change.js';
import type { OrderEvent } from './order-event.js';
import { amountOwedOf, refundDueOf } from './order-money.js';
import { PlacedOrder, type PlacedOrderState } from './placed-order.js';
import { recordPayment, type PaymentRequest } from './record-payment.js';
import { recordRefund, type RefundRequest } from './record-refund.js';
import { releaseOrder } from './release-order.js';
import { setStatuses } from './set-statuses.js';
import { changeShipment, shipOrder, type ShipmentPatch, type ShipmentRequest } from './ship-order.js';

const AT = new Date('2026-11-20T12:00:00.000Z');
const TRACKING = { carrier: '', trackingNumber: '', trackingUrl: '' };
const ALL = [units(1, 3), units(2, 1)];
const CONTACT = {
  customer: { name: 'Ada', email: 'ada@example.test', phone: '1' },
  shippingAddress: wholeAddress({ address: '1 Road', city: 'Town' }),
};

/** An order over 35.00 USD: three units of line 1 and one of line 2. */
function anOrder(values: Partial<PlacedOrderState> = {}): PlacedOrder {
  return new PlacedOrder(stateOf(values));
}

function stateOf(values: Partial<PlacedOrderState>): PlacedOrderState {
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

function aLine(line: number, quantity: number, { returned = 0, cancelledQuantity = 0 } = {}) {
  const unitPrice = line === 1 ? 1000 : 500;
  return { line, productId: line, variantId: null, quantity, unitPrice, returned, cancelledQuantity };
}

function units(line: number, quantity: number) {
  return { line, quantity };
}

function aShipment(values: Partial<KnownShipment> = {}): KnownShipment {
  const { reference = 'S-1', status = 'shipped' } = values;
  const times = { shippedAt: status === 'picking' ? null : AT, deliveredAt: null };
  return { ...TRACKING, reference, status, items: ALL, ...times, notify: true, requestHash: 'hash', ...values };
}

const shipping = (values: Partial<ShipmentRequest> = {}) => ({
  ...TRACKING,
  reference: 'S-9',
  items: null,
  status: 'shipped' as const,
  shippedAt: null,
  notify: true,
  requestHash: 'hash',
  ...values,
});
const patch = (values: Partial<ShipmentPatch>) => ({ at: null, ...values });
const cancellation = { reason: '', restock: true, notify: true };
const moving = (values: Partial<Transition>) => ({
  field: 'fulfillmentStatus' as const,
  expected: 'PENDING',
  to: 'CONFIRMED',
  restock: false,
  restockTo: null,
  lines: null,
  ...values,
});
const payment = (values: Partial<PaymentRequest> = {}) => ({
  reference: 'pi_9',
  amount: 3500,
  currency: 'USD',
  partial: false,
  settles: false,
  at: null,
  requestHash: 'hash',
  ...values,
});
const refunding = (values: Partial<RefundRequest> = {}) => ({
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
const money = (reference: string, amount: number, writtenOff = 0) => ({
  ...{ reference, amount, writtenOff },
  requestHash: 'hash',
});

function thrown(change: () => unknown): string {
  try {
    change();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
  return 'nothing';
}

function textOf(events: readonly OrderEvent[]): string[] {
  return events.map(({ event, from, to }) => (event === 'status_changed' ? `${from}>${to}` : event));
}

const statesOf = ({ status, fulfillmentStatus }: OrderChange) => `${status} ${fulfillmentStatus}`;

describe('a shipment', () => {
  it('of all units makes every step to SHIPPED, each with an event of the shipment', () => {
    const change = shipOrder(anOrder(), shipping({ carrier: 'DHL' }));

    expect(statesOf(change)).toBe('PENDING SHIPPED');
    expect(textOf(change.events)).toEqual([
      'shipment_created',
      'PENDING>CONFIRMED',
      'CONFIRMED>PROCESSING',
      'PROCESSING>SHIPPED',
    ]);
    expect(change.events.map(({ reference }) => reference)).toEqual(['S-9', 'S-9', 'S-9', 'S-9']);
    expect(change.shipment).toMatchObject({ reference: 'S-9', items: ALL, status: 'shipped', carrier: 'DHL' });
    expect(change.mail).toEqual({ stage: 'notify-shipment', reference: 'S-9' });
    expect(shipOrder(anOrder(), shipping({ notify: false })).mail).toBeUndefined();
  });

  it('of some units makes the order PROCESSING', () => {
    const change = shipOrder(anOrder(), shipping({ items: [units(1, 1), units(1, 1)] }));

    expect(change.shipment?.items).toEqual([units(1, 2)]);
    expect(statesOf(change)).toBe('PENDING PROCESSING');
  });

  it('without items takes what is left', () => {
    const order = anOrder({ fulfillmentStatus: 'PROCESSING', shipments: [aShipment({ items: [units(1, 2)] })] });

    const change = shipOrder(order, shipping());

    expect(change.shipment?.items).toEqual([units(1, 1), units(2, 1)]);
    expect(textOf(change.events)).toEqual(['shipment_created', 'PROCESSING>SHIPPED']);
  });

  it('that is being picked claims its units and sends no mail until it is shipped', () => {
    const picking = aShipment({ status: 'picking', items: [units(1, 3)] });
    const created = shipOrder(anOrder(), shipping({ status: 'picking' }));
    const order = anOrder({ fulfillmentStatus: 'PROCESSING', shipments: [picking] });
    const shipped = changeShipment(order, 'S-1', patch({ status: 'shipped', at: AT }));

    expect([statesOf(created), created.mail]).toEqual(['PENDING PROCESSING', undefined]);
    expect(thrown(() => shipOrder(order, shipping({ items: [units(1, 1)] })))).toBe('being_picked');
    expect(thrown(() => cancelOrder(order, cancellation))).toBe('being_picked');
    expect(shipOrder(order, shipping()).shipment?.items).toEqual([units(2, 1)]);
    expect(shipped.shipment).toMatchObject({ status: 'shipped', shippedAt: AT });
    expect(shipped.mail).toEqual({ stage: 'notify-shipment', reference: 'S-1' });
  });

  it.each<[string, Partial<KnownShipment>, Parameters<typeof shipping>[0], string]>([
    ['picking, with the same items', { status: 'picking' }, { items: ALL }, 'shipment_changed PROCESSING>SHIPPED'],
    ['picking, without items', { status: 'picking' }, {}, 'shipment_changed PROCESSING>SHIPPED'],
    ['picking, with other items', { status: 'picking' }, { items: [units(1, 3)] }, 'shipment_reference_taken'],
    ['picking, again picking', { status: 'picking' }, { status: 'picking' }, ''],
    ['shipped, again picking', {}, { status: 'picking', requestHash: 'another' }, ''],
    ['delivered, again shipped', { status: 'delivered' }, { shippedAt: AT }, ''],
    ['shipped, with other items', {}, { items: [units(2, 1)] }, 'shipment_reference_taken'],
  ])('that is %s and has the reference of a request is decided by both', (_name, existing, request, expected) => {
    const order = anOrder({ fulfillmentStatus: 'PROCESSING', shipments: [aShipment(existing)] });
    let outcome = '';
    const code = thrown(() => {
      outcome = textOf(shipOrder(order, shipping({ reference: 'S-1', ...request })).events).join(' ');
    });

    expect(code === 'nothing' ? outcome : code).toBe(expected);
  });

  it('that is shipped by a request to ship the picked items has its tracking, and mails unless one of both said no', () => {
    const picked = (notify: boolean) =>
      anOrder({
        fulfillmentStatus: 'PROCESSING',
        shipments: [aShipment({ status: 'picking', carrier: 'DHL', trackingNumber: '1', notify })],
      });
    const request = shipping({ reference: 'S-1', trackingNumber: '2', shippedAt: AT, requestHash: 'again' });

    const change = shipOrder(picked(true), request);

    const parcel = { carrier: 'DHL', trackingNumber: '2', status: 'shipped', shippedAt: AT, requestHash: 'again' };
    expect(change).toMatchObject({ shipment: parcel, shipsPicked: true, mail: { stage: 'notify-shipment' } });
    expect(shipOrder(picked(false), request).mail).toBeUndefined();
    expect(shipOrder(picked(true), { ...request, notify: false }).mail).toBeUndefined();
  });

  it('is known by the first character of its request once its person is erased, and by nothing once it is imported', () => {
    const again = (requestHash: string) => () =>
      shipOrder(anOrder({ shipments: [aShipment({ requestHash })] }), shipping({ reference: 'S-1' }));

    expect(again('h')()).toMatchObject({ events: [] });
    expect(thrown(again('x'))).toBe('shipment_reference_taken');
    expect(thrown(again(''))).toBe('shipment_reference_taken');
  });

  it.each<[string, Partial<PlacedOrderState>, Parameters<typeof shipping>[0], string]>([
    ['of an unknown line', {}, { items: [units(3, 1)] }, 'not_found'],
    [
      'with a taken reference',
      { shipments: [aShipment({ reference: 'S-9', requestHash: 'another' })] },
      {},
      'shipment_reference_taken',
    ],
    [
      'with the reference of a void one',
      { shipments: [aShipment({ reference: 'S-9', status: 'void' })] },
      {},
      'shipment_reference_taken',
    ],
    ['when all is being picked', { shipments: [aShipment({ status: 'picking' })] }, {}, 'being_picked'],
  ])('%s is refused', (_name, state, request, code) => {
    expect(thrown(() => shipOrder(anOrder(state), shipping(request)))).toBe(code);
  });

  it.each<[string, Partial<PlacedOrderState>, Parameters<typeof shipping>[0], unknown]>([
    ['more units than ordered', {}, { items: [units(1, 4)] }, { items: [units(1, 4)], left: ALL }],
    [
      'more units of a line given twice',
      {},
      { items: [units(2, 1), units(2, 1)] },
      { items: [units(2, 1), units(2, 1)], left: ALL },
    ],
    [
      'units that are shipped',
      { shipments: [aShipment({ items: [units(1, 2)] })] },
      { items: [units(1, 2)] },
      { items: [units(1, 2)], left: [units(1, 1), units(2, 1)] },
    ],
    ['the rest, of which none is left', { shipments: [aShipment()] }, {}, { left: [] }],
    ['an order that left as a whole', { fulfillmentStatus: 'DELIVERED' }, {}, { left: [] }],
  ])('of %s is refused with what is left, and recorded', (_name, state, request, details) => {
    const change = shipOrder(anOrder(state), shipping(request));

    expect(change).toMatchObject({ refusal: { code: 'already_shipped' } });
    const refused = {
      event: 'shipment_refused',
      reference: 'S-9',
      details: { code: 'already_shipped', ...(details as object) },
    };
    expect(change.events).toEqual([expect.objectContaining(refused)]);
    expect(change.shipment).toBeUndefined();
  });

  it.each<[string, Partial<PlacedOrderState>, string]>([
    ['under review', { isHeld: true }, 'order_held'],
    ['that is cancelled', { fulfillmentStatus: 'CANCELLED' }, 'order_cancelled'],
  ])('of an order %s is refused, and recorded, because the parcel may have left', (_name, state, code) => {
    const { refusal, events, shipment } = shipOrder(anOrder(state), shipping({ items: [units(1, 1)] }));

    expect([refusal?.code, shipment]).toEqual([code, undefined]);
    expect(events).toMatchObject([
      { event: 'shipment_refused', reference: 'S-9', details: { code, items: [units(1, 1)] } },
    ]);
  });

  it('that is void gives its units back, and the last one gives back the status before it', () => {
    const two = [aShipment({ items: [units(1, 3)] }), aShipment({ reference: 'S-2', items: [units(2, 1)] })];
    const both = anOrder({ fulfillmentStatus: 'SHIPPED', unshippedStatus: 'CONFIRMED', shipments: two });
    const last = anOrder({ fulfillmentStatus: 'PROCESSING', unshippedStatus: 'CONFIRMED', shipments: two.slice(0, 1) });
    const voided = anOrder({ shipments: [aShipment({ status: 'void' })] });

    expect(textOf(changeShipment(both, 'S-2', patch({ status: 'void' })).events)).toEqual([
      'shipment_changed',
      'SHIPPED>PROCESSING',
    ]);
    expect(textOf(changeShipment(last, 'S-1', patch({ status: 'void' })).events)).toEqual([
      'shipment_changed',
      'PROCESSING>CONFIRMED',
    ]);
    expect(shipOrder(voided, shipping()).shipment?.items).toEqual(ALL);
  });

  it('makes the order DELIVERED when it is the last to arrive', () => {
    const [first, second] = [
      aShipment({ items: [units(1, 3)], status: 'delivered' }),
      aShipment({ reference: 'S-2', items: [units(2, 1)] }),
    ];
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [first, second] });
    const early = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [{ ...first, status: 'shipped' }, second] });

    const delivered = changeShipment(order, 'S-2', patch({ status: 'delivered', at: AT }));

    expect(statesOf(delivered)).toBe('PENDING DELIVERED');
    expect(delivered.shipment).toMatchObject({ status: 'delivered', deliveredAt: AT });
    expect(statesOf(changeShipment(early, 'S-2', patch({ status: 'delivered' })))).toBe('PENDING SHIPPED');
  });

  it('cannot arrive before it was shipped', () => {
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [aShipment()] });
    const deliver = (at: Date | null) => () => changeShipment(order, 'S-1', patch({ status: 'delivered', at }));

    expect(deliver(new Date(AT.getTime() - 1))).toThrow('The shipment left at 2026-11-20T12:00:00.000Z');
    expect(thrown(deliver(AT))).toBe('nothing');
    expect(thrown(deliver(null))).toBe('nothing');
  });

  it.each([
    ['delivered', 'shipped', 'nothing'],
    ['void', 'picking', 'nothing'],
    ['void', 'shipped', 'transition_not_allowed'],
  ] as const)('becomes %s from %s when its order came back: %s', (status, from, code) => {
    const order = anOrder({ fulfillmentStatus: 'RETURNED', shipments: [aShipment({ status: from })] });
    const change = () => changeShipment(order, 'S-1', patch({ status }));

    expect(thrown(change)).toBe(code);
    if (code === 'nothing') expect(statesOf(change())).toBe('PENDING RETURNED');
  });

  it('takes the order no step back from where an operator has set it, except when it is void', () => {
    const part = aShipment({ items: [{ line: 1, quantity: 1 }] });
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [part] });

    expect(statesOf(changeShipment(order, 'S-1', patch({ carrier: 'UPS' })))).toBe('PENDING SHIPPED');
    expect(statesOf(changeShipment(order, 'S-1', patch({ status: 'delivered' })))).toBe('PENDING SHIPPED');
    expect(statesOf(changeShipment(order, 'S-1', patch({ status: 'void' })))).toBe('PENDING PENDING');
  });

  it('that is void counts for nothing when an operator says that the order has shipped', () => {
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ status: 'void' })] });

    expect(shipOrder(order, shipping({ reference: 'S-2' })).refusal).toMatchObject({ code: 'already_shipped' });
    expect(recordRefund(order, refunding({ amount: 0, restock: true })).restock?.lines).toEqual(ALL);
  });

  it('names the changed fields of its tracking in the history, without their values', () => {
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ carrier: 'DHL' })] });

    const { events, shipment, mail } = changeShipment(order, 'S-1', patch({ carrier: 'DHL', trackingNumber: '0034' }));

    expect(events).toEqual([
      expect.objectContaining({ event: 'shipment_changed', details: { changed: ['trackingNumber'] } }),
    ]);
    expect([shipment?.trackingNumber, mail]).toEqual(['0034', undefined]);
    expect(changeShipment(order, 'S-1', patch({ carrier: 'DHL', status: 'shipped' })).events).toEqual([]);
  });

  const STATUSES = ['picking', 'shipped', 'delivered', 'void'] as const;
  it.each([
    ['picking', ['shipped', 'void']],
    ['shipped', ['delivered', 'void']],
    ['delivered', []],
    ['void', []],
  ] as const)('that is %s can become %j only', (status, possible) => {
    const order = anOrder({ fulfillmentStatus: 'PROCESSING', shipments: [aShipment({ status })] });
    const others = STATUSES.filter((other) => other !== status && other !== 'picking') as (
      'shipped' | 'delivered' | 'void'
    )[];

    const passes = others.filter(
      (to) => thrown(() => changeShipment(order, 'S-1', patch({ status: to }))) === 'nothing',
    );

    expect(passes).toEqual(possible);
  });

  it('cannot become void when its units have come back, and must be known', () => {
    const lines = [aLine(1, 3, { returned: 1 })];
    const order = anOrder({ lines, fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ items: [units(1, 3)] })] });

    expect(thrown(() => changeShipment(order, 'S-1', patch({ status: 'void' })))).toBe('transition_not_allowed');
    expect(thrown(() => changeShipment(order, 'S-7', patch({ status: 'void' })))).toBe('not_found');
  });
});

describe('a cancellation', () => {
  it('returns all units, tells the customer, and keeps the reason', () => {
    const change = cancelOrder(anOrder(), { ...cancellation, reason: 'Broken' });

    expect(statesOf(change)).toBe('CANCELLED CANCELLED');
    expect(textOf(change.events)).toEqual(['cancelled', 'PENDING>CANCELLED', 'PENDING>CANCELLED']);
    expect(change.events[0]?.details).toEqual({ reason: 'Broken', restock: true });
    expect(change.restock).toMatchObject({ kind: 'CANCELLATION', lines: ALL });
    expect(change.mail).toEqual({ stage: 'notify-cancellation', reference: '' });
  });

  it('of a paid order keeps the payment, which is due for a refund', () => {
    const change = cancelOrder(anOrder({ status: 'SUCCEEDED' }), cancellation);

    expect(statesOf(change)).toBe('SUCCEEDED CANCELLED');
  });

  it('of an order under review abandons its confirmation and sends no mail', () => {
    const change = cancelOrder(anOrder({ isHeld: true, isConfirmationHeld: true }), cancellation);

    expect([change.review, change.mail]).toEqual(['abandoned', undefined]);
  });

  it('keeps the units in the books and the customer in the dark on request', () => {
    const change = cancelOrder(anOrder(), { reason: '', restock: false, notify: false });

    expect([change.restock, change.mail, change.events[0]?.details]).toEqual([
      undefined,
      undefined,
      { restock: false },
    ]);
  });

  it('returns no units that came from no bin, and is refused when it must return them', () => {
    const imported = anOrder({ hasTakenStock: false });

    const { restock, events } = cancelOrder(imported, { ...cancellation, restock: null });

    expect([restock, events[0]?.details]).toEqual([undefined, { restock: false }]);
    expect(setStatuses(imported, { fulfillmentStatus: 'CANCELLED' }).restock).toBeUndefined();
    expect(cancelOrder(anOrder(), { ...cancellation, restock: null }).restock?.lines).toMatchObject(ALL);
    expect(thrown(() => cancelOrder(imported, cancellation))).toBe('units_without_bin');
  });

  it('changes nothing the second time', () => {
    const cancelled = anOrder({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' });

    expect(cancelOrder(cancelled, cancellation)).toEqual({
      status: 'CANCELLED',
      fulfillmentStatus: 'CANCELLED',
      events: [],
    });
  });

  it.each<[string, Partial<PlacedOrderState>, string]>([
    [
      'has shipped in part',
      { fulfillmentStatus: 'PROCESSING', shipments: [aShipment({ items: [units(1, 1)] })] },
      'already_shipped',
    ],
    ['has shipped as a whole', { fulfillmentStatus: 'SHIPPED' }, 'already_shipped'],
    [
      'is being picked',
      { fulfillmentStatus: 'PROCESSING', shipments: [aShipment({ status: 'picking' })] },
      'being_picked',
    ],
  ])('is refused when the order %s, also when a status is set', (_name, state, code) => {
    expect(thrown(() => cancelOrder(anOrder(state), cancellation))).toBe(code);
    expect(['already_shipped', 'being_picked', 'transition_not_allowed']).toContain(
      thrown(() => setStatuses(anOrder(state), { fulfillmentStatus: 'CANCELLED' })),
    );
  });

  it('is possible again when every shipment is void', () => {
    const order = anOrder({ shipments: [aShipment({ status: 'void' })] });

    expect(statesOf(cancelOrder(order, cancellation))).toBe('CANCELLED CANCELLED');
  });
});

describe('a cancellation of units', () => {
  const cancel = (state: Partial<PlacedOrderState>, items = [units(1, 2)], restock: boolean | null = null) =>
    cancelOrder(anOrder(state), { ...cancellation, restock }, items);
  const shipped = (...items: KnownShipment['items']) => ({
    fulfillmentStatus: 'PROCESSING' as const,
    shipments: [aShipment({ items })],
  });

  it('leaves an order that has shipped when its shipments have the rest, and DELIVERED when they arrived', () => {
    const state = shipped(units(1, 1), units(2, 1));
    const arrived = { ...state, shipments: state.shipments.map((one) => ({ ...one, status: 'delivered' as const })) };

    const change = cancel(state);

    expect(statesOf(change)).toBe('PENDING SHIPPED');
    expect(textOf(change.events)).toEqual(['units_cancelled', 'PROCESSING>SHIPPED']);
    expect(change.events.map(({ reference }) => reference)).toEqual(['', 'S-1']);
    expect(change.events[0]?.details).toEqual({ items: [units(1, 2)], restock: true });
    expect([change.cancelled, change.restock]).toEqual([[units(1, 2)], { kind: 'CANCELLATION', lines: [units(1, 2)] }]);
    expect([change.mail, change.review]).toEqual([undefined, undefined]);
    expect(statesOf(cancel(arrived))).toBe('PENDING DELIVERED');
  });

  it('changes no status while other units have not shipped', () => {
    expect(textOf(cancel({}).events)).toEqual(['units_cancelled']);
    expect(textOf(cancel(shipped(units(1, 1))).events)).toEqual(['units_cancelled']);
    expect(textOf(cancel({ fulfillmentStatus: 'CONFIRMED', unshippedStatus: 'CONFIRMED' }).events)).toHaveLength(1);
  });

  it('of all that an order has left is the cancellation of the order, which returns only these units', () => {
    const lines = [aLine(1, 3, { cancelledQuantity: 1 }), aLine(2, 1, { cancelledQuantity: 1 })];

    const change = cancel({ lines });

    expect([statesOf(change), change.cancelled]).toEqual(['CANCELLED CANCELLED', undefined]);
    expect(change.restock?.lines).toEqual([units(1, 2)]);
    expect(cancelOrder(anOrder({ lines }), cancellation).restock?.lines).toEqual([units(1, 2)]);
  });

  it.each<[string, Partial<PlacedOrderState>, KnownShipment['items'], string]>([
    ['that have shipped', shipped(units(1, 2)), [units(1, 2)], 'already_shipped'],
    ['that were given up', { lines: [aLine(1, 3, { cancelledQuantity: 2 })] }, [units(1, 2)], 'already_shipped'],
    ['of an order that has shipped as a whole', { fulfillmentStatus: 'SHIPPED' }, [units(1, 1)], 'already_shipped'],
    ['that are in one line twice', {}, [units(1, 2), units(1, 2)], 'already_shipped'],
    ['that are being picked', { shipments: [aShipment({ status: 'picking' })] }, [units(1, 1)], 'being_picked'],
    ['of an unknown line', {}, [units(3, 1)], 'not_found'],
  ])('%s is refused', (_name, state, items, code) => {
    expect(thrown(() => cancel(state, [...items]))).toBe(code);
  });

  it('returns units to the bins they came from, unless they are gone', () => {
    expect(cancel({}, [units(1, 2)], false).restock).toBeUndefined();
    expect(cancel({ hasTakenStock: false }).restock).toBeUndefined();
    expect(thrown(() => cancel({ hasTakenStock: false }, [units(1, 2)], true))).toBe('units_without_bin');
  });

  it('takes them from what can ship, and what has shipped as a whole can come back without them', () => {
    const lines = [aLine(1, 3, { cancelledQuantity: 2 }), aLine(2, 1)];
    const order = anOrder({ lines, fulfillmentStatus: 'SHIPPED' });

    expect(shipOrder(anOrder({ lines }), shipping()).shipment?.items).toEqual([units(1, 1), units(2, 1)]);
    expect(recordRefund(order, refunding({ amount: 0, restock: true })).restock?.lines).toEqual([
      units(1, 1),
      units(2, 1),
    ]);
  });

  it('makes the refund of what was paid for them due, and an order SUCCEEDED that is paid but for them', () => {
    const lines = [aLine(1, 3, { cancelledQuantity: 2 }), aLine(2, 1)];
    const paidInPart = { payments: [money('pi_1', 1500)] };

    expect(refundDueOf(stateOf({ status: 'SUCCEEDED', payments: [money('pi_1', 3500)], lines }))).toBe(2000);
    expect(refundDueOf(stateOf({ status: 'SUCCEEDED', lines }))).toBe(2000);
    const change = cancel(paidInPart);
    expect(textOf(change.events)).toEqual(['units_cancelled', 'PENDING>SUCCEEDED']);
    expect(change.events[1]?.reference).toBe('pi_1');
    expect(refundDueOf({ ...stateOf({ ...paidInPart, lines }), status: 'SUCCEEDED' })).toBe(0);
  });
});

describe('a move of a status', () => {
  it.each<[Partial<PlacedOrderState>, Parameters<typeof moving>[0], string]>([
    [{}, {}, 'PENDING CONFIRMED'],
    [{ fulfillmentStatus: 'SHIPPED' }, { expected: 'SHIPPED', to: 'RETURNED' }, 'PENDING RETURNED'],
    [{}, { field: 'status', to: 'FAILED' }, 'FAILED PENDING'],
    [{ status: 'FAILED' }, { field: 'status', expected: 'FAILED', to: 'PENDING' }, 'PENDING PENDING'],
  ])('of %j by %j leads to %s', (state, transition, states) => {
    expect(statesOf(moveStatus(anOrder(state), moving(transition)))).toBe(states);
  });

  it.each<[string, Partial<PlacedOrderState>, Parameters<typeof moving>[0], string]>([
    ['from another status than the present one', {}, { expected: 'CONFIRMED' }, 'stale'],
    ['to the present status', { fulfillmentStatus: 'CONFIRMED' }, { expected: 'CONFIRMED' }, 'transition_not_allowed'],
    [
      'that shipments make',
      { fulfillmentStatus: 'CONFIRMED' },
      { expected: 'CONFIRMED', to: 'PROCESSING' },
      'transition_not_allowed',
    ],
    ['that a payment makes', {}, { field: 'status', to: 'SUCCEEDED' }, 'transition_not_allowed'],
    ['that a cancellation makes', {}, { to: 'CANCELLED' }, 'transition_not_allowed'],
    ['to a status of the other field', {}, { to: 'FAILED' }, 'transition_not_allowed'],
  ])('%s is refused', (_name, state, transition, code) => {
    expect(thrown(() => moveStatus(anOrder(state), moving(transition)))).toBe(code);
  });

  it('that is stale names the present status and what is possible', () => {
    expect(() => moveStatus(anOrder({ fulfillmentStatus: 'SHIPPED' }), moving({}))).toThrow(
      'fulfillmentStatus is SHIPPED, and can change to RETURNED',
    );
  });

  it('to RETURNED brings back what was shipped and has not come back, on request', () => {
    const lines = [aLine(1, 3, { returned: 1 }), aLine(2, 1)];
    const order = anOrder({ lines, fulfillmentStatus: 'SHIPPED', shipments: [aShipment()] });
    const back = (wanted: Parameters<typeof moving>[0]) =>
      moveStatus(order, moving({ expected: 'SHIPPED', to: 'RETURNED', ...wanted })).restock?.lines;

    expect(back({})).toBeUndefined();
    expect(back({ restock: true })).toEqual([units(1, 2), units(2, 1)]);
    expect(back({ restock: true, lines: [units(1, 1)] })).toEqual([units(1, 1)]);
    expect(thrown(() => back({ restock: true, lines: [units(1, 3)] }))).toBe('return_exceeds_shipment');
    expect(thrown(() => back({ restock: true, lines: [units(5, 1)] }))).toBe('not_found');
  });
});

describe('an order that comes back', () => {
  const picking = aShipment({ reference: 'S-2', status: 'picking', items: [units(2, 1)] });
  const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ items: [units(1, 3)] }), picking] });

  it('must have no shipment that is being picked', () => {
    expect(thrown(() => moveStatus(order, moving({ expected: 'SHIPPED', to: 'RETURNED' })))).toBe('being_picked');
    expect(thrown(() => setStatuses(order, { fulfillmentStatus: 'RETURNED' }))).toBe('being_picked');
  });

  it('returns no units to bins from which none came', () => {
    const imported = anOrder({ fulfillmentStatus: 'DELIVERED', hasTakenStock: false });
    const move = (restock: boolean) => () =>
      moveStatus(imported, moving({ expected: 'DELIVERED', to: 'RETURNED', restock }));

    expect(thrown(move(true))).toBe('units_without_bin');
    expect(thrown(move(false))).toBe('nothing');
  });
});

describe('statuses that an operator sets', () => {
  it('change together, with an event for each', () => {
    const change = setStatuses(anOrder(), { status: 'SUCCEEDED', fulfillmentStatus: 'CONFIRMED' });

    expect(statesOf(change)).toBe('SUCCEEDED CONFIRMED');
    expect(textOf(change.events)).toEqual(['PENDING>SUCCEEDED', 'PENDING>CONFIRMED']);
  });

  it('end the review when they confirm the order, and return the stock when they cancel it', () => {
    const held = anOrder({ isHeld: true });

    const confirmed = setStatuses(held, { fulfillmentStatus: 'CONFIRMED' });
    const cancelled = setStatuses(held, { fulfillmentStatus: 'CANCELLED' });

    expect([confirmed.review, textOf(confirmed.events)]).toEqual(['released', ['released', 'PENDING>CONFIRMED']]);
    expect([cancelled.review, cancelled.restock?.kind, cancelled.mail]).toEqual([
      'abandoned',
      'CANCELLATION',
      undefined,
    ]);
  });

  it('are not SHIPPED or DELIVERED while the shipments of the order lack units', () => {
    const part = aShipment({ items: [units(1, 2)] });
    const set = (fulfillmentStatus: 'SHIPPED' | 'DELIVERED', shipments: KnownShipment[]) => () =>
      setStatuses(
        anOrder({ fulfillmentStatus: fulfillmentStatus === 'SHIPPED' ? 'PROCESSING' : 'SHIPPED', shipments }),
        {
          fulfillmentStatus,
        },
      );

    expect(set('SHIPPED', [part])).toThrow(
      'The shipments of the order lack units: ship 1 of line 1, 1 of line 2 first',
    );
    expect(thrown(set('SHIPPED', [aShipment({ status: 'picking' })]))).toBe('transition_not_allowed');
    expect(thrown(set('DELIVERED', [part]))).toBe('transition_not_allowed');
    expect(thrown(set('SHIPPED', [aShipment({ status: 'void' })]))).toBe('nothing');
    expect(thrown(set('DELIVERED', [aShipment()]))).toBe('nothing');
  });

  it('record what was paid and not refunded as one refund, so that a later payment can be paid back', () => {
    const state = { status: 'SUCCEEDED', payments: [money('pi_1', 3500)], refunds: [money('REFUNDED', 1000)] } as const;

    const change = setStatuses(anOrder(state), { status: 'REFUNDED' });

    expect(textOf(change.events)).toEqual(['refund_recorded', 'SUCCEEDED>REFUNDED']);
    expect(change.refund).toEqual({ reference: 'REFUNDED-2', amount: 2500, at: null, requestHash: '', lines: [] });
    const refunded: PlacedOrderState = {
      ...stateOf(state),
      status: 'REFUNDED',
      payments: [...state.payments, money('pi_2', 3500)],
      refunds: [...state.refunds, money('REFUNDED-2', 2500)],
    };
    expect(refundDueOf(refunded)).toBe(0);
    expect(recordRefund(new PlacedOrder(refunded), refunding({ amount: 3500 })).refund?.amount).toBe(3500);
    expect(refundDueOf({ ...refunded, refunds: [...refunded.refunds, money('re_1', 3500)] })).toBe(0);
  });

  it('are refused when the life cycle has no such step, and change nothing when there is none', () => {
    expect(thrown(() => setStatuses(anOrder(), { fulfillmentStatus: 'DELIVERED' }))).toBe('transition_not_allowed');
    expect(setStatuses(anOrder(), {}).events).toEqual([]);
  });
});

describe('a release', () => {
  it('ends the review and changes no status', () => {
    const change = releaseOrder(anOrder({ isHeld: true }));

    expect([statesOf(change), textOf(change.events), change.review]).toEqual([
      'PENDING PENDING',
      ['released'],
      'released',
    ]);
  });

  it.each<[string, Partial<PlacedOrderState>]>([
    ['not_held', {}],
    ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }],
  ])('is refused as %s of %j', (code, state) => {
    expect(thrown(() => releaseOrder(anOrder(state)))).toBe(code);
  });
});

describe('a hold', () => {
  const UNDER_REVIEW = { isHeld: true, isConfirmationHeld: true };

  it.each<[string, Partial<PlacedOrderState>, string[]]>([
    ['an order', {}, ['held']],
    ['an order that a rule holds', UNDER_REVIEW, ['held']],
    ['an order that a person holds', { ...UNDER_REVIEW, isHeldByPerson: true }, []],
  ])('of %s changes no status', (_name, state, events) => {
    const change = holdOrder(anOrder(state), 'Wait');

    expect([statesOf(change), textOf(change.events)]).toEqual(['PENDING PENDING', events]);
    expect(change.review).toBe(events.length > 0 ? 'held' : undefined);
  });

  it.each<[string, Partial<PlacedOrderState>]>([
    ['already_shipped', { shipments: [aShipment({ items: [units(1, 1)] })] }],
    ['already_shipped', { fulfillmentStatus: 'DELIVERED' }],
    ['being_picked', { shipments: [aShipment({ status: 'picking' })] }],
    ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }],
  ])('is refused as %s of %j', (code, state) => {
    expect(thrown(() => holdOrder(anOrder(state), 'Wait'))).toBe(code);
  });
});

describe('a corrected contact', () => {
  const ACCEPT = { verdict: 'ACCEPT', score: 0, reasons: [] } as const;
  const REJECT = { verdict: 'REJECT', score: 100, reasons: [{ rule: 'blocked_phone', score: 100 }] } as const;
  const PATCH = { customer: { phone: '2' }, shippingAddress: { city: 'Bonn', zip: '53111' } };
  const contact = correctedContact(CONTACT, PATCH);
  const picking = { shipments: [aShipment({ status: 'picking' as const })] };
  const before = 'REVIEW' as const;

  it.each<[ContactPatch, string[]]>([
    [{ customer: { name: 'Eve' }, shippingAddress: {} }, []],
    [{ customer: { email: '', phone: '1' }, shippingAddress: {} }, ['email']],
    [{ customer: { phone: '2' }, shippingAddress: { city: 'Town' } }, ['phone']],
    [PATCH, ['phone', 'address']],
  ])('of %j changes what rules about %j look at', (patch, parts) => {
    expect(changedParts(CONTACT, correctedContact(CONTACT, patch))).toEqual(parts);
  });

  it('names what changes, without values, and keeps the rest', () => {
    const change = changeContact(anOrder(picking), PATCH, { contact, assessment: ACCEPT, before });

    const changed = ['customer.phone', 'shipping_address.city', 'shipping_address.zip'];
    expect(change).toMatchObject({ contact, events: [{ event: 'contact_changed', details: { changed } }] });
    expect([statesOf(change), change.review]).toEqual(['PENDING PENDING', undefined]);
    expect(change.assessment).toEqual({ ...ACCEPT, verdict: before });
    expect(contact.shippingAddress).toEqual(wholeAddress({ address: '1 Road', city: 'Bonn', zip: '53111' }));
  });

  it.each([
    ['the rules say so', { contact, assessment: REJECT, before }, 'blocked_phone'],
    ['it is not the one that was screened', { contact: CONTACT, assessment: ACCEPT, before }, 'analysis_unavailable'],
    ['it was not screened', { contact, assessment: ANALYSIS_UNAVAILABLE, before }, 'analysis_unavailable'],
  ])('holds the order where %s', (_case, screened, rule) => {
    const change = changeContact(anOrder(), PATCH, screened);

    expect(change).toMatchObject({ contact, review: 'held', assessment: { verdict: 'REVIEW', reasons: [{ rule }] } });
    expect(change.events).toMatchObject([{ event: 'contact_changed', details: { rules: [rule] } }]);
  });

  it('of an order without an analysis holds nothing, and the same contact changes nothing', () => {
    expect(changeContact(anOrder(), PATCH, null)).toMatchObject({ contact, events: [{ event: 'contact_changed' }] });
    const same = { customer: { phone: '1' }, shippingAddress: {} };
    const shipped = anOrder({ fulfillmentStatus: 'SHIPPED' });
    expect(changeContact(shipped, same, { contact: CONTACT, assessment: REJECT, before })).toEqual(shipped.unchanged());
  });

  it.each<[string, Partial<PlacedOrderState>]>([
    ['already_shipped', { shipments: [aShipment({ items: [units(1, 1)] })] }],
    ['already_shipped', { fulfillmentStatus: 'DELIVERED' }],
    ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }],
    ['being_picked', picking],
  ])('is refused as %s of %j', (code, state) => {
    expect(thrown(() => changeContact(anOrder(state), PATCH, { contact, assessment: REJECT, before }))).toBe(code);
  });
});

describe('a payment', () => {
  const REFUNDED = { status: 'REFUNDED', payments: [money('pi_1', 3500)], refunds: [money('re_1', 3500)] } as const;

  it('after a refund of all counts again', () => {
    const change = recordPayment(anOrder(REFUNDED), payment());

    expect(textOf(change.events)).toEqual(['payment_recorded', 'REFUNDED>SUCCEEDED']);
    expect(change.events[0]?.details).toEqual({ amount: 3500 });
  });

  it('in parts makes the order SUCCEEDED with the last, of what is left or of the whole total', () => {
    const pay = (state: Partial<PlacedOrderState>, values: Partial<PaymentRequest>) => {
      const { refusal, ...change } = recordPayment(anOrder(state), payment(values));
      return refusal?.message ?? [statesOf(change), change.payment?.writtenOff, change.events[0]?.details];
    };
    const half = { payments: [money('pi_1', 1500)] };
    const refusal = (paid: number) =>
      `The paid amount ${paid} USD is neither the total 3500 USD nor the amount owed 2000 USD (in minor units)`;

    expect(pay({}, { amount: 1500, partial: true })).toEqual(['PENDING PENDING', 0, { amount: 1500 }]);
    expect(pay(half, { amount: 2000 })).toEqual(['SUCCEEDED PENDING', 0, { amount: 2000 }]);
    expect(pay(half, { amount: 3500 })).toEqual(['SUCCEEDED PENDING', 0, { amount: 3500, refundDue: 1500 }]);
    expect(pay(half, { amount: 1999 })).toBe(refusal(1999));
    expect(pay(half, { amount: 2001, partial: true })).toBe(refusal(2001));
    expect(pay(half, { amount: 2001, settles: true })).toBe(refusal(2001));
    expect(pay({ ...half, ...REFUNDED }, { amount: 1500, partial: true })).toEqual([
      ...['REFUNDED PENDING', 0],
      { amount: 1500 },
    ]);
  });

  it('that settles writes off what it leaves, which is neither owed nor refunded', () => {
    const settled = recordPayment(anOrder(), payment({ amount: 3400, settles: true }));
    const paid = { status: 'SUCCEEDED', payments: [money('pi_9', 3400, 100)] } as const;

    expect(statesOf(settled)).toBe('SUCCEEDED PENDING');
    expect(settled.payment).toEqual({ ...money('pi_9', 3400, 100), at: null });
    expect(settled.events[0]?.details).toEqual({ amount: 3400, writtenOff: 100 });
    expect(
      recordPayment(anOrder(paid), payment({ reference: 'pi_10', amount: 0, settles: true })).refusal,
    ).toBeDefined();
    expect([amountOwedOf(stateOf(paid)), refundDueOf(stateOf(paid))]).toEqual([3400, 0]);
    expect(statesOf(recordRefund(anOrder(paid), refunding({ amount: 3400 })))).toBe('REFUNDED PENDING');
    expect(thrown(() => recordRefund(anOrder(paid), refunding({ amount: 3401 })))).toBe('refund_exceeds_payment');
  });

  it('of the total makes the order SUCCEEDED', () => {
    const change = recordPayment(anOrder(), payment({ at: AT }));

    expect(statesOf(change)).toBe('SUCCEEDED PENDING');
    expect(textOf(change.events)).toEqual(['payment_recorded', 'PENDING>SUCCEEDED']);
    expect(change.events[0]?.details).toEqual({ amount: 3500 });
    expect(change.payment).toEqual({ ...money('pi_9', 3500), at: AT });
  });

  it('of an order whose payment failed makes both steps', () => {
    expect(textOf(recordPayment(anOrder({ status: 'FAILED' }), payment()).events)).toEqual([
      'payment_recorded',
      'FAILED>PENDING',
      'PENDING>SUCCEEDED',
    ]);
  });

  it.each([
    ['a cent too little', 3499, 'USD', 'The paid amount 3499 USD is not the amount owed 3500 USD (in minor units)'],
    ['a cent too much', 3501, 'USD', 'The paid amount 3501 USD is not the amount owed 3500 USD (in minor units)'],
    ['another currency', 3500, 'EUR', 'The paid amount 3500 EUR is not the amount owed 3500 USD (in minor units)'],
  ])('of %s is refused with both amounts, and recorded', (_case, amount, currency, message) => {
    const change = recordPayment(anOrder(), payment({ amount, currency }));

    expect(change).toMatchObject({ refusal: { code: 'amount_mismatch', message }, status: 'PENDING' });
    const details = { amount, currency, totalAmount: 3500 };
    expect(change.events).toEqual([expect.objectContaining({ event: 'payment_refused', reference: 'pi_9', details })]);
    expect(change.payment).toBeUndefined();
  });

  it.each<[string, Partial<PlacedOrderState>, string]>([
    ['cancelled', { status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' }, 'CANCELLED CANCELLED'],
    ['cancelled in its fulfillment', { fulfillmentStatus: 'CANCELLED' }, 'SUCCEEDED CANCELLED'],
    ['paid', { status: 'SUCCEEDED', payments: [money('pi_1', 3500)] }, 'SUCCEEDED PENDING'],
    ['returned and refunded', { ...REFUNDED, fulfillmentStatus: 'RETURNED' }, 'REFUNDED RETURNED'],
  ])('of an order that is %s is recorded, and must be refunded', (_name, state, states) => {
    const change = recordPayment(anOrder(state), payment());

    expect([statesOf(change), change.payment?.amount]).toEqual([states, 3500]);
    expect(change.events[0]?.details).toEqual({ amount: 3500, refundDue: 3500 });
  });

  it('of an order that an operator has set as paid is the record of that, and leaves nothing to refund', () => {
    expect(recordPayment(anOrder({ status: 'SUCCEEDED' }), payment()).events[0]?.details).toEqual({ amount: 3500 });
  });

  it('is refused when the sum of the payments would not be exact', () => {
    const totalAmount = Number.MAX_SAFE_INTEGER;
    const order = anOrder({ status: 'SUCCEEDED', totalAmount, payments: [money('pi_1', totalAmount)] });

    expect(() => recordPayment(order, payment({ amount: totalAmount }))).toThrow(
      'amount is too large: the payments of an order add up to at most 9007199254740991',
    );
  });

  it('changes nothing the second time, and another one needs another reference', () => {
    const paid = anOrder({ status: 'SUCCEEDED', payments: [money('pi_9', 3500)] });

    expect(recordPayment(paid, payment()).events).toEqual([]);
    expect(thrown(() => recordPayment(paid, payment({ requestHash: 'another' })))).toBe('payment_reference_taken');
  });
});

describe('a refund', () => {
  const paid = { status: 'SUCCEEDED', payments: [money('pi_1', 3500)] } as const;

  it('of a part keeps the order paid, and of the rest makes it REFUNDED', () => {
    const part = recordRefund(anOrder(paid), refunding());
    const rest = recordRefund(
      anOrder({ ...paid, refunds: [money('re_1', 1000)] }),
      refunding({ amount: 2500, at: AT }),
    );

    expect([statesOf(part), part.refund?.amount, part.mail?.stage]).toEqual([
      'SUCCEEDED PENDING',
      1000,
      'notify-refund',
    ]);
    expect([statesOf(rest), textOf(rest.events)]).toEqual([
      'REFUNDED PENDING',
      ['refund_recorded', 'SUCCEEDED>REFUNDED'],
    ]);
    expect(rest.refund).toEqual({ reference: 're_9', amount: 2500, requestHash: 'hash', at: AT, lines: [] });
  });

  it('never exceeds what was paid', () => {
    const exceeding = (state: Partial<PlacedOrderState>, amount: number) =>
      thrown(() => recordRefund(anOrder(state), refunding({ amount })));

    expect(exceeding(paid, 3501)).toBe('refund_exceeds_payment');
    expect(exceeding({ ...paid, refunds: [money('re_1', 1000)] }, 2501)).toBe('refund_exceeds_payment');
    expect(exceeding({}, 1)).toBe('refund_exceeds_payment');
    // An operator set SUCCEEDED without a payment.
    expect(exceeding({ status: 'SUCCEEDED' }, 3500)).toBe('nothing');
  });

  it('of 0 returns units of an order that was paid without a record and refunded', () => {
    const refunded = { status: 'REFUNDED', fulfillmentStatus: 'DELIVERED', refunds: [money('re_1', 3500)] } as const;

    expect(recordRefund(anOrder(refunded), refunding({ amount: 0, restock: true })).restock?.lines).toEqual(ALL);
    expect(thrown(() => recordRefund(anOrder(refunded), refunding({ amount: 1 })))).toBe('refund_exceeds_payment');
  });

  it('of 0 is possible although another system has refunded more than was paid', () => {
    const imported = { ...paid, refunds: [money('re_1', 9999)] };

    expect(thrown(() => recordRefund(anOrder(imported), refunding({ amount: 0 })))).toBe('nothing');
    expect(() => recordRefund(anOrder(imported), refunding({ amount: 1 }))).toThrow('At most 0 can be refunded');
  });

  it('is for no more units of a line than were ordered', () => {
    const lines = (...quantities: number[]) => refunding({ lines: quantities.map((quantity) => units(1, quantity)) });

    expect(thrown(() => recordRefund(anOrder(paid), lines(3)))).toBe('nothing');
    expect(thrown(() => recordRefund(anOrder(paid), lines(4)))).toBe('refund_exceeds_line');
    expect(thrown(() => recordRefund(anOrder(paid), lines(2, 2)))).toBe('refund_exceeds_line');
  });

  it('returns no units to bins from which none came', () => {
    const imported = anOrder({ ...paid, fulfillmentStatus: 'DELIVERED', hasTakenStock: false });
    const restock = (lines: ReturnType<typeof units>[] | null) => () =>
      recordRefund(imported, refunding({ amount: 0, restock: true, lines }));

    expect(restock(null)).toThrow('The units of an imported order came from no bin');
    expect(thrown(restock([units(1, 1)]))).toBe('units_without_bin');
    expect(thrown(() => recordRefund(imported, refunding({ lines: [units(1, 1)] })))).toBe('nothing');
  });

  it('of a second payment keeps the first one', () => {
    const twice = anOrder({ status: 'SUCCEEDED', payments: [money('pi_1', 3500), money('pi_2', 3500)] });

    expect(statesOf(recordRefund(twice, refunding({ amount: 3500 })))).toBe('SUCCEEDED PENDING');
  });

  it('brings back shipped units only, each once, on request', () => {
    const lines = [aLine(1, 3, { returned: 1 }), aLine(2, 1)];
    const shipped = {
      ...paid,
      lines,
      fulfillmentStatus: 'PROCESSING',
      shipments: [aShipment({ items: [units(1, 3)] })],
    } as const;
    const back = (values: Parameters<typeof refunding>[0]) => recordRefund(anOrder(shipped), refunding(values)).restock;

    expect(back({})).toBeUndefined();
    expect(back({ restock: true })).toEqual({ kind: 'RETURN', lines: [units(1, 2)] });
    expect(back({ restock: true, lines: [units(1, 1), units(1, 1)] })).toEqual({
      kind: 'RETURN',
      lines: [units(1, 2)],
    });
    expect(thrown(() => back({ restock: true, lines: [units(1, 3)] }))).toBe('return_exceeds_shipment');
    expect(thrown(() => back({ restock: true, lines: [units(2, 1)] }))).toBe('return_exceeds_shipment');
    expect(thrown(() => back({ lines: [units(7, 1)] }))).toBe('not_found');
  });

  it('changes nothing the second time, and another one needs another reference', () => {
    const refunded = anOrder({ ...paid, refunds: [money('re_9', 1000)] });

    expect(recordRefund(refunded, refunding({ reference: 're_10', amount: 0 })).mail).toBeUndefined();
    expect(recordRefund(refunded, refunding()).events).toEqual([]);
    expect(thrown(() => recordRefund(refunded, refunding({ requestHash: 'another' })))).toBe('refund_reference_taken');
  });
});

describe('what is due for a refund', () => {
  const order = stateOf({ status: 'SUCCEEDED' });
  const [once, twice] = [[money('pi_1', 3500)], [money('pi_1', 3500), money('pi_2', 3500)]];

  it.each([
    ['nothing of a paid order', { payments: once }, 0],
    ['the second payment', { payments: twice }, 3500],
    ['all that was paid of a cancelled order', { payments: twice, fulfillmentStatus: 'CANCELLED' }, 7000],
    ['what an operator set as paid of a cancelled order', { fulfillmentStatus: 'CANCELLED' }, 3500],
    ['less what was refunded', { payments: once, fulfillmentStatus: 'CANCELLED', refunds: [money('re_1', 500)] }, 3000],
    ['nothing of an order that was refunded and paid again', { status: 'REFUNDED', payments: twice, refunds: once }, 0],
    [
      'a payment of an order that came back and is refunded',
      { status: 'REFUNDED', fulfillmentStatus: 'RETURNED', payments: twice, refunds: once },
      3500,
    ],
    ['nothing of an unpaid order', { status: 'PENDING' }, 0],
    ['nothing of an order that an operator set as refunded', { status: 'REFUNDED' }, 0],
    ['nothing of a paid order that an operator set as refunded', { status: 'REFUNDED', payments: once }, 0],
    ['nothing of an order that was paid without a record and refunded', { status: 'REFUNDED', refunds: once }, 0],
    [
      'what was paid late of a cancelled order',
      { status: 'CANCELLED', fulfillmentStatus: 'CANCELLED', payments: once },
      3500,
    ],
  ])('is %s', (_name, values, due) => {
    expect(refundDueOf({ ...order, ...values })).toBe(due);
  });
});
