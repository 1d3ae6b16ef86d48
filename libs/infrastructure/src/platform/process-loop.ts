import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

export abstract class ProcessLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly controller = new AbortController();
  protected readonly stopping: AbortSignal = this.controller.signal;
  private work: Promise<unknown> = Promise.resolve();

  /** @param shutdownMs how long a shutdown waits for the running round. */
  constructor(private readonly shutdownMs: number) {}

  protected abstract run(): Promise<unknown>;

  onApplicationBootstrap(): void {
    this.work = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.controller.abort();
    await atMost(this.shutdownMs, this.work);
  }

  /** @param round returns the milliseconds to pause before the next round. */
  protected async repeat(round: () => Promise<number>): Promise<void> {
    while (!this.stopping.aborted) {
      const pauseMs = await round();
      await sleep(pauseMs, undefined, { signal: this.stopping }).catch(() => undefined);
    }
  }
}

export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const over = sleep(milliseconds, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([work, over]).finally(() => done.abort());
}
