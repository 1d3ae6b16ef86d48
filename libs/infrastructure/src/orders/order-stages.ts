import { PIPELINE_STAGES, type OrderKey } from '@app/application';
import type { FraudAssessment, MailOfOrder, OrderChange } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';

/** An order is under review while a stage of it, called `stage`, is held: one at most. A release or a cancellation ends that. */
export const IS_HELD = `stage.state = 'held'`;

/** A stage, called `stage`, is a mail that failed for good, as `PostgresStoreAttention` counts them. Few stages are. */
export const IS_FAILED_MAIL = `stage.state = 'dead' AND NOT stage.set_aside AND stage.stage LIKE 'notify-%'`;

/** Among the rules that hold an order. No later analysis replaces it. */
export const HELD_BY_PERSON = 'held_by_person';

/** `last_error` of a confirmation that the client did not want: no channel gets it, and a review that ends makes it done. */
export const UNWANTED = 'not_wanted';

/** SQL for the state of a held stage after its release. */
const RELEASED = `CASE last_error WHEN '${UNWANTED}' THEN 'done' ELSE 'pending' END`;

// The confirmation, unless a worker sends it or has sent it. Otherwise a stage of its own, which lasts as long as the review.
// The triggers log what changes in an existing stage.
const HOLD = `/* stages.hold */
  WITH confirmation AS (
    UPDATE order_stages
    SET held_for = CASE state WHEN 'held'
        THEN held_for || ARRAY(SELECT unnest($3::text[]) EXCEPT SELECT unnest(held_for)) ELSE $3 END,
      state = 'held', locked_until = NULL, updated_at = now()
    WHERE store_id = $1 AND order_id = $2 AND (state = 'held'
      OR state = 'pending' AND stage = 'notify-customer' AND coalesce(locked_until < clock_timestamp(), true))
    RETURNING stage
  ), review AS (
    INSERT INTO order_stages (store_id, order_id, stage, state, held_for, position)
    SELECT $1, $2, 'review', 'held', $3, ${PIPELINE_STAGES.length}
    WHERE NOT EXISTS (SELECT FROM confirmation)
    RETURNING store_id, order_id
  )
  INSERT INTO change_log (store_id, kind, entity) SELECT store_id, 'orders', order_id::text FROM review`;

const endReview = (name: string, confirmation: string) => `/* stages.${name} */
  WITH ended AS (DELETE FROM order_stages WHERE store_id = $1 AND order_id = $2 AND stage = 'review')
  UPDATE order_stages SET ${confirmation}, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held' AND stage <> 'review'`;

const REVIEWS = {
  held: HOLD,
  released: endReview('release', `state = ${RELEASED}, run_at = now()`),
  abandoned: endReview('cancel', `state = 'dead', last_error = 'order_cancelled', set_aside = true`),
};

// A stage that is done has had its message by every channel, or none was wanted: each sends it now.
const RETRY = `/* stages.retry */
  UPDATE order_stages SET state = 'pending', attempts = 0, run_at = now(), locked_until = NULL, set_aside = false,
    notified = CASE state WHEN 'done' THEN '{}' ELSE notified END,
    last_error = CASE last_error WHEN '${UNWANTED}' THEN '' ELSE last_error END, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND (stage, reference) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;

const QUEUE = `/* stages.queue */
  INSERT INTO order_stages (store_id, order_id, stage, reference, state, position)
  VALUES ($1, $2, $3, $4, 'pending', $5) ON CONFLICT DO NOTHING`;

/** @param assessment why rules hold the order; absent when a person holds it. */
export function reviewStatement(
  { storeId, orderId }: OrderKey,
  review: keyof typeof REVIEWS,
  assessment?: FraudAssessment,
): Statement {
  const heldFor = review === 'held' ? [assessment ? rulesOf(assessment) : [HELD_BY_PERSON]] : [];
  return { text: REVIEWS[review], values: [storeId, orderId, ...heldFor] };
}

export function mailStage(
  { storeId, orderId }: OrderKey,
  { stage, reference }: NonNullable<OrderChange['mail']>,
): Statement {
  // @protects mail-reference
  return { text: QUEUE, values: [storeId, orderId, stage, reference, PIPELINE_STAGES.indexOf(stage) + 1] };
}

/** Makes stages that no worker holds due at once, with all their attempts. */
export function retryStages({ storeId, orderId }: OrderKey, mails: readonly MailOfOrder[]): Statement {
  const [stages, references] = [mails.map(({ stage }) => stage), mails.map(({ reference }) => reference)];
  return { text: RETRY, values: [storeId, orderId, stages, references] };
}

export function rulesOf({ reasons }: FraudAssessment): string[] {
  return reasons.map(({ rule }) => rule);
}
