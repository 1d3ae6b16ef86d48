import {
  MAX_WEBHOOKS_SERVED_OF_HOST,
  MAX_WEBHOOKS_SERVED_OF_STORE,
  WebhookQueue,
  type ClaimedWebhook,
  type Delivery,
  type FeedPosition,
  type WebhookKey,
  type WebhookOutcome,
} from '@app/application';
import { Injectable, Logger } from '@nestjs/common';
import { v4 as uuidv4 } from 'uuid';
import { DataCipher, DecryptionFailed } from '../platform/data-cipher.js';
import { Database } from '../postgres/database.js';
import { openHeaders, openSecrets } from './webhook-secrets.js';

const MAX_STORED_DELIVERIES = 20;
const HELD = `interval '30 seconds'`;

type DueWebhook = WebhookKey & { readonly host: string };

/**
 * Returns the names under which a worker counts the webhooks that it serves: the store, and the store with the host.
 */
export const countedBy = (storeId: number, host: string) => [String(storeId), `${storeId} ${host}`] as const;

type ClaimedRow = Omit<ClaimedWebhook, 'feedPosition' | 'secrets' | 'headers' | 'holder' | 'claimedAt'> &
  FeedPosition & { readonly secrets: Buffer; readonly headers: Buffer | null };

// The time is rounded to milliseconds, like the columns. Otherwise, a claim that ends now could count as held for up to
// half a millisecond.
const NOW = 'now()::timestamptz(3)';
// @protects webhook-claim
const IS_FREE = `webhooks.held_until <= ${NOW}`;

/** A claim considers this many due webhooks; the others wait for a later claim. */
const MAX_CONSIDERED = 10_000;

// The newest change of each kind is looked up once for a store, not for each webhook: ORDER BY and LIMIT make it a
// single step of the index.
const FIND_DUE = `/* webhooks.find_due */
  WITH ready AS MATERIALIZED (
    SELECT store_id, webhooks.id, host, due_at, test_due, kinds, position
    FROM webhooks JOIN stores ON stores.id = webhooks.store_id AND stores.status = 'ACTIVE'
    WHERE ${IS_FREE} AND (test_due OR state = 'active' AND due_at <= ${NOW})
  ), newest AS MATERIALIZED (
    SELECT store_id, array_agg(wanted.kind) AS kinds, array_agg(change.position) AS positions, max(change.position) AS position
    FROM (SELECT DISTINCT store_id FROM ready) AS of_ready
    CROSS JOIN unnest(enum_range(NULL::change_kind)) AS wanted (kind)
    CROSS JOIN LATERAL (
      SELECT position FROM changes WHERE changes.store_id = of_ready.store_id AND changes.kind = wanted.kind
      ORDER BY position DESC LIMIT 1
    ) AS change
    GROUP BY store_id
  )
  SELECT store_id AS "storeId", id, host FROM ready LEFT JOIN newest USING (store_id)
  WHERE test_due OR newest.position > ready.position AND EXISTS (
    SELECT FROM unnest(newest.kinds, newest.positions) AS change (kind, position)
    WHERE change.kind = ANY (ready.kinds) AND change.position > ready.position)
  ORDER BY test_due DESC, due_at, id LIMIT ${MAX_CONSIDERED}`;

// The statement skips rows that another worker claims at the same moment.
const CLAIM = `/* webhooks.claim */
  WITH chosen AS (
    SELECT store_id, id FROM webhooks
    WHERE (store_id, id) IN (SELECT * FROM unnest($2::int[], $3::uuid[])) AND ${IS_FREE}
      AND is_processed(store_id)
    FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE webhooks SET holder = $1, held_until = now() + ${HELD}
  FROM chosen JOIN stores ON stores.id = chosen.store_id
  WHERE webhooks.store_id = chosen.store_id AND webhooks.id = chosen.id
  RETURNING webhooks.store_id AS "storeId", webhooks.id, mode, url, kinds::text[], body, batch, currency, branch, position,
    base, secrets, headers, state = 'active' AND due_at <= ${NOW} AS "isActive", test_due AS "isTestDue", failures,
    coalesce(extract(epoch FROM now() - failing_since) * 1000, 0)::float8 AS "failingForMs", replays, epoch,
    coalesce((
      SELECT fork.position FROM change_branches AS former JOIN change_forks AS fork ON fork.branch = former.number
      WHERE former.id = webhooks.branch AND former.place LIKE 'moved from %'
        AND fork.store_id = webhooks.store_id AND fork.position > webhooks.position
    ), 0) AS "movedUpTo"`;

/**
 * Records an outcome with its attempt: $5 is null when nothing was sent.
 * @param set what the outcome changes in the webhook.
 * @param effect an additional common table expression.
 */
const record = (outcome: WebhookOutcome['kind'], set: string, effect = '') => `/* webhooks.record_${outcome} */
  WITH noted AS (
    UPDATE webhooks SET held_until = now() + ${HELD}, attempts = attempts + ($5::jsonb IS NOT NULL)::int, ${set}
    /* @protects webhook-epoch */
    WHERE store_id = $1 AND id = $2 AND holder = $3 AND epoch = $4 AND is_writable($1)
    RETURNING store_id, id, name, mode, host, reason, failing_since, attempts
  ), logged AS (
    INSERT INTO webhook_deliveries (store_id, webhook_id, slot, at, phase, status, duration_ms, answer, message_id, type)
    SELECT store_id, id, attempts % ${MAX_STORED_DELIVERIES}, at, phase, status, duration_ms, answer, message_id, type
    FROM noted CROSS JOIN jsonb_to_record($5) AS sent (at timestamptz, phase text, status int, duration_ms int, answer text,
      message_id text, type text)
    WHERE $5 IS NOT NULL
    ON CONFLICT (store_id, webhook_id, slot) DO UPDATE
    SET at = excluded.at, phase = excluded.phase, status = excluded.status, duration_ms = excluded.duration_ms,
      answer = excluded.answer, message_id = excluded.message_id, type = excluded.type
  )${effect}
  SELECT FROM noted WHERE is_processed($1)`;

// An empty page does not reset the failure count.
const MOVED = record(
  'moved',
  `branch = $6, position = $7, base = $8, due_at = now(), failures = CASE WHEN $5 IS NULL THEN failures ELSE 0 END,
      failing_since = CASE WHEN $5 IS NULL THEN failing_since END`,
);
const TESTED = record('tested', 'test_due = false');
const FAILED = record(
  'failed',
  `failures = failures + 1, failing_since = coalesce(failing_since, now()), due_at = now() + $6 * interval '1 millisecond'`,
);
const PAUSED = record(
  'paused',
  `state = 'paused', reason = $6`,
  `, audited AS (
    INSERT INTO audit_events (store_id, id, actor_type, actor_id, actor_name, action, subject_kind, subject_id, subject_name,
      changes)
    SELECT store_id, gen_random_uuid(), 'system', '', '', 'webhook.paused', 'webhook', id::text, name,
      jsonb_build_object('state', jsonb_build_array('active', 'paused'), 'reason', jsonb_build_array(NULL, reason))
    FROM noted
  ), notice AS (
    INSERT INTO merchant_notices (store_id, subject, details)
    SELECT store_id, 'webhook_paused', jsonb_build_object(
      'id', id, 'mode', mode, 'host', host, 'reason', reason, 'failingSince', failing_since)
    FROM noted
    -- A client may resume its webhook at once, again and again.
    WHERE NOT EXISTS (
      SELECT FROM merchant_notices
      WHERE store_id = noted.store_id AND subject = 'webhook_paused' AND details ->> 'id' = noted.id::text)
  )`,
);

const RELEASE = `/* webhooks.release */
  UPDATE webhooks SET held_until = now() WHERE store_id = $1 AND id = $2 AND holder = $3 AND is_writable($1)`;

/** These statements wait for the locks of the webhook. */
const ALONE = { isAlone: true };

@Injectable()
export class PostgresWebhookQueue extends WebhookQueue {
  private readonly logger = new Logger('Webhooks');
  private readonly unreadable = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
  ) {
    super();
  }

  override async claim(most: number, busy: ReadonlyMap<string, number>): Promise<ClaimedWebhook[]> {
    const claim = { holder: uuidv4(), claimedAt: performance.now() };
    const chosen = chooseFairly(await this.database.query<DueWebhook>(FIND_DUE, []), most, busy);
    if (chosen.length === 0) return [];
    const values = [claim.holder, chosen.map(({ storeId }) => storeId), chosen.map(({ id }) => id)];
    const rows = await this.database.query<ClaimedRow>(CLAIM, values);
    return rows.flatMap((row) => this.toClaimed(row, claim));
  }

  override async record(
    { storeId, id, holder, epoch }: ClaimedWebhook,
    outcome: WebhookOutcome,
    delivery: Delivery | null,
  ): Promise<boolean> {
    const [text, values] = statementOf(outcome);
    const key = [storeId, id, holder, epoch];
    const sent = delivery && JSON.stringify(sentOf(delivery));
    const rows = await this.database.queryPrepared(text, [...key, sent, ...values], ALONE);
    return rows.length > 0;
  }

  override async release({ storeId, id, holder }: ClaimedWebhook): Promise<void> {
    await this.database.queryPrepared(RELEASE, [storeId, id, holder], ALONE);
  }

  /** A webhook whose secrets no configured key decrypts is skipped until its claim ends, and logged once. */
  private toClaimed(
    { secrets, headers: sealed, branch, position, base, ...row }: ClaimedRow,
    claim: Pick<ClaimedWebhook, 'holder' | 'claimedAt'>,
  ): ClaimedWebhook[] {
    try {
      const { texts } = openSecrets(this.cipher, row, secrets);
      const headers = openHeaders(this.cipher, row, sealed);
      this.unreadable.delete(row.id);
      return [{ ...row, ...claim, secrets: texts, headers, feedPosition: { branch, position, base } }];
    } catch (error) {
      if (!(error instanceof DecryptionFailed)) throw error;
      if (!this.unreadable.has(row.id)) this.logger.error(error.message);
      this.unreadable.add(row.id);
      return [];
    }
  }
}

/**
 * Picks webhooks round-robin, preferring stores with the fewest running deliveries. Within a store, it picks the first
 * due one whose host is below its limit.
 */
function chooseFairly(
  due: readonly DueWebhook[],
  most: number,
  busy: ReadonlyMap<string, number>,
): readonly DueWebhook[] {
  const served = new Map(busy);
  const countOf = (name: string) => served.get(name) ?? 0;
  const byStore = new Map<number, DueWebhook[]>();
  for (const webhook of due) byStore.set(webhook.storeId, [...(byStore.get(webhook.storeId) ?? []), webhook]);
  const chosen: DueWebhook[] = [];
  for (let fewest = 0; fewest < MAX_WEBHOOKS_SERVED_OF_STORE; fewest++) {
    for (const [storeId, waiting] of byStore) {
      if (chosen.length === most) return chosen;
      if (countOf(String(storeId)) !== fewest) continue;
      const index = waiting.findIndex(({ host }) => countOf(countedBy(storeId, host)[1]) < MAX_WEBHOOKS_SERVED_OF_HOST);
      const [next] = index < 0 ? [] : waiting.splice(index, 1);
      if (!next) continue;
      chosen.push(next);
      for (const name of countedBy(storeId, next.host)) served.set(name, countOf(name) + 1);
    }
  }
  return chosen;
}

function statementOf(outcome: WebhookOutcome): [text: string, values: readonly unknown[]] {
  switch (outcome.kind) {
    case 'moved':
      return [MOVED, [outcome.feedPosition.branch, outcome.feedPosition.position, outcome.feedPosition.base]];
    case 'tested':
      return [TESTED, []];
    case 'failed':
      return [FAILED, [outcome.delayMs]];
    case 'paused':
      return [PAUSED, [outcome.reason]];
  }
}

function sentOf({ messageId, durationMs, ...sent }: Delivery) {
  return { ...sent, message_id: messageId, duration_ms: Math.round(durationMs) };
}
