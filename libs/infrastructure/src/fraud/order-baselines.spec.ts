import { NO_BASELINE } from '@app/domain';
import { OrderBaselines } from './order-baselines.js';

const of = (orders: number) => () => Promise.resolve({ ...NO_BASELINE, orders });

describe('OrderBaselines', () => {
  it('reads the baseline of a store once a minute', async () => {
    let now = 0;
    const baselines = new OrderBaselines(() => now);
    const orders = async (storeId: number, found: number) => (await baselines.get(storeId, of(found))).orders;

    expect(await orders(1, 50)).toBe(50);
    now = 59_999;
    expect([await orders(1, 51), await orders(2, 7)]).toEqual([50, 7]);
    now = 60_000;
    expect(await orders(1, 52)).toBe(52);
  });

  it('shares one read between orders of the same moment', async () => {
    const baselines = new OrderBaselines(() => 0);
    const read = jest.fn(of(50));

    const both = await Promise.all([baselines.get(1, read), baselines.get(1, read)]);

    expect([both.map(({ orders }) => orders), read.mock.calls.length]).toEqual([[50, 50], 1]);
  });

  it('reads again after a failure', async () => {
    const baselines = new OrderBaselines(() => 0);

    await expect(baselines.get(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');

    expect((await baselines.get(1, of(50))).orders).toBe(50);
  });

  it('evicts the store with the oldest baseline when there are too many', async () => {
    const baselines = new OrderBaselines(() => 0, 2);
    for (const storeId of [1, 2, 3]) await baselines.get(storeId, of(storeId));

    const kept = await Promise.all([2, 3, 1].map((storeId) => baselines.get(storeId, of(9))));

    expect(kept.map(({ orders }) => orders)).toEqual([2, 3, 9]);
  });
});
