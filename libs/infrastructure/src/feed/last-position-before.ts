/**
 * SQL for the last position of the store `$1` before a time; 0 when there is none. Times rise with the positions, so
 * all changes at or after the time have higher positions.
 * @param time an SQL expression.
 */
export function lastPositionBefore(time: string): string {
  return `(SELECT coalesce(max(last.position), 0) FROM unnest(enum_range(NULL::change_kind)) AS each (kind)
    CROSS JOIN LATERAL (
      SELECT position FROM changes
      WHERE changes.store_id = $1 AND changes.kind = each.kind AND changes.changed_at < ${time}
      ORDER BY changes.changed_at DESC, position DESC LIMIT 1
    ) AS last)`;
}
