import { PIPELINE_STAGES, type OrderKey } from '@app/application';
import type { FraudAssessment, MailOfOrder, OrderChange } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';

/** An order is under review while one of its stages, called `stage`, is held. A release or a cancellation ends that. */
export const IS_HELD = `stage.state = 'held'`;

const RELEASE = `/* stages.release */
  UPDATE order_stages SET state = 'pending', run_at = now(), updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held'`;

const ABANDON = `/* stages.cancel */
  UPDATE order_stages SET state = 'dead', last_error = 'order_cancelled', set_aside = true, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held'`;

// A stage that is done has had its message by every channel: each sends it again.
const RETRY = `/* stages.retry */
  UPDATE order_stages SET state = 'pending', attempts = 0, run_at = now(), locked_until = NULL, set_aside = false,
    notified = CASE state WHEN 'done' THEN '{}' ELSE notified END, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND (stage, reference) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;

const QUEUE = `/* stages.queue */
  INSERT INTO order_stages (store_id, order_id, stage, reference, state, position)
  VALUES ($1, $2, $3, $4, 'pending', $5) ON CONFLICT DO NOTHING`;

export function endOfReview({ storeId, orderId }: OrderKey, review: NonNullable<OrderChange['review']>): Statement {
  return { text: review === 'released' ? RELEASE : ABANDON, values: [storeId, orderId] };
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
