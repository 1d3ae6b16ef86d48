import type { ChangeKind } from '@app/application';
import { unnumbered } from './waiting-changes.js';

/**
 * SQL for when the record of a row last changed: the time of its place in the feed. A change that waits for its place does not
 * count: a look for it reads all that was logged since the oldest open transaction began.
 *
 * @param id @param createdAt expressions. `$1` is the id of the store.
 */
export function updatedAt(kind: ChangeKind, id: string, createdAt: string): string {
  return `coalesce((SELECT changed_at FROM changes WHERE store_id = $1 AND kind = '${kind}' AND entity = ${id}::text), ${createdAt})`;
}

/** SQL for whether the record of the row `item` has changed since `$2`, also by a change that waits for its place. */
export function changedSince(kind: ChangeKind): string {
  return `(${updatedAt(kind, 'item.id', 'item.created_at')} >= $2
    OR item.id::text IN (SELECT entity FROM ${unnumbered('$1')} AND kind = '${kind}' AND logged_at >= $2))`;
}
