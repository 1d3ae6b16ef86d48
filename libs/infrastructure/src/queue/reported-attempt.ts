import type { RunPipelineStageCommand, StageOutcome } from '@app/application';
import type { JsonLogger } from '../platform/json-logger.js';
import type { AttemptOutcome, ServiceMetrics } from '../platform/service-metrics.js';
import { traced } from '../platform/spans.js';
import { failureName } from '../orders/failure-name.js';

/** Where a worker reports its attempts at stages. */
export interface Reports {
  readonly logger: JsonLogger;
  readonly metrics: ServiceMetrics;
}

/** Runs an attempt at a stage, logs it and measures it. While tracing is on, records a span. */
export async function reported(
  reports: Reports,
  command: RunPipelineStageCommand,
  attempt: number,
  work: () => Promise<StageOutcome>,
): Promise<void> {
  const started = performance.now();
  const tell = (outcome: AttemptOutcome, error?: Error) =>
    report(reports, command, { attempt, outcome, ms: performance.now() - started, error });
  const attributes = { 'store.id': command.storeId, 'order.id': command.orderId, attempt };
  try {
    tell(await traced(`stage ${command.stage}`, attributes, work, true));
  } catch (error) {
    tell(command.lastAttempt ? 'dead' : 'failed', error as Error);
    throw error;
  }
}

interface Attempt {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly ms: number;
  readonly error: Error | undefined;
}

function report(
  { logger, metrics }: Reports,
  { storeId, orderId, stage }: RunPipelineStageCommand,
  { attempt, outcome, ms, error }: Attempt,
): void {
  metrics.observeAttempt(stage, outcome, ms / 1000);
  logger.write(outcome === 'failed' || outcome === 'dead' ? 'warn' : 'info', 'stage', {
    store_id: storeId,
    order_id: orderId,
    stage,
    attempt,
    outcome,
    duration_ms: Math.round(ms * 100) / 100,
    ...(error && { error: { type: failureName(error) } }),
  });
}
