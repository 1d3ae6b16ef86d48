import { setImmediate } from 'node:timers/promises';
import { oncePerSecond } from './once-per-second.js';

describe('work once per second', () => {
  it('is shared for a second', async () => {
    let [ms, runs] = [0, 0];
    const work = oncePerSecond(
      () => Promise.resolve(++runs),
      () => ms,
    );

    const first = [await work(), await work()];
    ms = 1_000;

    expect([...first, await work()]).toEqual([1, 1, 2]);
  });

  it('is done again after a failure', async () => {
    let runs = 0;
    const work = oncePerSecond(() => (++runs === 1 ? Promise.reject(new Error('late')) : Promise.resolve(runs)));

    await expect(work()).rejects.toThrow('late');
    await expect(work()).resolves.toBe(2);
  });

  it('leaves no failure without a handler when a later run fails, too', async () => {
    let ms = 0;
    const fail: (() => void)[] = [];
    const work = oncePerSecond(
      () => new Promise<never>((_, reject) => fail.push(() => reject(new Error(`run ${fail.length}`)))),
      () => ms,
    );
    const first = work();
    ms = 1_000;
    const second = work();

    // Vitest fails the run when a rejection is unhandled.
    for (const each of fail) each();
    const outcomes = await Promise.allSettled([first, second]);
    await setImmediate();

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
