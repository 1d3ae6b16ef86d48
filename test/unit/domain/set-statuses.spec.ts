import {
  PlacedOrder,
  recordRefund,
  ledgerOf,
  setStatuses,
  type RecordedShipment,
  type PlacedOrderState,
} from '@app/domain';
import {
  anOrder,
  aShipment,
  money,
  refunded,
  refunding,
  stateOf,
  statesOf,
  textOf,
  thrown,
  units,
  effectsOf,
} from '../../builders/order-state.js';

describe('statuses that an operator sets', () => {
  it('change together, with an event for each', () => {
    const change = setStatuses(anOrder(), { status: 'SUCCEEDED', fulfillmentStatus: 'CONFIRMED' });

    expect(statesOf(change)).toBe('SUCCEEDED CONFIRMED');
    expect(textOf(change.events)).toEqual(['PENDING>SUCCEEDED', 'PENDING>CONFIRMED']);
  });

  it('end the review when they confirm the order, and return the stock when they cancel it', () => {
    const held = anOrder({ heldReasons: ['manual'] });

    const confirmed = setStatuses(held, { fulfillmentStatus: 'CONFIRMED' });
    const cancelled = setStatuses(held, { fulfillmentStatus: 'CANCELLED' });

    expect([effectsOf(confirmed).review?.to, textOf(confirmed.events)]).toEqual([
      'released',
      ['released', 'PENDING>CONFIRMED'],
    ]);
    expect([
      effectsOf(cancelled).review?.to,
      effectsOf(cancelled).restock?.movement,
      effectsOf(cancelled).mail,
    ]).toEqual(['abandoned', 'CANCELLATION', undefined]);
  });

  it('are not SHIPPED or DELIVERED while the shipments of the order lack units', () => {
    const part = aShipment({ items: [units(1, 2)] });
    const set = (fulfillmentStatus: 'SHIPPED' | 'DELIVERED', shipments: RecordedShipment[]) => () =>
      setStatuses(
        anOrder({ fulfillmentStatus: fulfillmentStatus === 'SHIPPED' ? 'PROCESSING' : 'SHIPPED', shipments }),
        {
          fulfillmentStatus,
        },
      );

    expect(set('SHIPPED', [part])).toThrow(
      'Not all units of the order have shipped: ship 1 of line 1, 1 of line 2 first',
    );
    expect(thrown(set('SHIPPED', [aShipment({ status: 'picking' })]))).toBe('transition_not_allowed');
    expect(thrown(set('DELIVERED', [part]))).toBe('transition_not_allowed');
    expect(thrown(set('SHIPPED', [aShipment({ status: 'void' })]))).toBe('nothing');
    expect(thrown(set('DELIVERED', [aShipment()]))).toBe('nothing');
  });

  it('record what was paid and not refunded as one refund, so that a later payment can be paid back', () => {
    const state = {
      status: 'SUCCEEDED',
      payments: [money('pi_1', 3500)],
      refunds: [refunded('REFUNDED', 1000)],
    } as const;

    const change = setStatuses(anOrder(state), { status: 'REFUNDED' });

    expect(textOf(change.events)).toEqual(['refund_recorded', 'SUCCEEDED>REFUNDED']);
    expect(effectsOf(change).refund).toEqual({
      reference: 'REFUNDED-2',
      amount: 2500,
      reason: 'goodwill',
      credited: 2500,
      at: null,
      requestHash: '',
      lines: [],
      restock: false,
    });
    const after: PlacedOrderState = {
      ...stateOf(state),
      status: 'REFUNDED',
      payments: [...state.payments, money('pi_2', 3500)],
      refunds: [...state.refunds, refunded('REFUNDED-2', 2500)],
    };
    expect(ledgerOf(after).refundDue).toBe(3500);
    expect(effectsOf(recordRefund(new PlacedOrder(after), refunding({ amount: 3500 }))).refund?.amount).toBe(3500);
    expect(ledgerOf({ ...after, refunds: [...after.refunds, refunded('re_1', 3500)] }).refundDue).toBe(0);
  });

  it('are refused when the life cycle has no such step, and change nothing when there is none', () => {
    expect(thrown(() => setStatuses(anOrder(), { fulfillmentStatus: 'DELIVERED' }))).toBe('transition_not_allowed');
    expect(setStatuses(anOrder(), {}).events).toEqual([]);
  });
});
