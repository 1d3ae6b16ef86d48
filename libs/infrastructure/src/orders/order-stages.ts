import { PIPELINE_STAGES, type NotificationStage, type OrderKey, type RetriedPipeline } from '@app/application';
import { UNAVAILABLE, type FraudAssessment, type OrderChange } from '@app/domain';
import type { Statement, TransactionSql } from '../postgres/transaction-sql.js';

/** An order is under review while one of its stages, called `stage`, is held. A release or a cancellation ends that. */
export const IS_HELD = `stage.state = 'held'`;

const RELEASE = `/* stages.release */
  UPDATE order_stages SET state = 'pending', run_at = now(), updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held'`;

const ABANDON = `/* stages.cancel */
  UPDATE order_stages SET state = 'dead', last_error = 'order_cancelled', set_aside = true, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held'`;

const QUEUE = `/* stages.queue */
  INSERT INTO order_stages (store_id, order_id, stage, reference, state, position)
  VALUES ($1, $2, $3, $4, 'pending', $5) ON CONFLICT DO NOTHING`;

const RETRY = `/* stages.retry */
  UPDATE order_stages SET state = 'pending', attempts = 0, run_at = now(), locked_until = NULL, set_aside = false,
    updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND (stage, reference) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;

// Not a change of the order: its record shows the same.
const DISMISS = `/* stages.dismiss */
  UPDATE order_stages SET set_aside = true
  WHERE store_id = $1 AND order_id = $2 AND state = 'dead' AND NOT set_aside
  RETURNING stage`;

// A worker skips locked stages: it claims none of them before the transaction ends. clock_timestamp(), because the
// statement may have waited for a claim.
const UNFINISHED = `/* stages.unfinished */
  SELECT stage, reference, coalesce(state = 'pending' AND locked_until > clock_timestamp(), false) AS running FROM order_stages
  WHERE store_id = $1 AND order_id = $2
    AND (state = 'dead' OR state = 'pending' AND (attempts > 0 OR locked_until IS NOT NULL))
    AND NOT (stage = 'notify-customer' AND EXISTS (
      SELECT FROM orders WHERE store_id = $1 AND id = $2 AND fulfillment_status = 'CANCELLED'))
  ORDER BY position, reference FOR NO KEY UPDATE OF order_stages`;

// The stage first, then the assessment: of two writers at the same moment, the second finds the stage settled.
const SETTLE = `/* stages.settle */
  WITH settled AS (
    UPDATE order_stages
    SET state = CASE $3 WHEN 'ACCEPT' THEN 'pending' ELSE 'held' END, held_for = $6, run_at = now(), updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND state = 'held' AND held_for = '{${UNAVAILABLE}}'
    RETURNING order_id
  ), recorded AS (
    INSERT INTO order_events (store_id, order_id, actor_type, event)
    SELECT $1, order_id, 'pipeline', 'released' FROM settled WHERE $3 = 'ACCEPT'
  )
  UPDATE fraud_assessments SET verdict = $3, score = $4, reasons = $5
  WHERE store_id = $1 AND order_id = $2 AND order_id IN (SELECT order_id FROM settled)
  RETURNING order_id`;

interface UnfinishedRow {
  readonly stage: NotificationStage;
  readonly reference: string;
  readonly running: boolean;
}

/** The fraud rules for which the customer's confirmation is held; null when it is not held. */
export async function findHoldReasons(sql: TransactionSql, order: OrderKey): Promise<readonly string[] | null> {
  const [row] = await sql.query<{ held_for: string[] | null }>(
    `/* stages.held_for */ SELECT held_for FROM order_stages WHERE store_id = $1 AND order_id = $2 AND state = 'held'`,
    [order.storeId, order.orderId],
  );
  return row ? (row.held_for ?? []) : null;
}

/** Makes a held stage pending, or dead: then its message is never sent. */
export function endOfReview({ storeId, orderId }: OrderKey, review: NonNullable<OrderChange['review']>): Statement {
  return { text: review === 'released' ? RELEASE : ABANDON, values: [storeId, orderId] };
}

/** Queues the mail about a change, once. */
export function mailStage(
  { storeId, orderId }: OrderKey,
  { stage, reference }: NonNullable<OrderChange['mail']>,
): Statement {
  // @protects mail-reference
  return { text: QUEUE, values: [storeId, orderId, stage, reference, PIPELINE_STAGES.indexOf(stage) + 1] };
}

/** Replaces the assessment of an order that is held for want of an analysis only. Returns whether it was. */
export async function settleHeldStage(
  sql: TransactionSql,
  { storeId, orderId }: OrderKey,
  assessment: FraudAssessment,
): Promise<boolean> {
  const { verdict, score, reasons } = assessment;
  const values = [storeId, orderId, verdict, score, JSON.stringify(reasons), rulesOf(assessment)];
  return (await sql.query(SETTLE, values)).length > 0;
}

/** Makes dead and failed stages pending, except those that are running. */
export async function retryStages(
  sql: TransactionSql,
  order: OrderKey,
): Promise<Pick<RetriedPipeline, 'stages' | 'running'>> {
  const key = [order.storeId, order.orderId];
  const unfinished = await sql.query<UnfinishedRow>(UNFINISHED, key);
  const running = unfinished.filter((row) => row.running).map(({ stage }) => stage);
  const ended = unfinished.filter((row) => !row.running);
  const stages = ended.map(({ stage }) => stage);
  if (ended.length > 0) await sql.query(RETRY, [...key, stages, ended.map(({ reference }) => reference)]);
  return { stages, running };
}

/** Sets the dead letters of an order aside. */
export async function dismissStages(sql: TransactionSql, order: OrderKey): Promise<readonly NotificationStage[]> {
  const rows = await sql.query<{ stage: NotificationStage }>(DISMISS, [order.storeId, order.orderId]);
  return rows.map(({ stage }) => stage);
}

/** The fraud rules of an assessment, as `held_for` has them. */
export function rulesOf({ reasons }: FraudAssessment): string[] {
  return reasons.map(({ rule }) => rule);
}
