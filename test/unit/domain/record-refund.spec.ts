import { recordRefund, type PlacedOrderState } from '@app/domain';
import {
  aLine,
  ALL,
  anOrder,
  aShipment,
  AT,
  money,
  refunding,
  statesOf,
  textOf,
  thrown,
  units,
} from '../../builders/order-state.js';

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
