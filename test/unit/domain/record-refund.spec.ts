import { recordRefund, type PlacedOrderState } from '@app/domain';
import {
  aLine,
  ALL,
  anOrder,
  aShipment,
  AT,
  money,
  refunded,
  refunding,
  statesOf,
  textOf,
  thrown,
  units,
  effectsOf,
} from '../../builders/order-state.js';

const ledgerAfter = (state: Partial<PlacedOrderState>, values: Parameters<typeof refunding>[0]) => {
  const order = anOrder(state);
  const change = recordRefund(order, refunding(values));
  const { credited, owed, open, refundDue } = order.ledgerAfter(change);
  const { refund } = effectsOf(change);
  return { reason: refund?.reason, by: refund?.credited, status: change.status, credited, owed, open, refundDue };
};

describe('what a refund credits', () => {
  const paid = { status: 'SUCCEEDED', payments: [money('pi_1', 3500)] } as const;
  const shipped = { ...paid, fulfillmentStatus: 'SHIPPED', shipments: [aShipment()] } as const;
  const unpaid = { ...shipped, status: 'PENDING', payments: [] } as const;

  it.each<[string, Partial<PlacedOrderState>, Parameters<typeof refunding>[0], object]>([
    [
      'of units: their share, and more where more is paid back',
      shipped,
      { amount: 1200, lines: [units(1, 1)] },
      { reason: 'goods', by: 1200, owed: 2300, open: 0, refundDue: 0, status: 'SUCCEEDED' },
    ],
    [
      'of units that are paid back in part: their share, and the rest is due',
      shipped,
      { amount: 300, lines: [units(1, 1)] },
      { reason: 'goods', by: 1000, owed: 2500, open: 0, refundDue: 700 },
    ],
    [
      'of units of an unpaid order: their share, and they are paid no more',
      unpaid,
      { amount: 0, lines: [units(1, 2)], restock: true },
      { reason: 'goods', by: 2000, owed: 1500, open: 1500, refundDue: 0, status: 'PENDING' },
    ],
    [
      'of all units of an unpaid order: all, and its payment is cancelled',
      unpaid,
      { amount: 0, restock: true },
      { by: 3500, owed: 0, open: 0, refundDue: 0, status: 'CANCELLED' },
    ],
    [
      'without units: goodwill',
      shipped,
      { amount: 500 },
      { reason: 'goodwill', by: 500, owed: 3000, open: 0, refundDue: 0, status: 'SUCCEEDED' },
    ],
    [
      'of what was paid twice: nothing',
      { ...shipped, payments: [money('pi_1', 3500), money('pi_2', 3500)] },
      { amount: 3500 },
      { reason: 'repayment', by: 0, owed: 3500, open: 0, refundDue: 0, status: 'SUCCEEDED' },
    ],
    [
      'of more than is due back: the rest',
      { ...shipped, payments: [money('pi_1', 3500), money('pi_2', 1000)] },
      { amount: 1300 },
      { reason: 'goodwill', by: 300, owed: 3200, open: 0, refundDue: 0 },
    ],
    [
      'by a chargeback: nothing, and the order is to be paid again',
      shipped,
      { amount: 3500, reason: 'chargeback' },
      { by: 0, owed: 3500, open: 3500, refundDue: 0, status: 'PENDING' },
    ],
    [
      'by a payment on the wrong order that is taken back: nothing',
      { ...unpaid, payments: [money('pi_1', 900)] },
      { amount: 900, reason: 'repayment' },
      { by: 0, owed: 3500, open: 3500, refundDue: 0, status: 'PENDING' },
    ],
    [
      'of shipping: what it says, apart from what is paid back',
      shipped,
      { amount: 400, reason: 'shipping', credited: 500 },
      { reason: 'shipping', by: 500, owed: 3000, open: 0, refundDue: 100 },
    ],
    [
      'of all that is owed and paid: all, and the order is REFUNDED',
      shipped,
      { amount: 3500 },
      { reason: 'goodwill', by: 3500, owed: 0, open: 0, refundDue: 0, status: 'REFUNDED' },
    ],
    [
      'of units that were given up and credited before: nothing',
      { ...paid, lines: [aLine(1, 3, { cancelledQuantity: 1 }), aLine(2, 1)], cancelledAmount: 1000 },
      { amount: 1000, lines: [units(1, 1)] },
      { reason: 'goods', by: 0, owed: 2500, open: 0, refundDue: 0, status: 'SUCCEEDED' },
    ],
  ])('%s', (_name, state, values, expected) => {
    expect(ledgerAfter(state, values)).toMatchObject(expected);
  });

  it('is the share of the units with tax and discount, whose sum is exact', () => {
    const totalAmount = 3333 + 490;
    let state: Partial<PlacedOrderState> = {
      ...shipped,
      totalAmount,
      shippingAmount: 490,
      payments: [money('pi_1', totalAmount)],
    };
    const credits = [units(1, 1), units(1, 1), units(1, 1), units(2, 1)].map((unit, n) => {
      const change = recordRefund(anOrder(state), refunding({ reference: `re_${n}`, amount: 0, lines: [unit] }));
      const { refund } = effectsOf(change);
      if (refund) state = { ...state, status: change.status, refunds: [...(state.refunds ?? []), refund] };
      return refund?.credited;
    });

    expect(credits).toEqual([952, 953, 952, 476]);
  });

  it('is what the request says, whatever is due back', () => {
    const twice = { ...shipped, payments: [money('pi_1', 3500), money('pi_2', 3500)] };

    expect(ledgerAfter(twice, { amount: 0, credited: 700 })).toMatchObject({
      reason: 'goodwill',
      by: 700,
      refundDue: 4200,
    });
  });

  it('is never more than is owed', () => {
    expect(thrown(() => ledgerAfter(shipped, { amount: 0, reason: 'goodwill', credited: 3501 }))).toBe(
      'credit_exceeds_owed',
    );
    expect(
      ledgerAfter({ ...shipped, refunds: [refunded('re_1', 0, [], { credited: 3000 })] }, { amount: 0, lines: ALL }),
    ).toMatchObject({
      ...{ by: 500, owed: 0, refundDue: 3500 },
    });
  });
});

describe('a refund of an order that was set as paid', () => {
  it('records what it was paid, so that a chargeback opens no more than that', () => {
    const order = anOrder({ status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED' });
    const change = recordRefund(order, refunding({ amount: 3500, reason: 'chargeback' }));

    expect(textOf(change.events)).toEqual(['payment_recorded', 'refund_recorded', 'SUCCEEDED>PENDING']);
    expect(effectsOf(change).payment).toMatchObject({ reference: 'SUCCEEDED', amount: 3500, isOfStatus: true });
    expect(order.ledgerAfter(change)).toMatchObject({
      owed: 3500,
      paid: 3500,
      refunded: 3500,
      open: 3500,
      refundDue: 0,
    });
  });

  it('keeps it paid when goodwill is given, also when a part was recorded', () => {
    const order = anOrder({ status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED', payments: [money('pi_1', 1000)] });
    const change = recordRefund(order, refunding({ amount: 500 }));

    expect([change.status, effectsOf(change).payment?.amount]).toEqual(['SUCCEEDED', 2500]);
    expect(order.ledgerAfter(change)).toMatchObject({ owed: 3000, paid: 3500, open: 0, refundDue: 0 });
  });
});

describe('a refund before the units ship', () => {
  const paid = { status: 'SUCCEEDED', payments: [money('pi_1', 3500)], fulfillmentStatus: 'CONFIRMED' } as const;
  const part = { fulfillmentStatus: 'PROCESSING', shipments: [aShipment({ items: [units(1, 2)] })] } as const;

  it('cancels the units, which go back to their bins unless restock is false', () => {
    const change = recordRefund(anOrder({ ...paid, ...part }), refunding({ amount: 500, lines: [units(2, 1)] }));

    expect([statesOf(change), textOf(change.events)]).toEqual([
      'SUCCEEDED PROCESSING',
      ['refund_recorded', 'units_cancelled'],
    ]);
    expect(effectsOf(change)).toMatchObject({
      refund: { credited: 500, lines: [{ ...units(2, 1), cancelledQuantity: 1 }], restock: true },
      cancelledUnits: { lines: [units(2, 1)], amount: 0 },
      restock: { movement: 'CANCELLATION', lines: [units(2, 1)], isOfCancelledUnits: true },
    });
    const kept = recordRefund(anOrder(paid), refunding({ lines: [units(2, 1)], restock: false }));
    expect(effectsOf(kept)).toMatchObject({ refund: { restock: false }, cancelledUnits: { lines: [units(2, 1)] } });
    expect(effectsOf(kept).restock).toBeUndefined();
  });

  it('of a cancelled order cancels no unit again', () => {
    const cancelled = anOrder({ ...paid, fulfillmentStatus: 'CANCELLED' });
    const change = recordRefund(cancelled, refunding({ amount: 1000, lines: [units(1, 1)] }));

    expect([textOf(change.events), change.effects.map(({ kind }) => kind)]).toEqual([
      ['refund_recorded'],
      ['refund', 'mail'],
    ]);
    expect(effectsOf(change).refund).toMatchObject({ credited: 0, lines: [{ ...units(1, 1), cancelledQuantity: 1 }] });
  });

  it('of shipped and unshipped units says that those with the customer did not come back', () => {
    const change = recordRefund(anOrder({ ...paid, ...part }), refunding({ amount: 3000, lines: [units(1, 3)] }));
    const { refund } = effectsOf(change);

    expect([refund?.restock, refund?.lines]).toEqual([false, [{ ...units(1, 3), cancelledQuantity: 1 }]]);
  });

  it('takes shipped units first, and leaves them with the customer', () => {
    const change = recordRefund(anOrder({ ...paid, ...part }), refunding({ amount: 3000, lines: [units(1, 3)] }));

    expect(effectsOf(change)).toMatchObject({
      refund: { lines: [{ ...units(1, 3), cancelledQuantity: 1 }] },
      cancelledUnits: { lines: [units(1, 1)] },
      restock: { movement: 'CANCELLATION', lines: [units(1, 1)] },
    });
  });

  it('of the whole amount owed cancels the unshipped units, so that they do not ship', () => {
    const change = recordRefund(anOrder({ ...paid, ...part }), refunding({ amount: 3500 }));

    expect(statesOf(change)).toBe('REFUNDED SHIPPED');
    expect(effectsOf(change).cancelledUnits?.lines).toEqual([units(1, 1), units(2, 1)]);
    const whole = recordRefund(anOrder({ ...paid, heldReasons: ['manual'] }), refunding({ amount: 3500 }));
    expect(statesOf(whole)).toBe('REFUNDED CANCELLED');
    expect(effectsOf(whole)).toMatchObject({
      restock: { movement: 'CANCELLATION', lines: ALL },
      review: { to: 'abandoned' },
    });
  });

  it('is refused for units that are being picked, and keeps them when it is of all that is owed', () => {
    const picking = { ...paid, shipments: [aShipment({ status: 'picking', items: [units(1, 3)] })] };

    expect(thrown(() => recordRefund(anOrder(picking), refunding({ lines: [units(1, 1)] })))).toBe('being_picked');
    expect(effectsOf(recordRefund(anOrder(picking), refunding({ amount: 3500 }))).cancelledUnits?.lines).toEqual([
      units(2, 1),
    ]);
  });

  it('returns the shipped units and cancels the others in one refund of the whole order', () => {
    const change = recordRefund(anOrder({ ...paid, ...part }), refunding({ amount: 3500, restock: true }));

    expect(change.effects.filter(({ kind }) => kind === 'restock')).toMatchObject([
      { movement: 'RETURN', lines: [units(1, 2)] },
      { movement: 'CANCELLATION', lines: [units(1, 1), units(2, 1)] },
    ]);
  });
});

describe('a refund', () => {
  const paid = { status: 'SUCCEEDED', payments: [money('pi_1', 3500)] } as const;

  it('of a part keeps the order paid, and of the rest makes it REFUNDED', () => {
    const part = recordRefund(anOrder(paid), refunding());
    const rest = recordRefund(
      anOrder({ ...paid, refunds: [refunded('re_1', 1000)] }),
      refunding({ amount: 2500, at: AT }),
    );

    expect([statesOf(part), effectsOf(part).refund?.amount, effectsOf(part).mail?.stage]).toEqual([
      'SUCCEEDED PENDING',
      1000,
      'notify-refund',
    ]);
    expect([statesOf(rest), textOf(rest.events)]).toEqual([
      'REFUNDED CANCELLED',
      ['refund_recorded', 'cancelled', 'SUCCEEDED>REFUNDED', 'PENDING>CANCELLED'],
    ]);
    expect(effectsOf(rest).refund).toEqual({
      reference: 're_9',
      amount: 2500,
      reason: 'goodwill',
      credited: 2500,
      requestHash: 'hash',
      at: AT,
      lines: [],
      restock: false,
    });
  });

  it('never exceeds what was paid', () => {
    const exceeding = (state: Partial<PlacedOrderState>, amount: number) =>
      thrown(() => recordRefund(anOrder(state), refunding({ amount })));

    expect(exceeding(paid, 3501)).toBe('refund_exceeds_payment');
    expect(exceeding({ ...paid, refunds: [refunded('re_1', 1000)] }, 2501)).toBe('refund_exceeds_payment');
    expect(exceeding({}, 1)).toBe('refund_exceeds_payment');
    // An operator set SUCCEEDED without a payment.
    expect(exceeding({ status: 'SUCCEEDED' }, 3500)).toBe('nothing');
  });

  it('of 0 returns units of an order that was paid without a record and refunded', () => {
    const setBack = { status: 'REFUNDED', fulfillmentStatus: 'DELIVERED', refunds: [refunded('re_1', 3500)] } as const;

    expect(effectsOf(recordRefund(anOrder(setBack), refunding({ amount: 0, restock: true }))).restock?.lines).toEqual(
      ALL,
    );
    expect(thrown(() => recordRefund(anOrder(setBack), refunding({ amount: 1 })))).toBe('refund_exceeds_payment');
  });

  it('of 0 is possible although another system has refunded more than was paid', () => {
    const imported = { ...paid, refunds: [refunded('re_1', 9999)] };

    expect(thrown(() => recordRefund(anOrder(imported), refunding({ amount: 0 })))).toBe('nothing');
    expect(() => recordRefund(anOrder(imported), refunding({ amount: 1 }))).toThrow('At most 0 can be refunded');
  });

  it('is for no more units of a line than were ordered', () => {
    const lines = (...quantities: number[]) => refunding({ lines: quantities.map((quantity) => units(1, quantity)) });

    expect(thrown(() => recordRefund(anOrder(paid), lines(3)))).toBe('nothing');
    expect(thrown(() => recordRefund(anOrder(paid), lines(4)))).toBe('refund_exceeds_line');
    expect(thrown(() => recordRefund(anOrder(paid), lines(2, 2)))).toBe('refund_exceeds_line');
  });

  it('is for each unit once, over all refunds of the order', () => {
    const lines = [units(1, 2), units(2, 1)];
    const order = anOrder({ ...paid, refunds: [refunded('re_1', 1000, lines)] });
    const again = (quantity: number) => () => recordRefund(order, refunding({ lines: [units(1, quantity)] }));

    expect(thrown(again(1))).toBe('nothing');
    expect(again(2)).toThrow('Line 1 has 1 unit left to refund');
    expect(() => recordRefund(order, refunding({ lines: [units(2, 1)] }))).toThrow('Line 2 has 0 units');
  });

  it('without restock counts against what can come back, after units that were given up', () => {
    const refunds = [refunded('re_1', 1000, [units(1, 1)])];
    const back = (values: Partial<PlacedOrderState>) =>
      effectsOf(recordRefund(anOrder({ ...paid, ...values }), refunding({ restock: true }))).refund;

    const shipped = { refunds, shipments: [aShipment()] };
    expect(back(shipped)).toMatchObject({ lines: [units(1, 2), units(2, 1)], restock: true });
    const lines = [aLine(1, 3, { cancelledQuantity: 1 }), aLine(2, 1)];
    const beforeShipping = { refunds: [refunded('re_1', 1000, [{ ...units(1, 1), cancelledQuantity: 1 }])] };
    const givenUp = { ...beforeShipping, lines, shipments: [aShipment({ items: [units(1, 2), units(2, 1)] })] };
    expect(back(givenUp)?.lines).toMatchObject([units(1, 2), units(2, 1)]);
    // A refund with restock is included in what has come back.
    const returned = { lines: [aLine(1, 3, { returnedQuantity: 1 }), aLine(2, 1)], shipments: [aShipment()] };
    expect(
      back({ ...returned, refunds: [refunded('re_1', 1000, [units(1, 1)], { restock: true })] })?.lines,
    ).toMatchObject([units(1, 2), units(2, 1)]);
  });

  it('without restock counts for units that came back before it first', () => {
    const lines = [aLine(1, 3, { returnedQuantity: 1 }), aLine(2, 1)];
    const back = { ...paid, lines, shipments: [aShipment()], refunds: [refunded('re_1', 1000, [units(1, 1)])] };

    expect(effectsOf(recordRefund(anOrder(back), refunding({ amount: 500, restock: true }))).restock?.lines).toEqual([
      units(1, 2),
      units(2, 1),
    ]);
  });

  it('returns no units to bins from which none came', () => {
    const imported = anOrder({ ...paid, fulfillmentStatus: 'DELIVERED', hasTakenStock: false });
    const restock = (lines: ReturnType<typeof units>[] | null) => () =>
      recordRefund(imported, refunding({ amount: 0, restock: true, lines }));

    expect(restock(null)).toThrow('The units of the order were not taken from bins');
    expect(thrown(restock([units(1, 1)]))).toBe('units_without_bin');
    expect(thrown(() => recordRefund(imported, refunding({ lines: [units(1, 1)] })))).toBe('nothing');
  });

  it('of a second payment keeps the first one', () => {
    const twice = anOrder({ status: 'SUCCEEDED', payments: [money('pi_1', 3500), money('pi_2', 3500)] });

    expect(statesOf(recordRefund(twice, refunding({ amount: 3500 })))).toBe('SUCCEEDED PENDING');
  });

  it('brings back shipped units only, each once, on request', () => {
    const lines = [aLine(1, 3, { returnedQuantity: 1 }), aLine(2, 1)];
    const shipped = {
      ...paid,
      lines,
      fulfillmentStatus: 'PROCESSING',
      shipments: [aShipment({ items: [units(1, 3)] })],
    } as const;
    const back = (values: Parameters<typeof refunding>[0]) =>
      effectsOf(recordRefund(anOrder(shipped), refunding(values))).restock;

    expect(back({})).toBeUndefined();
    expect(back({ restock: true, amount: 500 })).toEqual({ movement: 'RETURN', lines: [units(1, 2)] });
    expect(back({ restock: true, amount: 500, lines: [units(1, 1), units(1, 1)] })).toEqual({
      movement: 'RETURN',
      lines: [units(1, 2)],
    });
    expect(thrown(() => back({ restock: true, lines: [units(1, 3)] }))).toBe('return_exceeds_shipment');
    expect(thrown(() => back({ restock: true, lines: [units(1, 1), units(2, 1)] }))).toBe('return_exceeds_shipment');
    expect(thrown(() => back({ lines: [units(7, 1)] }))).toBe('not_found');
  });

  it('brings back no more units than came from bins, unless it names one', () => {
    const short = anOrder({ ...paid, shipments: [aShipment()], lines: [aLine(1, 3, { binQuantity: 2 }), aLine(2, 1)] });
    const none = anOrder({ ...paid, shipments: [aShipment()], lines: [aLine(1, 3, { binQuantity: 0 })] });
    const back = (values: Parameters<typeof refunding>[0], order = short) =>
      effectsOf(recordRefund(order, refunding({ restock: true, ...values }))).restock?.lines;
    const restockTo = { warehouse: 'MAIN', bin: 'RETURNS' };

    expect(back({})).toEqual([units(1, 2), units(2, 1)]);
    expect(back({ restockTo })).toEqual(ALL);
    expect(back({ lines: [units(1, 3)], restockTo })).toEqual([units(1, 3)]);
    expect(thrown(() => back({ lines: [units(1, 3)] }))).toBe('units_without_bin');
    expect(thrown(() => back({}, none))).toBe('units_without_bin');
  });

  it('changes nothing the second time, and another one needs another reference', () => {
    const order = anOrder({ ...paid, refunds: [refunded('re_9', 1000)] });

    expect(effectsOf(recordRefund(order, refunding({ reference: 're_10', amount: 0 }))).mail).toBeUndefined();
    expect(recordRefund(order, refunding()).events).toEqual([]);
    expect(thrown(() => recordRefund(order, refunding({ lines: [units(1, 1)] })))).toBe('refund_reference_taken');
    expect(thrown(() => recordRefund(order, refunding({ requestHash: 'another' })))).toBe('refund_reference_taken');
  });
});
