import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderKey, RescreenHeldOrders } from '@app/application';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { failureName } from '../orders/failure-name.js';

/** The longest wait of an order for another analysis, once the database answers in time. */
const INTERVAL_MS = 5_000;

/** Periodically screens the orders that are held because the analysis was unavailable when they were placed. */
export class HeldOrderScreening implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(HeldOrderScreening.name);
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly rescreen: Pick<RescreenHeldOrders, 'execute'>,
    private readonly intervalMs = INTERVAL_MS,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.run();
  }

  /** Waits for the order that it is screening. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let last: OrderKey | null = null; !signal.aborted;) {
      try {
        last = await this.rescreen.execute(last, signal);
      } catch (error) {
        this.logger.warn(`Held orders cannot be screened: ${failureName(error as Error)}`);
      }
      await sleep(this.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
