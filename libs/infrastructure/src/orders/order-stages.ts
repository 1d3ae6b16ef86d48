import { PIPELINE_STAGES, type OrderKey } from '@app/application';
import type { FraudAssessment, OrderChange } from '@app/domain';
import type { Statement } from '../postgres/transaction-sql.js';

/** An order is under review while one of its stages, called `stage`, is held. A release or a cancellation ends that. */
export const IS_HELD = `stage.state = 'held'`;

/** `last_error` of a confirmation that the client did not want: no channel gets it, and a review that ends makes it done. */
export const UNWANTED = 'not_wanted';

/** SQL for the state of a held stage after its release. */
export const RELEASED = `CASE last_error WHEN '${UNWANTED}' THEN 'done' ELSE 'pending' END`;

const RELEASE = `/* stages.release */
  UPDATE order_stages SET state = ${RELEASED}, run_at = now(), updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held'`;

const ABANDON = `/* stages.cancel */
  UPDATE order_stages SET state = 'dead', last_error = 'order_cancelled', set_aside = true, updated_at = now()
  WHERE store_id = $1 AND order_id = $2 AND state = 'held'`;

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

export function rulesOf({ reasons }: FraudAssessment): string[] {
  return reasons.map(({ rule }) => rule);
}
