import type { AuditEvent, ChangeOrigin, Webhook, WebhookChange } from '@app/application';
import { allNew, changesBetween, recordAudit } from '../audit/record-audit.js';
import type { Sql } from '../postgres/sql.js';

export type AuditedWebhook = Pick<Webhook, 'name' | 'url' | 'kinds' | 'body' | 'batch' | 'headerNames' | 'state'>;

/** Paths and parameters of a URL may contain a secret of the receiver. */
function settingsOf({ name, url, kinds, body, batch, headerNames }: AuditedWebhook) {
  return { name, url: new URL(url).origin, kinds, body, batch, headers: headerNames };
}

function record(
  sql: Sql,
  origin: ChangeOrigin,
  action: AuditEvent['action'],
  { storeId, id, name }: Webhook,
  changes: AuditEvent['changes'],
): Promise<void> {
  return recordAudit(sql, storeId, origin, { action, subject: { kind: 'webhook', id, name }, changes });
}

export function recordCreation(sql: Sql, origin: ChangeOrigin, webhook: Webhook): Promise<void> {
  return record(sql, origin, 'webhook.created', webhook, allNew(settingsOf(webhook)));
}

export function recordDeletion(sql: Sql, origin: ChangeOrigin, webhook: Webhook): Promise<void> {
  return record(sql, origin, 'webhook.deleted', webhook, {});
}

/** A test message, and a change to what the webhook already has, leave no entry. */
export async function recordChange(
  sql: Sql,
  origin: ChangeOrigin,
  change: WebhookChange,
  before: AuditedWebhook,
  after: Webhook,
): Promise<void> {
  const note = (action: AuditEvent['action'], changes: AuditEvent['changes']) =>
    record(sql, origin, action, after, changes);
  switch (change.kind) {
    case 'pause':
    case 'resume': {
      if (before.state === after.state) return;
      return note(change.kind === 'pause' ? 'webhook.paused' : 'webhook.resumed', {
        state: [before.state, after.state],
      });
    }
    case 'configure': {
      const [old, present] = [settingsOf(before), settingsOf(after)];
      const hasHeaders = old.headers.length + present.headers.length > 0;
      const changes: AuditEvent['changes'] = {
        ...changesBetween(old, present),
        // Something else than what is shown may have changed.
        ...(before.url !== after.url && { url: [old.url, present.url] }),
        ...(change.settings.headers && hasHeaders && { headers: [old.headers, present.headers] }),
      };
      return Object.keys(changes).length > 0 ? note('webhook.changed', changes) : undefined;
    }
    case 'replay':
      return note('webhook.replayed', { from: [null, change.from instanceof Date ? change.from : 'cursor'] });
    case 'rotate':
      return note('webhook.secret_rotated', { overlap_seconds: [null, change.overlapMs / 1_000] });
    case 'test':
  }
}
