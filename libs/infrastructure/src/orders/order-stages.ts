import { PIPELINE_STAGES, type OrderKey } from '@app/application';
import type { EffectOf, MailOfOrder } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';

/** The condition that the stage `stage` is a mail that failed for good. `PostgresStoreAttention` counts these. */
export const IS_FAILED_MAIL = `stage.outcome = 'failed' AND NOT stage.dismissed`;

/** SQL that sorts stages in the sequence of the pipeline. @param stage a table with the columns of order_stages. */
export const byPipeline = (stage: string) =>
  `array_position('{${PIPELINE_STAGES.join(',')}}'::text[], ${stage}.stage), ${stage}.reference`;

// The confirmation waits for the end of the review, unless a worker is sending it or has sent it.
const HOLD = `/* orders.hold */
  WITH confirmation AS (
    UPDATE order_stages SET state = 'held', locked_until = NULL, updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND stage = 'notify-customer' AND state = 'pending'
      AND coalesce(locked_until < clock_timestamp(), true)
  )
  UPDATE orders SET held_reasons = CASE WHEN held_reasons IS NULL THEN $3
    ELSE held_reasons || ARRAY(SELECT unnest($3::text[]) EXCEPT SELECT unnest(held_reasons)) END
  WHERE store_id = $1 AND id = $2`;

const endReview = (name: string, confirmation: string) => `/* orders.${name} */
  WITH confirmation AS (
    UPDATE order_stages SET ${confirmation}, updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND state = 'held'
  )
  UPDATE orders SET held_reasons = NULL WHERE store_id = $1 AND id = $2`;

const END_REVIEW = {
  released: endReview('release', `state = 'pending', run_at = now()`),
  abandoned: endReview('abandon_review', `state = 'dead', outcome = 'not_wanted', last_error = 'order_cancelled'`),
};

// The recorded channels are cleared: a sent mail has gone out through every channel and an unwanted one through none,
// and in both cases each channel sends it now.
const RETRY = `/* stages.retry */
  UPDATE order_stages SET state = 'pending', attempts = 0, run_at = now(), locked_until = NULL, dismissed = false,
    notified = CASE state WHEN 'done' THEN '{}' ELSE notified END, outcome = NULL,
    last_error = CASE outcome WHEN 'not_wanted' THEN '' ELSE last_error END, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND (stage, reference) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;

const QUEUE = `/* stages.queue */
  INSERT INTO order_stages (store_id, order_id, stage, reference, state)
  VALUES ($1, $2, $3, $4, 'pending') ON CONFLICT DO NOTHING`;

export function reviewStatement({ storeId, orderId }: OrderKey, review: EffectOf<'review'>['to']): Statement {
  const key = [storeId, orderId];
  return typeof review === 'string'
    ? { text: END_REVIEW[review], values: key }
    : { text: HOLD, values: [...key, review.heldFor] };
}

export function mailStage({ storeId, orderId }: OrderKey, { stage, reference }: EffectOf<'mail'>): Statement {
  // @protects mail-reference
  return { text: QUEUE, values: [storeId, orderId, stage, reference] };
}

/** Makes stages that no worker holds due at once, with all their attempts. */
export function retryStages({ storeId, orderId }: OrderKey, mails: readonly MailOfOrder[]): Statement {
  const [stages, references] = [mails.map(({ stage }) => stage), mails.map(({ reference }) => reference)];
  return { text: RETRY, values: [storeId, orderId, stages, references] };
}
