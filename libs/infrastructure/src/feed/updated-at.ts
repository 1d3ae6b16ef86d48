import type { ChangeKind } from '@app/application';
import { unnumbered } from './waiting-changes.js';

/**
 * SQL for the time of the newest change of a resource; null when the feed has never shown it. The query reads a sorted
 * range with a single id: only the primary key has this order, so the generic plan uses it even when made for an empty
 * table.
 * @param id an SQL expression. `$1` is the id of the store.
 */
export function changedAt(kind: ChangeKind, id: string): string {
  return `(SELECT changed_at FROM changes AS newest
      WHERE newest.store_id = $1 AND newest.kind = '${kind}' AND newest.entity BETWEEN ${id} AND ${id}
      ORDER BY newest.entity DESC, newest.position DESC LIMIT 1)`;
}

/**
 * SQL for the time when the record of a row last changed, as in the feed. A change that waits for its position does not
 * count: looking for it would read everything logged since the oldest open transaction began.
 * @param id, createdAt SQL expressions. `$1` is the id of the store.
 */
export function updatedAt(kind: ChangeKind, id: string, createdAt: string): string {
  return `coalesce(${changedAt(kind, `${id}::text`)}, ${createdAt})`;
}

/**
 * SQL for whether the record of the row `item` has changed since `$2`, including changes that wait for their position.
 */
export function changedSince(kind: ChangeKind): string {
  return `(${updatedAt(kind, 'item.id', 'item.created_at')} >= $2
    OR item.id::text IN (SELECT entity FROM ${unnumbered('$1')} AND kind = '${kind}' AND logged_at >= $2))`;
}
