import { releaseOrder, type PlacedOrderState } from '@app/domain';
import { anOrder, statesOf, textOf, thrown, effectsOf } from '../../builders/order-state.js';

describe('a release', () => {
  it('ends the review and changes no status', () => {
    const change = releaseOrder(anOrder({ heldReasons: [] }));

    expect([statesOf(change), textOf(change.events), effectsOf(change).review?.to]).toEqual([
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
