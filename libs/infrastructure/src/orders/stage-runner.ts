import type { ClaimedStage, ClaimLimits, RunPipelineStage, StageResult } from '@app/application';
import { Histogram } from 'prom-client';
import { failureName } from '../platform/error-code.js';
import type { JsonLogger } from '../platform/json-logger.js';
import type { ServiceMetrics } from '../platform/service-metrics.js';
import { StoreClaimLoop } from '../platform/store-claim-loop.js';
import { traced } from '../platform/spans.js';

/** A worker that has not looked for stages for this time counts as stopped. It is longer than a database failover. */
const OVERDUE_MS = 60_000;

/** Runs the due stages of orders. */
export class StageRunner extends StoreClaimLoop<ClaimedStage> {
  private readonly attempts: Histogram;
  private polledAt: number | null = null;

  constructor(
    private readonly stages: RunPipelineStage,
    concurrency: number,
    private readonly lines: JsonLogger,
    { registry }: ServiceMetrics,
  ) {
    super({ what: 'Pipeline stages', concurrency, pollMs: 250, shutdownMs: 35_000 });
    this.attempts = new Histogram({
      name: 'pipeline_attempt_duration_seconds',
      help: 'Duration of attempts at pipeline stages, by outcome',
      labelNames: ['stage', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers: [registry],
    });
  }

  /**
   * Whether it looked for stages within the last minute, or has not started looking: the start may wait for the
   * database.
   */
  get isAtWork(): boolean {
    return this.polledAt === null || performance.now() - this.polledAt < OVERDUE_MS;
  }

  override async claimWithin(limits: ClaimLimits): Promise<ClaimedStage[]> {
    const claimed = await this.stages.claim(limits);
    this.polledAt = performance.now();
    return claimed;
  }

  /** Runs, logs and measures an attempt. It never rejects. */
  override async execute(claim: ClaimedStage): Promise<void> {
    const { storeId, orderId, stage, attempts } = claim;
    const attempt = attempts + 1;
    const started = performance.now();
    // This value stays when the result cannot be recorded.
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
