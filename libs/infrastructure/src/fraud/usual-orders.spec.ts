import { NO_USUAL_ORDER } from '@app/domain';
import { UsualOrders } from './usual-orders.js';

const usual = (orders: number) => ({ ...NO_USUAL_ORDER, orders });

describe('UsualOrders', () => {
  it('keeps what is usual in each store for a minute', () => {
    let now = 0;
    const usualOrders = new UsualOrders(() => now);
    usualOrders.set(1, usual(50));

    now = 59_999;
    expect([usualOrders.get(1), usualOrders.get(2)]).toEqual([usual(50), undefined]);
    now = 60_000;
    expect(usualOrders.get(1)).toBeUndefined();
  });

  it('forgets the store that was longest not refreshed when there are too many', () => {
    const usualOrders = new UsualOrders(() => 0, 2);
    usualOrders.set(1, usual(1));
    usualOrders.set(2, usual(2));
    usualOrders.set(1, usual(3));

    usualOrders.set(3, usual(4));

    expect([1, 2, 3].map((id) => usualOrders.get(id)?.orders)).toEqual([3, undefined, 4]);
  });
});
