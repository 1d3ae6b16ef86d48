import {
  cancelOrder,
  changeShipment,
  recordRefund,
  shipOrder,
  type RecordedShipment,
  type PlacedOrderState,
  type ShipmentPatch,
} from '@app/domain';
import {
  aLine,
  ALL,
  anOrder,
  aShipment,
  AT,
  cancellation,
  refunded,
  refunding,
  shipping,
  statesOf,
  textOf,
  thrown,
  units,
  effectsOf,
} from '../../builders/order-state.js';

const patch = (values: Partial<ShipmentPatch>) => ({ at: null, ...values });

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
    expect(effectsOf(change).shipment?.shipment).toMatchObject({
      reference: 'S-9',
      items: ALL,
      status: 'shipped',
      carrier: 'DHL',
    });
    expect(effectsOf(change).mail).toEqual({ stage: 'notify-shipment', reference: 'S-9' });
    expect(effectsOf(shipOrder(anOrder(), shipping({ notify: false }))).mail).toBeUndefined();
  });

  it('of some units makes the order PROCESSING', () => {
    const change = shipOrder(anOrder(), shipping({ items: [units(1, 1), units(1, 1)] }));

    expect(effectsOf(change).shipment?.shipment?.items).toEqual([units(1, 2)]);
    expect(statesOf(change)).toBe('PENDING PROCESSING');
  });

  it('without items takes what is left', () => {
    const order = anOrder({ fulfillmentStatus: 'PROCESSING', shipments: [aShipment({ items: [units(1, 2)] })] });

    const change = shipOrder(order, shipping());

    expect(effectsOf(change).shipment?.shipment?.items).toEqual([units(1, 1), units(2, 1)]);
    expect(textOf(change.events)).toEqual(['shipment_created', 'PROCESSING>SHIPPED']);
  });

  it('that is being picked claims its units and sends no mail until it is shipped', () => {
    const picking = aShipment({ status: 'picking', items: [units(1, 3)] });
    const created = shipOrder(anOrder(), shipping({ status: 'picking' }));
    const order = anOrder({ fulfillmentStatus: 'PROCESSING', shipments: [picking] });
    const shipped = changeShipment(order, 'S-1', patch({ status: 'shipped', at: AT }));

    expect([statesOf(created), effectsOf(created).mail]).toEqual(['PENDING PROCESSING', undefined]);
    expect(thrown(() => shipOrder(order, shipping({ items: [units(1, 1)] })))).toBe('being_picked');
    expect(thrown(() => cancelOrder(order, cancellation))).toBe('being_picked');
    expect(effectsOf(shipOrder(order, shipping())).shipment?.shipment?.items).toEqual([units(2, 1)]);
    expect(effectsOf(shipped).shipment?.shipment).toMatchObject({ status: 'shipped', shippedAt: AT });
    expect(effectsOf(shipped).mail).toEqual({ stage: 'notify-shipment', reference: 'S-1' });
  });

  it.each<[string, Partial<RecordedShipment>, Parameters<typeof shipping>[0], string]>([
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
    expect(effectsOf(change)).toMatchObject({
      shipment: { shipment: parcel, shipsPicked: true },
      mail: { stage: 'notify-shipment' },
    });
    expect(effectsOf(shipOrder(picked(false), request)).mail).toBeUndefined();
    expect(effectsOf(shipOrder(picked(true), { ...request, notify: false })).mail).toBeUndefined();
  });

  it('is recognised by the beginning of its request hash after an erasure, and never when it was imported', () => {
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
    expect(effectsOf(change).shipment?.shipment).toBeUndefined();
  });

  const PARCELS = [
    ['shipped', [units(1, 1)]],
    ['shipped', null],
    ['picking', [units(1, 1)]],
    ['picking', null],
  ] as const;

  it.each<[string, Partial<PlacedOrderState>, string]>([
    ['under review', { heldReasons: ['manual'] }, 'order_held'],
    ['that is cancelled', { fulfillmentStatus: 'CANCELLED' }, 'order_cancelled'],
    ['that has no units left', { fulfillmentStatus: 'SHIPPED' }, 'already_shipped'],
  ])('of an order %s is refused, also to pick it, and recorded: the parcel may have left', (_name, state, code) => {
    for (const [status, items] of PARCELS) {
      const { refusal, events, effects } = shipOrder(anOrder(state), shipping({ status, items }));

      expect([status, refusal?.code, effects]).toEqual([status, code, []]);
      expect(events).toMatchObject([
        { event: 'shipment_refused', reference: 'S-9', details: { code, ...(items && { items }) } },
      ]);
    }
  });

  it('to pick is refused for an unknown line, and for units that are being picked', () => {
    const pick = (state: Partial<PlacedOrderState>, line: number) => () =>
      shipOrder(anOrder(state), shipping({ status: 'picking', items: [units(line, 1)] }));

    expect(thrown(pick({}, 3))).toBe('not_found');
    expect(thrown(pick({ shipments: [aShipment({ status: 'picking' })] }, 1))).toBe('being_picked');
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
    expect(effectsOf(shipOrder(voided, shipping())).shipment?.shipment?.items).toEqual(ALL);
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
    expect(effectsOf(delivered).shipment?.shipment).toMatchObject({ status: 'delivered', deliveredAt: AT });
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

  it('that is void is ignored when an operator has set the order to SHIPPED', () => {
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ status: 'void' })] });

    expect(shipOrder(order, shipping({ reference: 'S-2' })).refusal).toMatchObject({ code: 'already_shipped' });
    expect(effectsOf(recordRefund(order, refunding({ amount: 0, restock: true }))).restock?.lines).toEqual(ALL);
  });

  it('names the changed fields of its tracking in the history, without their values', () => {
    const order = anOrder({ fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ carrier: 'DHL' })] });

    const change = changeShipment(order, 'S-1', patch({ carrier: 'DHL', trackingNumber: '0034' }));
    const { events } = change;
    const { shipment, mail } = effectsOf(change);

    expect(events).toEqual([
      expect.objectContaining({ event: 'shipment_changed', details: { changed: ['trackingNumber'] } }),
    ]);
    expect([shipment?.shipment.trackingNumber, mail]).toEqual(['0034', undefined]);
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

  it('cannot become void when a refund was for its units, which would ship again', () => {
    const refunds = [refunded('re_1', 1000, [units(1, 1)])];
    const order = anOrder({ status: 'SUCCEEDED', refunds, fulfillmentStatus: 'SHIPPED', shipments: [aShipment()] });

    expect(thrown(() => changeShipment(order, 'S-1', patch({ status: 'void' })))).toBe('transition_not_allowed');
  });

  it('of an order of which nothing is owed is refused, and recorded', () => {
    const credited = { status: 'REFUNDED', refunds: [refunded('re_1', 3500)] } as const;

    expect(shipOrder(anOrder(credited), shipping()).refusal?.code).toBe('order_credited');
  });

  it('cannot become void when its units have come back, and must be known', () => {
    const lines = [aLine(1, 3, { returnedQuantity: 1 })];
    const order = anOrder({ lines, fulfillmentStatus: 'SHIPPED', shipments: [aShipment({ items: [units(1, 3)] })] });

    expect(thrown(() => changeShipment(order, 'S-1', patch({ status: 'void' })))).toBe('transition_not_allowed');
    expect(thrown(() => changeShipment(order, 'S-7', patch({ status: 'void' })))).toBe('not_found');
  });
});
