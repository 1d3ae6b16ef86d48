import { PipelineStages, type ClaimedStage, type MailOutcome } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { failureName } from '../platform/error-code.js';

/** How often a claim begins with the stage that is due longest. The claims between begin where the one before ended. */
const FRONT_MS = 1_000;

// The stages of running attempts are the longest due: the index passes them first. SKIP LOCKED: workers at the same
// moment claim different stages, and none waits for a retry of an operator. Changes no indexed column, so that no index
// gets an entry, and no column that the feed of changes shows.
const CLAIM = `/* stages.claim */
  WITH due AS (
    SELECT store_id, order_id, stage, reference, locked_until IS NOT NULL AS taken_over FROM order_stages
    WHERE state = 'pending' AND run_at >= $3 AND run_at <= now() AND (locked_until IS NULL OR locked_until < now())
      /* @protects served-stages */
      AND is_served(store_id)
    ORDER BY run_at LIMIT $1
    /* @protects stage-lock */
    FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE order_stages SET locked_until = now() + $2 * interval '1 ms' FROM due
  WHERE order_stages.store_id = due.store_id AND order_stages.order_id = due.order_id AND order_stages.stage = due.stage
    AND order_stages.reference = due.reference
  RETURNING due.store_id AS "storeId", due.order_id AS "orderId", due.stage, due.reference, attempts, locked_until AS "lockedUntil",
    taken_over AS "takenOver", run_at AS "runAt"`;

// A worker whose claim was taken over, or whose stage was retried, finds another lock or none. IS TRUE keeps the planner
// from the index of due stages, which is empty most of the time and long after an outage.
// @protects stage-holder
const HELD = `store_id = $1 AND order_id = $2 AND stage = $3 AND reference = $4 AND (state = 'pending') IS TRUE
    AND locked_until = $5 AND is_home($1)`;

const DONE = `/* stages.done */
  UPDATE order_stages SET state = 'done', outcome = $6, attempts = attempts + 1, last_error = '', locked_until = NULL,
    updated_at = now()
  WHERE ${HELD}`;

const FAILED = `/* stages.failed */
  UPDATE order_stages SET state = CASE WHEN $7::float8 IS NULL THEN 'dead' ELSE 'pending' END, attempts = attempts + 1,
    outcome = $6, last_error = $8, locked_until = NULL, run_at = now() + coalesce($7, 0) * interval '1 ms',
    updated_at = now()
  WHERE ${HELD}`;

/**
 * A stage that is done stays in the index while an open snapshot may see it, such as that of a backup. Not every claim passes all
 * of these: what a claim leaves behind, because it commits late or its worker is lost, waits for the next look at the front.
 */
@Injectable()
export class PostgresPipelineStages extends PipelineStages {
  private frontAt = 0;
  private last = 0;

  constructor(private readonly database: Database) {
    super();
  }

  // The commit of the claim follows that of the order in the WAL. When the standbys have the one, they have the other.
  override async claim(most: number, forMs: number): Promise<ClaimedStage[]> {
    // @protects claim-on-standby
    const now = performance.now();
    if (now >= this.frontAt) [this.frontAt, this.last] = [now + FRONT_MS, 0];
    const values = [most, forMs, new Date(this.last)];
    const claimed = await this.database.write<ClaimedStage & { readonly runAt: Date }>(CLAIM, values);
    this.last = Math.max(this.last, ...claimed.map(({ runAt }) => runAt.getTime()));
    return claimed.map(({ runAt: _, ...stage }) => stage);
  }

  override async succeed(claim: ClaimedStage, outcome: 'sent' | 'not_wanted'): Promise<void> {
    await this.database.queryPrepared(DONE, [...keyOf(claim), outcome]);
  }

  override async fail(claim: ClaimedStage, error: Error, retryInMs: number | null): Promise<void> {
    // @protects stage-error
    const outcome = retryInMs === null ? 'failed' : null;
    await this.database.queryPrepared(FAILED, [...keyOf(claim), outcome, retryInMs, failureName(error)]);
  }

  override async abandon(claim: ClaimedStage, outcome: MailOutcome, error: Error): Promise<void> {
    await this.database.queryPrepared(FAILED, [...keyOf(claim), outcome, null, failureName(error)]);
  }
}

function keyOf({ storeId, orderId, stage, reference, lockedUntil }: ClaimedStage): unknown[] {
  return [storeId, orderId, stage, reference, lockedUntil];
}
