import type { ClaimedStage, RunPipelineStage, StageResult } from '@app/application';
import { Logger } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { failureName } from '../platform/error-code.js';
import type { JsonLogger } from '../platform/json-logger.js';
import { OutageLog } from '../platform/outage-log.js';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { traced } from '../platform/spans.js';
import { ProcessLoop } from '../platform/process-loop.js';

/** The longest wait of a new order's notifications for a free worker. */
const POLL_INTERVAL_MS = 250;
const RETRY_INTERVAL_MS = 1_000;
/** The wait with a backlog: the stages that end in this time make room for one claim. */
const COLLECT_MS = 10;

/** A worker that has not looked for stages for longer is not at work. Longer than a database fail-over. */
const OVERDUE_MS = 60_000;

const SHUTDOWN_MS = 35_000;

/** Runs the due stages of orders. Workers in several processes share them safely. */
export class StageRunner extends ProcessLoop {
  private readonly logger = new Logger(StageRunner.name);
  private readonly outage = new OutageLog('The queue', (line) => this.logger.warn(line));
  private readonly running = new Set<Promise<void>>();
  private readonly attempts: Histogram;
  private lookedAt: number | null = null;

  constructor(
    private readonly stages: RunPipelineStage,
    private readonly concurrency: number,
    private readonly lines: JsonLogger,
    { registry }: ServiceMetrics,
  ) {
    super(SHUTDOWN_MS);
    this.attempts = new Histogram({
      name: 'pipeline_attempt_duration_seconds',
      help: 'Duration of attempts at pipeline stages, by outcome',
      labelNames: ['stage', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers: [registry],
    });
  }

  /** Whether it looked for stages within the last minute, or not yet: the start may wait for the database. */
  get isAtWork(): boolean {
    return this.lookedAt === null || performance.now() - this.lookedAt < OVERDUE_MS;
  }

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
    const attempt = this.attempt(stage).finally(() => this.running.delete(attempt));
    this.running.add(attempt);
  }

  /** Runs, logs and measures an attempt. Never rejects. */
  private async attempt(claim: ClaimedStage): Promise<void> {
    const { storeId, orderId, stage, attempts } = claim;
    const attempt = attempts + 1;
    const started = performance.now();
    // Stays when the result cannot be recorded.
    let outcome: StageResult['outcome'] = 'failed';
    const run = async () => {
      const result = await this.stages.execute(claim);
      outcome = result.outcome;
      if (result.error) throw result.error;
    };
    const attributes = { 'store.id': storeId, 'order.id': orderId, attempt };
    const error = await traced(`stage ${stage}`, attributes, run, true).catch((failure: Error) => failure);
    const ms = performance.now() - started;
    this.attempts.observe({ stage, outcome }, ms / 1_000);
    this.lines.write(error ? 'warn' : 'info', 'stage', {
      store_id: storeId,
      order_id: orderId,
      stage,
      attempt,
      outcome,
      duration_ms: Math.round(ms * 100) / 100,
      ...(error && { error: { type: failureName(error) } }),
    });
  }
}
