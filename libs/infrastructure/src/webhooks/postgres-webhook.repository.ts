import {
  Deadline,
  DeadlineExceeded,
  WebhookRepository,
  type ChangeOrigin,
  type FeedPosition,
  type IdempotentRequest,
  type NewWebhook,
  type ShownWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookKey,
  type WebhookSettings,
} from '@app/application';
import { MAX_WEBHOOKS, TooManyWebhooks, WebhookDeleted, type ApiKeyMode } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { lastPositionBefore } from '../feed/last-position-before.js';
import { numberAllChangesOf, NUMBER_ALL_TIMEOUT_MS } from '../feed/number-changes.js';
import { DataCipher } from '../platform/data-cipher.js';
import { Database } from '../postgres/database.js';
import { claimKey } from '../postgres/idempotency-keys.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { recordChange, recordCreation, recordDeletion, type AuditedWebhook } from './record-webhook.js';
import { openSecrets, sealHeaders, sealSecrets } from './webhook-secrets.js';

type WebhookRow = Omit<Webhook, 'feedPosition'> & FeedPosition;
type ShownRow = Omit<ShownWebhook, 'feedPosition'> & FeedPosition;

const COLUMNS = `
  store_id AS "storeId", id, mode, name, url, kinds::text[], body, batch, header_names AS "headerNames", state, reason,
  branch, position, base, created_at AS "createdAt", failing_since AS "failingSince",
  CASE WHEN state = 'active' AND failing_since IS NOT NULL THEN due_at END AS "nextAttemptAt",
  coalesce(greatest(0, extract(epoch FROM now() - (
    SELECT min(next.changed_at) FROM unnest(webhooks.kinds) AS wanted (kind)
    CROSS JOIN LATERAL (
      SELECT changed_at FROM changes
      WHERE changes.store_id = $1 AND changes.kind = wanted.kind AND changes.position > webhooks.position
      ORDER BY changes.position LIMIT 1
    ) AS next)))::float8, 0) AS "lagSeconds"`;

const IS_WEBHOOK = 'store_id = $1 AND id = $2 AND ($3::text IS NULL OR mode = $3)';

// The statement reads one snapshot: the state and the attempts that led to it.
const FIND = `/* webhooks.find */
  SELECT ${COLUMNS}, (
    SELECT coalesce(jsonb_agg(jsonb_build_object('messageId', message_id, 'type', type, 'at', at, 'phase', phase,
      'status', status, 'durationMs', duration_ms, 'answer', answer) ORDER BY at DESC, slot DESC), '[]')
    FROM webhook_deliveries WHERE store_id = $1 AND webhook_id = $2) AS deliveries
  FROM webhooks WHERE ${IS_WEBHOOK}`;

const PURGED = `coalesce((
  SELECT max(through) FROM purged_changes WHERE store_id = $1 AND kind = ANY (webhooks.kinds)), 0)`;
const BRANCH = '(SELECT id FROM change_branches ORDER BY number DESC LIMIT 1)';

// The lock admits one creation at a time, so that none miscounts because of another that is running.
const LOCK_STORE = '/* webhooks.lock_store */ SELECT FROM stores WHERE id = $1 FOR NO KEY UPDATE';
const INSERT = `/* webhooks.insert */
  INSERT INTO webhooks (store_id, id, mode, url, host, kinds, body, batch, secrets, name, branch, position, base)
  SELECT $1, $2, $3, $4, $5, $6::change_kind[], $7, $8, $9, $10, ${BRANCH}, newest, newest
  FROM newest_change($1, enum_range(NULL::change_kind)) AS newest
  WHERE (SELECT count(*) FROM webhooks WHERE store_id = $1 AND mode = $3) < ${MAX_WEBHOOKS}
  RETURNING 1`;

const PAUSE = `/* webhooks.pause */
  UPDATE webhooks SET state = 'paused', reason = coalesce(reason, 'requested'), epoch = epoch + 1
  WHERE ${IS_WEBHOOK} RETURNING 1`;

// Resuming or replaying a failing webhook does not postpone its pause, even when a program does it regularly: only a
// pause ends the failures.
const RESUME = `/* webhooks.resume */
  UPDATE webhooks
  SET state = 'active', reason = NULL, failures = 0, due_at = now(), epoch = epoch + 1,
    failing_since = CASE WHEN state = 'active' THEN failing_since END
  WHERE ${IS_WEBHOOK} RETURNING 1`;

const TEST = `/* webhooks.test */
  UPDATE webhooks SET test_due = true WHERE ${IS_WEBHOOK} RETURNING 1`;

// The failures continue, like with `resume`: only a pause ends them.
const CONFIGURE = `/* webhooks.configure */
  UPDATE webhooks
  SET name = coalesce($4, name), url = coalesce($5, url), host = coalesce($6, host), body = coalesce($8, body),
    kinds = coalesce($7::change_kind[], kinds), batch = coalesce($9, batch), headers = coalesce($10, headers),
    header_names = coalesce($11, header_names), failures = 0, due_at = now(), epoch = epoch + 1
  WHERE ${IS_WEBHOOK} RETURNING 1`;

// A replay that leaves nothing to send ends the failures, because no later attempt would.
const REPLAY_FROM_POSITION = `/* webhooks.replay */
  UPDATE webhooks
  SET branch = $4, position = $5, base = $6, replays = replays + 1, failures = 0, due_at = now(), epoch = epoch + 1,
    failing_since = CASE WHEN EXISTS (
      SELECT FROM changes WHERE changes.store_id = $1 AND changes.kind = ANY (webhooks.kinds) AND changes.position > $5
    ) THEN failing_since END
  WHERE ${IS_WEBHOOK} RETURNING 1`;

// Deletions that are no longer kept are before the time, or cannot be sent again. A time after the place skips nothing,
// unless the receiver has read the feed because the position expired.
const REPLAY_FROM_TIME = `/* webhooks.replay_from_time */
  UPDATE webhooks
  SET branch = ${BRANCH}, base = ${PURGED}, replays = replays + 1, failures = 0, due_at = now(), epoch = epoch + 1,
    position = least(CASE WHEN reason = 'cursor_expired' THEN NULL ELSE position END, ${lastPositionBefore('$4')})
  WHERE ${IS_WEBHOOK} RETURNING 1`;

const LOCK = `/* webhooks.lock */
  SELECT secrets FROM webhooks WHERE ${IS_WEBHOOK} FOR NO KEY UPDATE`;
const LOCK_SETTINGS = `/* webhooks.lock_settings */
  SELECT name, url, kinds::text[], body, batch, header_names AS "headerNames", state FROM webhooks
  WHERE ${IS_WEBHOOK} FOR NO KEY UPDATE`;
const ROTATE = `/* webhooks.rotate */
  UPDATE webhooks SET secrets = $4, epoch = epoch + 1 WHERE ${IS_WEBHOOK} RETURNING 1`;

const DELETE = `/* webhooks.delete */ DELETE FROM webhooks WHERE ${IS_WEBHOOK} RETURNING 1`;

@Injectable()
export class PostgresWebhookRepository extends WebhookRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: DataCipher,
  ) {
    super();
  }

  /** The key stores only the id, because an answer contains the secret in plain text. */
  override async insert(
    webhook: NewWebhook,
    origin: ChangeOrigin,
    request: IdempotentRequest | null = null,
  ): Promise<ShownWebhook> {
    const { storeId, id, mode, name, url, kinds, body, batch, secret } = webhook;
    const secrets = sealSecrets(this.cipher, { storeId, id }, [{ secret, until: null }]);
    await this.catchUp(storeId);
    const values = [storeId, id, mode, url, new URL(url).hostname, kinds, body, batch, secrets, name];
    return this.database.transaction(storeId, async (sql) => {
      const earlier = request && (await claimKey(sql, 'webhook', request, { orderId: null, record: { id } }));
      if (!earlier) await sql.query(LOCK_STORE, [storeId]);
      if (!earlier) await sql.query(INSERT, values);
      const found = await shown(sql, [storeId, earlier?.record.id ?? id, mode]);
      if (found && !earlier) await recordCreation(sql, origin, found);
      if (found) return found;
      throw earlier ? new WebhookDeleted() : new TooManyWebhooks(MAX_WEBHOOKS);
    });
  }

  override async list(storeId: number, mode: ApiKeyMode | null): Promise<Webhook[]> {
    const rows = await this.database.query<WebhookRow>(
      `/* webhooks.list */ SELECT ${COLUMNS} FROM webhooks WHERE store_id = $1 AND ($2::text IS NULL OR mode = $2)
       ORDER BY created_at, id`,
      [storeId, mode],
    );
    return rows.map(toWebhook);
  }

  override async find({ storeId, id }: WebhookKey, mode: ApiKeyMode | null): Promise<ShownWebhook | null> {
    return first(await this.database.query(FIND, [storeId, id, mode]));
  }

  override async locate(id: string): Promise<WebhookKey | null> {
    const sql = '/* webhooks.locate */ SELECT store_id AS "storeId", id FROM webhooks WHERE id = $1';
    const [key] = await this.database.query<WebhookKey>(sql, [id]);
    return key ?? null;
  }

  override async newestSecret(key: WebhookKey): Promise<string | null> {
    const sql = '/* webhooks.secrets */ SELECT secrets FROM webhooks WHERE store_id = $1 AND id = $2';
    const [row] = await this.database.query<{ secrets: Buffer }>(sql, [key.storeId, key.id]);
    return row ? (openSecrets(this.cipher, key, row.secrets).texts[0] ?? null) : null;
  }

  override change(
    key: WebhookKey,
    mode: ApiKeyMode | null,
    change: WebhookChange,
    origin: ChangeOrigin,
  ): Promise<ShownWebhook | null> {
    const { storeId, id } = key;
    return this.database.transaction(storeId, async (sql) => {
      const values = [storeId, id, mode];
      const write = (text: string, ...more: unknown[]) => sql.query(text, [...values, ...more]);
      const [before] = await sql.query<AuditedWebhook>(LOCK_SETTINGS, values);
      if (!before) return null;
      if (change.kind === 'pause') await write(PAUSE);
      else if (change.kind === 'resume') await write(RESUME);
      else if (change.kind === 'test') await write(TEST);
      else if (change.kind === 'configure') await write(CONFIGURE, ...this.settingsOf(key, change.settings));
      else if (change.kind === 'rotate') await this.rotate(sql, key, mode, change);
      else if (change.from instanceof Date) await write(REPLAY_FROM_TIME, change.from);
      else await write(REPLAY_FROM_POSITION, change.from.branch, change.from.position, change.from.base);
      const after = await shown(sql, values);
      if (after) await recordChange(sql, origin, change, before, after);
      return after;
    });
  }

  override delete(
    { storeId, id }: WebhookKey,
    mode: ApiKeyMode | null,
    origin: ChangeOrigin,
  ): Promise<ShownWebhook | null> {
    return this.database.transaction(storeId, async (sql) => {
      const values = [storeId, id, mode];
      await sql.query(LOCK, values);
      const found = await shown(sql, values);
      await sql.query(DELETE, values);
      if (found) await recordDeletion(sql, origin, found);
      return found;
    });
  }

  /**
   * Moves the end of the feed past everything committed, even before the first reader comes and after a large import.
   */
  private async catchUp(storeId: number): Promise<void> {
    const number = (text: string, values: unknown[]) =>
      this.database.queryPrepared<{ moved: number | null }>(text, values, { isAlone: true });
    const isMore = await numberAllChangesOf(number, storeId, Deadline.in(NUMBER_ALL_TIMEOUT_MS));
    if (isMore !== false) throw new DeadlineExceeded();
  }

  private settingsOf(key: WebhookKey, { name, url, kinds, body, batch, headers }: WebhookSettings): unknown[] {
    const host = url && new URL(url).hostname;
    const sealed = headers && sealHeaders(this.cipher, key, headers);
    return [name, url, host, kinds, body, batch, sealed, headers && Object.keys(headers)];
  }

  private async rotate(
    sql: TransactionSql,
    key: WebhookKey,
    mode: ApiKeyMode | null,
    { secret, overlapMs }: Extract<WebhookChange, { kind: 'rotate' }>,
  ): Promise<void> {
    const { storeId, id } = key;
    const [row] = await sql.query<{ secrets: Buffer }>(LOCK, [storeId, id, mode]);
    if (!row) return;
    const secrets = openSecrets(this.cipher, key, row.secrets).replaced(secret, overlapMs);
    await sql.query(ROTATE, [storeId, id, mode, sealSecrets(this.cipher, key, secrets)]);
  }
}

/** Reads the webhook after its row is locked or written: no attempt is recorded without that lock. */
async function shown(sql: TransactionSql, values: readonly unknown[]): Promise<ShownWebhook | null> {
  return first(await sql.query(FIND, values));
}

function first([row]: readonly ShownRow[]): ShownWebhook | null {
  if (!row) return null;
  const deliveries = row.deliveries.map((each) => ({ ...each, at: new Date(each.at) }));
  return { ...toWebhook(row), deliveries };
}

function toWebhook<Row extends WebhookRow>({ branch, position, base, ...row }: Row) {
  return { ...row, feedPosition: { branch, position, base } };
}
