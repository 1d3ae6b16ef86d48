import { oncePerSecond } from './once-per-second.js';

describe('oncePerSecond', () => {
  let now: number;
  let runs: number;
  const work = () => Promise.resolve(++runs);
  beforeEach(() => {
    now = 5;
    runs = 0;
  });

  it('shares one result among the callers of a second', async () => {
    const read = oncePerSecond(work, () => now);

    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    now += 999;
    expect(await read()).toBe(1);
    now += 1;
    expect(await read()).toBe(2);
  });

  it('keeps no failure', async () => {
    let fails = true;
    const read = oncePerSecond(
      () => (fails ? Promise.reject(new Error('away')) : work()),
      () => now,
    );

    await expect(read()).rejects.toThrow('away');
    fails = false;
    expect(await read()).toBe(1);
  });
});
