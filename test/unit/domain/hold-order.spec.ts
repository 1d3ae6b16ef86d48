import { holdOrder, type PlacedOrderState } from '@app/domain';
import { anOrder, aShipment, statesOf, textOf, thrown, units, effectsOf } from '../../builders/order-state.js';

describe('a hold', () => {
  const UNDER_REVIEW = { heldReasons: ['amount_over_limit'] };

  it.each<[string, Partial<PlacedOrderState>, string[]]>([
    ['an order', {}, ['held']],
    ['an order that a rule holds', UNDER_REVIEW, ['held']],
    ['an order that a person holds', { heldReasons: ['amount_over_limit', 'manual'] }, []],
  ])('of %s changes no status', (_name, state, events) => {
    const change = holdOrder(anOrder(state), 'Wait');

    expect([statesOf(change), textOf(change.events)]).toEqual(['PENDING PENDING', events]);
    expect(effectsOf(change).review?.to).toEqual(events.length > 0 ? { heldFor: ['manual'] } : undefined);
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
