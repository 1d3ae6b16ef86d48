/**
 * SQL for a FROM clause: the changes of a store that have no position yet, except those that a row of `shared_changes`
 * stands for.
 * @param store an SQL expression for the id of the store.
 */
export function unnumbered(store: string): string {
  return `change_log WHERE change_log.store_id = ${store}
      AND change_log.id > coalesce((SELECT passed FROM change_log_mark WHERE single), 0)`;
}

export function hasUnnumberedChanges(store: string): string {
  return `(EXISTS (SELECT FROM ${unnumbered(store)})
    OR EXISTS (SELECT FROM shared_changes WHERE shared_changes.store_id = ${store}))`;
}
