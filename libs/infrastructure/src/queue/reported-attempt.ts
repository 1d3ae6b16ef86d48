import type { ClaimedStage, StageResult } from '@app/application';
import type { Histogram } from 'prom-client';
import type { JsonLogger } from '../platform/json-logger.js';
import { traced } from '../platform/spans.js';
import { failureName } from '../platform/failure-name.js';

/** Where a worker reports its attempts at stages. */
export interface Reports {
  readonly logger: JsonLogger;
  readonly attempts: Histogram;
}

/** Runs an attempt at a stage, logs it and measures it. While tracing is on, records a span. Never rejects. */
export async function reported(
  { logger, attempts: measured }: Reports,
  { storeId, orderId, stage, attempts }: ClaimedStage,
  work: () => Promise<StageResult>,
): Promise<void> {
  const started = performance.now();
  const attempt = attempts + 1;
  // Of an attempt whose result cannot be recorded.
  let outcome: StageResult['outcome'] = 'failed';
  const run = async () => {
    const result = await work();
    outcome = result.outcome;
    if (result.error) throw result.error;
  };
  const attributes = { 'store.id': storeId, 'order.id': orderId, attempt };
  const error = await traced(`stage ${stage}`, attributes, run, true).catch((failure: Error) => failure);
  const ms = performance.now() - started;
  measured.observe({ stage, outcome }, ms / 1_000);
  logger.write(error ? 'warn' : 'info', 'stage', {
    store_id: storeId,
    order_id: orderId,
    stage,
    attempt,
    outcome,
    duration_ms: Math.round(ms * 100) / 100,
    ...(error && { error: { type: failureName(error) } }),
  });
}
