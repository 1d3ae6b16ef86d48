import {
  cancelOrder,
  recordPayment,
  recordRefund,
  NO_DETAILS,
  ledgerOf,
  setStatuses,
  shipOrder,
  type RecordedShipment,
  type PlacedOrderState,
} from '@app/domain';
import {
  aLine,
  ALL,
  anOrder,
  aShipment,
  cancellation,
  money,
  refunding,
  shipping,
  stateOf,
  statesOf,
  textOf,
  thrown,
  units,
  effectsOf,
} from '../../builders/order-state.js';

describe('a cancellation', () => {
  it('returns all units, tells the customer, and keeps the reason', () => {
    const change = cancelOrder(anOrder(), { ...cancellation, reason: 'Broken' });

    expect(statesOf(change)).toBe('CANCELLED CANCELLED');
    expect(textOf(change.events)).toEqual(['cancelled', 'PENDING>CANCELLED', 'PENDING>CANCELLED']);
    expect(change.events[0]?.details).toEqual({ reason: 'Broken', restock: true });
    expect(effectsOf(change).restock).toMatchObject({ movement: 'CANCELLATION', lines: ALL });
    expect(effectsOf(change).mail).toEqual({ stage: 'notify-cancellation', reference: '' });
  });

  it('of a paid order keeps the payment, which is due for a refund', () => {
    const change = cancelOrder(anOrder({ status: 'SUCCEEDED' }), cancellation);

    expect(statesOf(change)).toBe('SUCCEEDED CANCELLED');
  });

  const HELD_CONFIRMATION = { stage: 'notify-customer', reference: '', state: 'held' };

  it('of an order under review abandons its confirmation and sends no mail', () => {
    const change = cancelOrder(anOrder({ heldReasons: ['manual'], mails: [HELD_CONFIRMATION] }), cancellation);

    expect([effectsOf(change).review?.to, effectsOf(change).mail]).toEqual(['abandoned', undefined]);
  });

  it('neither restocks the units nor mails the customer when the request says so', () => {
    const change = cancelOrder(anOrder(), { reason: '', restock: false, notify: false });

    expect([effectsOf(change).restock, effectsOf(change).mail, change.events[0]?.details]).toEqual([
      undefined,
      undefined,
      { restock: false },
    ]);
  });

  it('returns no units that came from no bin, and is refused when it must return them', () => {
    const imported = anOrder({ hasTakenStock: false });

    const change = cancelOrder(imported, { ...cancellation, restock: null });

    expect([effectsOf(change).restock, change.events[0]?.details]).toEqual([undefined, { restock: false }]);
    expect(effectsOf(setStatuses(imported, { fulfillmentStatus: 'CANCELLED' })).restock).toBeUndefined();
    expect(effectsOf(cancelOrder(anOrder(), { ...cancellation, restock: null })).restock?.lines).toMatchObject(ALL);
    expect(thrown(() => cancelOrder(imported, cancellation))).toBe('units_without_bin');
  });

  it('changes nothing the second time', () => {
    const cancelled = anOrder({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' });

    expect(cancelOrder(cancelled, cancellation)).toEqual({
      status: 'CANCELLED',
      fulfillmentStatus: 'CANCELLED',
      events: [],
      effects: [],
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
  const shipped = (...items: RecordedShipment['items']) => ({
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
    expect([effectsOf(change).cancelledUnits?.lines, effectsOf(change).restock]).toEqual([
      [units(1, 2)],
      { movement: 'CANCELLATION', lines: [units(1, 2)], isOfCancelledUnits: true },
    ]);
    expect([effectsOf(change).mail, effectsOf(change).review?.to]).toEqual([undefined, undefined]);
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

    expect([statesOf(change), effectsOf(change).cancelledUnits?.lines]).toEqual(['CANCELLED CANCELLED', undefined]);
    expect(effectsOf(change).restock?.lines).toEqual([units(1, 2)]);
    expect(effectsOf(cancelOrder(anOrder({ lines }), cancellation)).restock?.lines).toEqual([units(1, 2)]);
  });

  it.each<[string, Partial<PlacedOrderState>, RecordedShipment['items'], string]>([
    ['that have shipped', shipped(units(1, 2)), [units(1, 2)], 'already_shipped'],
    ['that were cancelled', { lines: [aLine(1, 3, { cancelledQuantity: 2 })] }, [units(1, 2)], 'already_shipped'],
    ['of an order that has shipped as a whole', { fulfillmentStatus: 'SHIPPED' }, [units(1, 1)], 'already_shipped'],
    ['that are in one line twice', {}, [units(1, 2), units(1, 2)], 'already_shipped'],
    ['that are being picked', { shipments: [aShipment({ status: 'picking' })] }, [units(1, 1)], 'being_picked'],
    ['of an unknown line', {}, [units(3, 1)], 'not_found'],
  ])('%s is refused', (_name, state, items, code) => {
    expect(thrown(() => cancel(state, [...items]))).toBe(code);
  });

  it('returns units to the bins they came from, unless they are gone', () => {
    expect(effectsOf(cancel({}, [units(1, 2)], false)).restock).toBeUndefined();
    expect(effectsOf(cancel({ hasTakenStock: false })).restock).toBeUndefined();
    expect(thrown(() => cancel({ hasTakenStock: false }, [units(1, 2)], true))).toBe('units_without_bin');
  });

  it('leaves only the other units to ship, and a return of the whole order has only the other units', () => {
    const lines = [aLine(1, 3, { cancelledQuantity: 2 }), aLine(2, 1)];
    const order = anOrder({ lines, fulfillmentStatus: 'SHIPPED' });

    expect(effectsOf(shipOrder(anOrder({ lines }), shipping())).shipment?.shipment?.items).toEqual([
      units(1, 1),
      units(2, 1),
    ]);
    expect(effectsOf(recordRefund(order, refunding({ amount: 0, restock: true }))).restock?.lines).toEqual([
      units(1, 1),
      units(2, 1),
    ]);
  });

  it('makes what was paid for the units due for a refund, and sets SUCCEEDED when the payments cover the rest', () => {
    const lines = [aLine(1, 3, { cancelledQuantity: 2 }), aLine(2, 1)];
    const partlyCancelled = { lines, cancelledAmount: 2000 };
    const paidInPart = { payments: [money('pi_1', 1500)] };

    expect(
      ledgerOf(stateOf({ status: 'SUCCEEDED', payments: [money('pi_1', 3500)], ...partlyCancelled })).refundDue,
    ).toBe(2000);
    expect(ledgerOf(stateOf({ status: 'SUCCEEDED', ...partlyCancelled })).refundDue).toBe(2000);
    const change = cancel(paidInPart);
    expect(textOf(change.events)).toEqual(['units_cancelled', 'PENDING>SUCCEEDED']);
    expect(change.events[1]?.reference).toBe('pi_1');
    expect(effectsOf(change).cancelledUnits?.amount).toBe(2000);
    expect(ledgerOf({ ...stateOf({ ...paidInPart, ...partlyCancelled }), status: 'SUCCEEDED' }).refundDue).toBe(0);
  });
});

describe('a cancellation for a fee', () => {
  const cancelled = (values: Partial<PlacedOrderState> = {}) =>
    anOrder({ fulfillmentStatus: 'CANCELLED', cancelledAmount: 3000, cancellationFee: 500, ...values });
  const pay = (order: ReturnType<typeof anOrder>, amount: number, settles = false) =>
    recordPayment(order, {
      ...{ reference: 'pi_9', amount, currency: 'USD', partial: false, settles, excess: false, ...NO_DETAILS },
      ...{ at: null, requestHash: 'hash' },
    });

  it.each<[string, Partial<PlacedOrderState>, string, number]>([
    ['an unpaid order is still to be paid', {}, 'PENDING CANCELLED', 500],
    [
      'a paid order pays back the rest',
      { status: 'SUCCEEDED', payments: [money('pi_1', 3500)] },
      'SUCCEEDED CANCELLED',
      -3000,
    ],
    ['an order that was set as paid, too', { status: 'SUCCEEDED' }, 'SUCCEEDED CANCELLED', -3000],
    ['an order that was paid in part, too', { payments: [money('pi_1', 800)] }, 'SUCCEEDED CANCELLED', -300],
    ['an order whose payment failed stays so', { status: 'FAILED' }, 'FAILED CANCELLED', 500],
    [
      'an imported order whose payment is cancelled is pending again',
      { status: 'CANCELLED' },
      'PENDING CANCELLED',
      500,
    ],
  ])('of %s', (_what, values, states, balance) => {
    const order = anOrder(values);

    const change = cancelOrder(order, { ...cancellation, fee: 500 });

    expect([statesOf(change), order.ledgerAfter(change).balance]).toEqual([states, balance]);
    expect(effectsOf(change).cancellationFee).toEqual({ amount: 500, credited: 3000 });
    expect(change.events[0]?.details).toEqual({ restock: true, fee: 500 });
    expect(effectsOf(change).restock?.lines).toEqual(ALL);
  });

  it('is refused for more than what is owed, and keeps nothing of an order that owes nothing', () => {
    const partlyCancelled = anOrder({ cancelledAmount: 3000 });

    expect(thrown(() => cancelOrder(partlyCancelled, { ...cancellation, fee: 501 }))).toBe('fee_exceeds_owed');
    expect(partlyCancelled.ledgerAfter(cancelOrder(partlyCancelled, { ...cancellation, fee: 500 })).owed).toBe(500);
    expect(statesOf(cancelOrder(anOrder(), { ...cancellation, fee: 0 }))).toBe('CANCELLED CANCELLED');
  });

  it('changes nothing the second time, and its fee never', () => {
    const none = anOrder({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' });

    for (const again of [cancellation, { ...cancellation, fee: 500 }])
      expect(cancelOrder(cancelled(), again).events).toEqual([]);
    expect(cancelOrder(none, { ...cancellation, fee: 0 }).events).toEqual([]);
    expect(thrown(() => cancelOrder(cancelled(), { ...cancellation, fee: 400 }))).toBe('order_cancelled');
    expect(thrown(() => cancelOrder(cancelled(), { ...cancellation, fee: 0 }))).toBe('order_cancelled');
    expect(thrown(() => cancelOrder(none, { ...cancellation, fee: 500 }))).toBe('order_cancelled');
  });

  it('is closed by the payment of the fee, by a write-off that a later payment takes back, or by a credit', () => {
    const badDebt = cancelled({ status: 'FAILED', payments: [money('pi_1', 0, 500)] });
    const waived = recordRefund(cancelled(), refunding({ amount: 0, reason: 'goodwill', credited: 500 }));

    expect(statesOf(pay(cancelled(), 500))).toBe('SUCCEEDED CANCELLED');
    expect(statesOf(pay(cancelled(), 0, true))).toBe('FAILED CANCELLED');
    expect(effectsOf(pay(badDebt, 500)).payment?.writtenOff).toBe(-500);
    expect([statesOf(waived), effectsOf(waived).restock]).toEqual(['CANCELLED CANCELLED', undefined]);
    expect(cancelled().ledgerAfter(waived)).toMatchObject({ owed: 0, open: 0, refundDue: 0 });
  });
});
