import { moveStatus, setStatuses, type PlacedOrderState, type Transition } from '@app/domain';
import { aLine, anOrder, aShipment, statesOf, thrown, units, effectsOf } from '../../builders/order-state.js';

const moving = (values: Partial<Transition>) => ({
  field: 'fulfillmentStatus' as const,
  expected: 'PENDING',
  to: 'CONFIRMED',
  restock: false,
  restockTo: null,
  lines: null,
  ...values,
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
    const lines = [aLine(1, 3, { returnedQuantity: 1 }), aLine(2, 1)];
    const order = anOrder({ lines, fulfillmentStatus: 'SHIPPED', shipments: [aShipment()] });
    const back = (wanted: Parameters<typeof moving>[0]) =>
      effectsOf(moveStatus(order, moving({ expected: 'SHIPPED', to: 'RETURNED', ...wanted }))).restock?.lines;

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
