import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when `work` resolves, or after this time. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const over = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, over]).finally(() => done.abort());
}
