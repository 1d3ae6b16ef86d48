import type { ChangeKind } from '@app/application';
import { unnumbered } from './waiting-changes.js';

/**
 * SQL for when the record of a row last changed: the time of its place in the feed, or of a later change that waits for one.
 * A change that many products share, such as the name of their brand, counts from its place on.
 *
 * @param id @param createdAt expressions. `$1` is the id of the store.
 */
export function updatedAt(kind: ChangeKind, id: string, createdAt: string): string {
  return `coalesce(greatest(
      (SELECT changed_at FROM changes WHERE store_id = $1 AND kind = '${kind}' AND entity = ${id}::text),
      (SELECT max(logged_at) FROM ${unnumbered('$1')} AND kind = '${kind}' AND entity = ${id}::text)), ${createdAt})`;
}
