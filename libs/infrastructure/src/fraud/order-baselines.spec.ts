import { NO_BASELINE } from '@app/domain';
import { OrderBaselines } from './order-baselines.js';

const baseline = (orders: number) => ({ ...NO_BASELINE, orders });

describe('OrderBaselines', () => {
  it('keeps the baseline of each store for one minute', () => {
    let now = 0;
    const baselines = new OrderBaselines(() => now);
    baselines.set(1, baseline(50));

    now = 59_999;
    expect([baselines.get(1), baselines.get(2)]).toEqual([baseline(50), undefined]);
    now = 60_000;
    expect(baselines.get(1)).toBeUndefined();
  });

  it('evicts the store with the oldest refresh when there are too many', () => {
    const baselines = new OrderBaselines(() => 0, 2);
    baselines.set(1, baseline(1));
    baselines.set(2, baseline(2));
    baselines.set(1, baseline(3));

    baselines.set(3, baseline(4));

    expect([1, 2, 3].map((id) => baselines.get(id)?.orders)).toEqual([3, undefined, 4]);
  });
});
