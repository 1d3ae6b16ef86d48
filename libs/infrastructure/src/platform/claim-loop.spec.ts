import { setImmediate } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ClaimLoop } from './claim-loop.js';

/** A loop with `due` tasks, which end when the test says so. */
class Work extends ClaimLoop<number> {
  readonly ends: ((error?: Error) => void)[] = [];
  readonly asked: number[] = [];
  failure: Error | null = null;

  constructor(
    private due: number,
    concurrency = 2,
  ) {
    super({ what: 'Notices', concurrency, pollMs: 1, shutdownMs: 60_000 });
  }

  override claim(most: number): Promise<number[]> {
    this.asked.push(most);
    if (this.failure) return Promise.reject(this.failure);
    const claimed = Math.min(most, this.due);
    this.due -= claimed;
    return Promise.resolve(Array.from({ length: claimed }, (_, n) => n));
  }

  override execute(): Promise<void> {
    return new Promise((resolve, reject) => this.ends.push((error) => (error ? reject(error) : resolve())));
  }
}

const refused = () => Object.assign(new Error('the text'), { code: 'ECONNREFUSED' });
const until = (isTrue: () => boolean) => vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 5_000, interval: 1 });

describe('ClaimLoop', () => {
  const logged: unknown[] = [];
  beforeEach(() => {
    logged.length = 0;
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void logged.push(line));
  });
  afterEach(() => vi.restoreAllMocks());

  it('claims only as much as it may run at a time, and more when a part has ended', async () => {
    const work = new Work(5, 3);
    work.onApplicationBootstrap();
    await until(() => work.ends.length === 3);
    work.ends[0]?.();
    await until(() => work.ends.length === 4);
    expect(work.asked).toEqual([3, 1]);

    work.ends[1]?.();
    work.ends[2]?.();
    work.ends[3]?.();
    await until(() => work.ends.length === 5);
    work.ends[4]?.();
    await work.beforeApplicationShutdown();
  });

  it('ends with what it runs, and claims nothing more', async () => {
    const work = new Work(2);
    work.onApplicationBootstrap();
    await until(() => work.ends.length === 2);
    let isOver = false;
    const shutdown = work.beforeApplicationShutdown().then(() => (isOver = true));
    work.ends[0]?.();
    await setImmediate();
    expect(isOver).toBe(false);

    work.ends[1]?.();
    await shutdown;

    expect(work.asked).toEqual([2]);
  });

  it('writes one line for an outage, however many its attempts, and goes on', async () => {
    const work = new Work(3, 1);
    work.onApplicationBootstrap();
    for (let n = 0; n < 3; n++) {
      await until(() => work.ends.length === n + 1);
      work.ends[n]?.(refused());
    }
    await until(() => work.asked.length > 3);
    await work.beforeApplicationShutdown();

    expect(logged).toEqual(['Notices failed: ECONNREFUSED']);
  });

  it('claims again after a failed claim', async () => {
    const work = new Work(1);
    work.failure = refused();
    work.onApplicationBootstrap();
    await until(() => work.asked.length === 1);
    work.failure = null;
    await until(() => work.ends.length === 1);
    work.ends[0]?.();
    await work.beforeApplicationShutdown();

    expect(logged).toEqual(['Notices cannot be claimed: ECONNREFUSED']);
  });
});
