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
      'REFUNDED PENDING',
      ['refund_recorded', 'SUCCEEDED>REFUNDED'],
    ]);
    expect(effectsOf(rest).refund).toEqual({
      reference: 're_9',
      amount: 2500,
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
    expect(again(2)).toThrow('Line 1 has 1 unit that no refund has been for');
    expect(() => recordRefund(order, refunding({ lines: [units(2, 1)] }))).toThrow('Line 2 has 0 units');
  });

  it('without restock counts against what can come back, after units that were given up', () => {
    const refunds = [refunded('re_1', 1000, [units(1, 1)])];
    const back = (values: Partial<PlacedOrderState>) =>
      effectsOf(recordRefund(anOrder({ ...paid, ...values }), refunding({ restock: true }))).refund;

    const shipped = { refunds, shipments: [aShipment()] };
    expect(back(shipped)).toMatchObject({ lines: [units(1, 2), units(2, 1)], restock: true });
    const lines = [aLine(1, 3, { cancelledQuantity: 1 }), aLine(2, 1)];
    const givenUp = { refunds, lines, shipments: [aShipment({ items: [units(1, 2), units(2, 1)] })] };
    expect(back(givenUp)?.lines).toEqual([units(1, 2), units(2, 1)]);
    // One with restock is in what has come back.
    const returned = { lines: [aLine(1, 3, { returnedQuantity: 1 }), aLine(2, 1)], shipments: [aShipment()] };
    expect(back({ ...returned, refunds: [refunded('re_1', 1000, [units(1, 1)], true)] })?.lines).toEqual([
      units(1, 2),
      units(2, 1),
    ]);
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
    expect(back({ restock: true })).toEqual({ movement: 'RETURN', lines: [units(1, 2)] });
    expect(back({ restock: true, lines: [units(1, 1), units(1, 1)] })).toEqual({
      movement: 'RETURN',
      lines: [units(1, 2)],
    });
    expect(thrown(() => back({ restock: true, lines: [units(1, 3)] }))).toBe('return_exceeds_shipment');
    expect(thrown(() => back({ restock: true, lines: [units(2, 1)] }))).toBe('return_exceeds_shipment');
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
