import { Logger } from '@nestjs/common';
import type pg from 'pg';
import { numberChanges, passChangeLog } from '../feed/number-changes.js';
import { purgeTombstones } from '../feed/purge-tombstones.js';
import { failureName } from '../platform/error-code.js';
import type { Retention } from '../platform/config.js';
import { OutageLog } from '../platform/outage-log.js';
import { foldTallies } from '../lists/fold-tallies.js';
import { housekeepingPool } from '../postgres/housekeeping-pool.js';
import { atMost, ProcessLoop } from '../platform/process-loop.js';
import { analyzeGrown } from './analyze-grown.js';
import { purgeExpired } from './retention.js';

const RETENTION_INTERVAL_MS = 600_000;
const FOLD_INTERVAL_MS = 5_000;
/**
 * How often the worker numbers changes. Readers number the changes that wait for them. The worker only keeps the log
 * short, so it can wait and merge the changes of an order and of its stages. A numbering skips the rows that an open
 * snapshot has kept in the log since the mark last moved.
 */
const NUMBER_INTERVAL_MS = 1_000;
/** How often the worker checks for grown tables. A store may get 10,000 rows in this time. */
const ANALYZE_INTERVAL_MS = 1_000;

const SHUTDOWN_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Numbers changes, folds tallies, keeps statistics and deletes what has expired. Several processes share the work. */
export class Housekeeping extends ProcessLoop {
  private readonly logger = new Logger(Housekeeping.name);
  private readonly outage = new OutageLog('Housekeeping', (line) => this.logger.warn(line));
  private readonly pool: pg.Pool;

  constructor(
    databaseUrl: string,
    private readonly retention: Retention,
  ) {
    super(SHUTDOWN_MS);
    this.pool = housekeepingPool(databaseUrl, (error) => this.outage.note(`A connection broke: ${failureName(error)}`));
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await atMost(CLOSE_TIMEOUT_MS, this.pool.end());
  }

  protected override run(): Promise<unknown> {
    return Promise.all([
      this.every(RETENTION_INTERVAL_MS, () => purgeExpired(this.pool, this.retention)),
      this.every(RETENTION_INTERVAL_MS, () => purgeTombstones(this.pool, this.stopping)),
      this.every(FOLD_INTERVAL_MS, () => foldTallies(this.pool, undefined, this.stopping)),
      this.every(NUMBER_INTERVAL_MS, () => passChangeLog(this.pool)),
      this.every(NUMBER_INTERVAL_MS, () => numberChanges(this.pool, this.stopping)),
      this.every(ANALYZE_INTERVAL_MS, () => analyzeGrown(this.pool)),
    ]);
  }

  private every(pauseMs: number, action: () => Promise<void>): Promise<void> {
    return this.repeat(async () => {
      await action().catch((error: Error) => this.outage.note(`Housekeeping failed: ${failureName(error)}`));
      return pauseMs;
    });
  }
}
