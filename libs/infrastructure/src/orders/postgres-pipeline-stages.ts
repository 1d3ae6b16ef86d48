import { PipelineStages, type ClaimedStage, type ClaimLimits, type MailOutcome } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { ALL_STORES } from '../postgres/read-batches.js';
import { failureName } from '../platform/error-code.js';
import { DUE_OF_LOCKED, ROOM_OF_STORE, valuesOf } from '../platform/store-claim-loop.js';

/**
 * How often a claim starts with the stage that is due longest. The claims in between continue after what the previous
 * one saw.
 */
const RESTART_INTERVAL_MS = 1_000;

const IS_FREE = `(locked_until IS NULL OR locked_until < now())`;

// When more stages are due than requested, the longest due of each store comes before the second of any, and a store that
// has more room before one that has less, so that no store waits for the backlog of another. A store without room keeps
// its front, and the next claim begins there. The statement reads a few stages of each store: BETWEEN and pairs of columns
// keep the planner on the index order_stages_due_by_store, and row locations (ctid) on what was found. The stages of
// running attempts are the longest due, so the index passes them first. SKIP LOCKED lets concurrent workers claim
// different stages, so the front of a store is longer than a claim, and no worker waits for a retry of an operator. The
// statement changes no indexed column, so that no index gets an entry, and no column that the feed shows.
const CLAIM = `/* stages.claim */
  WITH longest AS MATERIALIZED (
    SELECT store_id FROM order_stages WHERE state = 'pending' AND run_at >= $6 AND run_at <= now() AND ${IS_FREE}
    ORDER BY run_at LIMIT $1::int
  ), waiting AS (
    SELECT store_id FROM longest UNION SELECT id FROM stores WHERE (SELECT count(*) FROM longest) = $1::int
  ), front AS MATERIALIZED (
    SELECT due.*, room, row_number() OVER (PARTITION BY waiting.store_id ORDER BY due.run_at) - room AS turn
    FROM (SELECT store_id, ${ROOM_OF_STORE} AS room FROM waiting) AS waiting CROSS JOIN LATERAL (
      SELECT ctid AS place, run_at FROM order_stages
      WHERE state BETWEEN 'pending' AND 'pending' AND store_id = waiting.store_id AND (store_id, run_at) >= (waiting.store_id, $6)
        AND (store_id, run_at) <= (waiting.store_id, now()) AND ${IS_FREE}
      ORDER BY run_at LIMIT 3 * $1::int
    ) AS due
  ), locked AS (
    SELECT free.*, next.room, next.turn FROM (SELECT * FROM front WHERE room > 0 ORDER BY turn, run_at) AS next CROSS JOIN LATERAL (
      SELECT ctid AS place, store_id, order_id, stage, reference, locked_until IS NOT NULL AS taken_over FROM order_stages
      WHERE ctid = next.place AND (state = 'pending') IS TRUE AND run_at <= now() AND ${IS_FREE}
        /* @protects served-stages */
        AND is_processed(store_id)
      /* @protects stage-lock */
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS free LIMIT $1::int
  ), ${DUE_OF_LOCKED}
  UPDATE order_stages SET locked_until = now() + $5 * interval '1 ms' WHERE ctid = ANY (ARRAY(SELECT place FROM due))
  RETURNING store_id AS "storeId", order_id AS "orderId", stage, reference, attempts, locked_until AS "lockedUntil", (
      SELECT taken_over FROM due WHERE (due.store_id, due.order_id, due.stage, due.reference)
        = (order_stages.store_id, order_stages.order_id, order_stages.stage, order_stages.reference)
    ) AS "takenOver", run_at AS "runAt", (SELECT min(run_at) FROM front WHERE place NOT IN (SELECT place FROM due)) AS "leftAt"`;

// A worker whose claim was taken over, or whose stage was retried, finds another lock or none. IS TRUE keeps the
// planner from the index of due stages, which is empty most of the time and long after an outage.
// @protects stage-holder
const HELD = `store_id = $1 AND order_id = $2 AND stage = $3 AND reference = $4 AND (state = 'pending') IS TRUE
    AND locked_until = $5 AND is_writable($1)`;

const DONE = `/* stages.done */
  UPDATE order_stages SET state = 'done', outcome = $6, attempts = attempts + 1, last_error = '', locked_until = NULL,
    updated_at = now()
  WHERE ${HELD}`;

const FAILED = `/* stages.failed */
  UPDATE order_stages SET state = CASE WHEN $7::float8 IS NULL THEN 'dead' ELSE 'pending' END, attempts = attempts + 1,
    outcome = $6, last_error = $8, locked_until = NULL, run_at = now() + coalesce($7, 0) * interval '1 ms',
    updated_at = now()
  WHERE ${HELD}`;

/** `leftAt` is the same in all rows: the due time of the longest due stage that the claim saw but did not take. */
type ClaimedRow = ClaimedStage & { readonly runAt: Date; readonly leftAt: Date | null };

/**
 * A finished stage stays in the index while an open snapshot may see it, such as that of a backup. Most claims
 * therefore do not start at the front. A stage that such a claim passes, because it commits late or its worker is lost,
 * waits for the next claim that does.
 */
@Injectable()
export class PostgresPipelineStages extends PipelineStages {
  private restartAt = 0;
  private last = 0;

  constructor(private readonly database: Database) {
    super();
  }

  // In the WAL, the commit of the claim follows the commit of the order, so a standby that has the claim has the order.
  override async claim(limits: ClaimLimits, forMs: number): Promise<ClaimedStage[]> {
    // @protects claim-on-standby
    const now = performance.now();
    if (now >= this.restartAt) [this.restartAt, this.last] = [now + RESTART_INTERVAL_MS, 0];
    const values = [...valuesOf(limits), forMs, new Date(this.last)];
    const claimed = await this.database.write<ClaimedRow>(CLAIM, values, ALL_STORES);
    const leftAt = claimed[0]?.leftAt?.getTime();
    this.last = leftAt ?? Math.max(this.last, ...claimed.map(({ runAt }) => runAt.getTime()));
    return claimed.map(({ runAt: _, leftAt: __, ...stage }) => stage);
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
