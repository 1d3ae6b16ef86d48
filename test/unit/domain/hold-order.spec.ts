import { holdOrder, type PlacedOrderState } from '@app/domain';
import { anOrder, aShipment, statesOf, textOf, thrown, units } from '../../builders/order-state.js';

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
