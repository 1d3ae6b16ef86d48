import type { OrderKey, RescreenHeldOrders } from '@app/application';
import { Logger } from '@nestjs/common';
import { failureName } from '../platform/error-code.js';
import { ProcessLoop } from '../platform/process-loop.js';

/** How long a held order waits at most for another analysis, once the database answers in time. */
const INTERVAL_MS = 5_000;
const SHUTDOWN_MS = 15_000;

/** Periodically screens the orders that are held because the analysis was unavailable when they were placed. */
export class HeldOrderScreening extends ProcessLoop {
  private readonly logger = new Logger(HeldOrderScreening.name);

  constructor(
    private readonly rescreen: Pick<RescreenHeldOrders, 'execute'>,
    private readonly intervalMs = INTERVAL_MS,
  ) {
    super(SHUTDOWN_MS);
  }

  protected override run(): Promise<void> {
    let last: OrderKey | null = null;
    return this.repeat(async () => {
      try {
        last = await this.rescreen.execute(last, this.stopping);
      } catch (error) {
        this.logger.warn(`Held orders cannot be screened: ${failureName(error as Error)}`);
      }
      return this.intervalMs;
    });
  }
}
