import type { ClaimedStage, RunPipelineStage } from '@app/application';
import { Logger } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { failureName } from '../platform/failure-name.js';
import type { JsonLogger } from '../platform/json-logger.js';
import { OutageLog } from '../platform/outage-log.js';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { ProcessLoop } from './process-loop.js';
import { reported, type Reports } from './reported-attempt.js';

/** The longest wait of a new order's notifications for a free worker. */
const POLL_INTERVAL_MS = 250;
/** The pause after a claim that failed: the database may be away. */
const RETRY_INTERVAL_MS = 1_000;
/** With a backlog: the stages that end in this time make room for one claim. */
const COLLECT_MS = 10;

/** A worker that has not looked for stages for longer is not at work. Longer than a database fail-over. */
const OVERDUE_MS = 60_000;

/** Longer than any attempt: a shutdown lets running attempts end. */
const SHUTDOWN_MS = 35_000;

/** Runs the due stages of orders. Workers in several processes share them safely. */
export class StageRunner extends ProcessLoop {
  private readonly logger = new Logger(StageRunner.name);
  private readonly outage = new OutageLog('The queue', (line) => this.logger.warn(line));
  private readonly running = new Set<Promise<void>>();
  private readonly reports: Reports;
  private lookedAt: number | null = null;

  /** @param concurrency how many stages run at the same time. */
  constructor(
    private readonly stages: RunPipelineStage,
    private readonly concurrency: number,
    logger: JsonLogger,
    { registry }: ServiceMetrics,
  ) {
    super(SHUTDOWN_MS);
    const attempts = new Histogram({
      name: 'pipeline_attempt_duration_seconds',
      help: 'Duration of attempts at pipeline stages, by outcome',
      labelNames: ['stage', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers: [registry],
    });
    this.reports = { logger, attempts };
  }

  /** Whether it looked for stages within the last minute, or not yet: the start may wait for the database. */
  get isAtWork(): boolean {
    return this.lookedAt === null || performance.now() - this.lookedAt < OVERDUE_MS;
  }

  /** After the shutdown begins, claims no more stages and waits for those that are running. */
  protected override async run(): Promise<void> {
    await this.repeat(async () => {
      const free = this.concurrency - this.running.size;
      const claimed = await this.claim(free);
      if (claimed === null) return RETRY_INTERVAL_MS;
      if (claimed < free) return POLL_INTERVAL_MS;
      await Promise.race(this.running);
      return COLLECT_MS;
    });
    await Promise.all(this.running);
  }

  /** Starts what it claims. @returns the number of stages; null after a failure. */
  private async claim(most: number): Promise<number | null> {
    try {
      const claimed = await this.stages.claim(most);
      this.lookedAt = performance.now();
      for (const stage of claimed) this.start(stage);
      return claimed.length;
    } catch (error) {
      this.outage.note(`The queue is out of reach: ${failureName(error as Error)}`);
      return null;
    }
  }

  private start(stage: ClaimedStage): void {
    const attempt = reported(this.reports, stage, () => this.stages.execute(stage)).finally(() => {
      this.running.delete(attempt);
    });
    this.running.add(attempt);
  }
}
