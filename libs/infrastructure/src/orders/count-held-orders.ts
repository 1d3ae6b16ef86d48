/** The count of each set of reasons stops here: operators need its size, not an exact number. */
const MOST_COUNTED = 1_000;
/** The most sets of reasons that are counted. */
const MOST_SETS = 100;

/**
 * Held orders by their reasons. Walks the index order_stages_held from one set of reasons to the next and reads a
 * bounded part of each, so the cost does not depend on the number of orders. Orders without reasons come last: a
 * process of an earlier version placed them.
 */
export const HELD_ORDERS = `/* health.held_orders */
  WITH RECURSIVE held AS (
    (SELECT held_for, 1 AS place FROM order_stages WHERE state = 'held' ORDER BY held_for LIMIT 1)
    UNION ALL
    (SELECT following.held_for, held.place + 1
    FROM held CROSS JOIN LATERAL (
      SELECT held_for FROM order_stages WHERE state = 'held' AND held_for > held.held_for ORDER BY held_for LIMIT 1
    ) AS following
    WHERE held.place < ${MOST_SETS})
  )
  SELECT held_for AS reasons, (
    SELECT count(*)::int FROM (
      SELECT FROM order_stages AS stage WHERE stage.state = 'held' AND stage.held_for = held.held_for LIMIT ${MOST_COUNTED}
    ) AS counted) AS orders
  FROM held WHERE held_for IS NOT NULL
  UNION ALL
  SELECT '{}', count(*)::int FROM (
    SELECT FROM order_stages WHERE state = 'held' AND held_for IS NULL LIMIT ${MOST_COUNTED}
  ) AS without_reasons HAVING count(*) > 0`;

export interface HeldRow {
  readonly reasons: readonly string[];
  readonly orders: number;
}

/** An order with two reasons counts for both, an order without a reason for `unknown`. */
export function heldByReason(rows: readonly HeldRow[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reasons, orders } of rows) {
    for (const reason of reasons.length > 0 ? reasons : ['unknown']) counts[reason] = (counts[reason] ?? 0) + orders;
  }
  return counts;
}
