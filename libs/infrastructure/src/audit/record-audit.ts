import type { ApiKeyLookup, AuditEvent, ChangeOrigin } from '@app/application';
import { originOf } from '@app/application';
import { v7 as uuidv7 } from 'uuid';
import { operator } from '../platform/operator.js';
import type { Sql } from '../postgres/sql.js';

/** The id of the actor, or its type when it has none. An index has this expression. */
export const ACTOR = `coalesce(nullif(actor_id, ''), actor_type)`;

/** Limits the characters of a value: settings may have long texts. */
const MAX_VALUE = 1_000;

const RECORD = `/* audit.record */
  INSERT INTO audit_events (store_id, id, actor_type, actor_id, actor_name, address, action, subject_kind, subject_id,
    subject_name, changes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/** Adds an entry to the audit of the store. @param sql the transaction that makes the change. */
export async function recordAudit(
  sql: Sql,
  storeId: number,
  { actor, address }: ChangeOrigin,
  { action, subject, changes }: AuditEvent,
): Promise<void> {
  await sql.query(RECORD, [
    ...[storeId, uuidv7(), actor.type, actor.id, actor.name, address, action],
    ...[subject.kind, subject.id, subject.name, JSON.stringify(shortened(changes))],
  ]);
}

/** @param key the key of the request; null for a command. */
export function originOfRequest(key: ApiKeyLookup | null): ChangeOrigin {
  return key ? originOf(key) : { actor: operator(), address: null };
}

/** Returns the fields of `after` whose value differs, with both values. */
export function changesBetween(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(after)
      .filter(([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value))
      .map(([field, value]) => [field, [before[field], value] as const]),
  );
}

/** Returns the fields of something new. */
export function allNew(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, [null, value] as const]));
}

function shortened(changes: AuditEvent['changes']): AuditEvent['changes'] {
  return Object.fromEntries(
    Object.entries(changes).map(([field, [before, after]]) => [field, [shorten(before), shorten(after)]]),
  );
}

/** Undefined becomes null, because JSON has no such value. */
function shorten(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : (value ?? null);
}
