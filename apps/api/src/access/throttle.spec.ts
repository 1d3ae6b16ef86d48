import { Throttle } from './throttle.js';

describe('Throttle', () => {
  let now: number;
  beforeEach(() => (now = 1_000_000));

  const throttleAt = (limit: number) => new Throttle(limit, () => now);
  const send = (throttle: Throttle, requests: number, key = 'k') =>
    Array.from({ length: requests }, () => throttle.admit(key)).filter((seconds) => seconds > 0).length;

  it('admits the limit of a key within ten seconds and refuses further requests', () => {
    const throttle = throttleAt(5);

    expect(send(throttle, 5)).toBe(0);
    expect(send(throttle, 3)).toBe(3);
  });

  it('never refuses when the limit is 0', () => {
    expect(send(throttleAt(0), 10_000)).toBe(0);
  });

  it('counts each key separately', () => {
    const throttle = throttleAt(5);
    send(throttle, 6, 'greedy');

    expect(throttle.admit('modest')).toBe(0);
  });

  it('admits a multiple of the limit where it is higher', () => {
    const throttle = throttleAt(5);
    const refused = Array.from({ length: 12 }, () => throttle.admit('store 7', 2)).filter((seconds) => seconds > 0);

    expect(refused).toHaveLength(2);
    expect(send(throttleAt(0), 100)).toBe(0);
  });

  it('grants no second allowance at the edge of a window', () => {
    const throttle = throttleAt(10);
    now += 9_900;
    send(throttle, 10);
    now += 200;

    expect(send(throttle, 10)).toBeGreaterThanOrEqual(9);
  });

  it('throttles a loop until it slows down', () => {
    const throttle = throttleAt(100);
    const refused: number[] = [];
    for (let second = 0; second < 60; second++, now += 1000) refused.push(send(throttle, 50));

    expect(refused.slice(10).every((count) => count === 50)).toBe(true);
  });

  it.each([6, 20, 500])('returns after %i requests the seconds until it admits the next one', (requests) => {
    const throttle = throttleAt(5);
    now += 2_500;
    send(throttle, requests - 1);
    const seconds = throttle.admit('k');

    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(20);
    now += seconds * 1000;
    expect(throttle.admit('k')).toBe(0);
  });

  it('forgets keys that stopped sending requests', () => {
    const throttle = throttleAt(5);
    for (let i = 0; i < 1000; i++) throttle.admit(`key-${i}`);
    now += 20_000;
    throttle.admit('k');

    const { current, previous } = throttle as unknown as Record<string, Map<string, number>>;
    expect([current?.size, previous?.size]).toEqual([1, 0]);
  });
});
