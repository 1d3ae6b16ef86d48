import { UNAVAILABLE } from '@app/domain';
import { MOVED_STORES, type DatabaseGauge } from '../postgres/database-gauge.js';

const MAX_DEAD_LETTERS = 10_000;
/** Counting stops here for each set of reasons: operators need its size, not an exact number. */
const MAX_HELD = 1_000;
const MAX_SETS = 100;

/**
 * SQL for held orders by their set of reasons, without imported orders, whose reasons may be any text. It walks the
 * index orders_placed_held_by_reasons from one set to the next and reads a bounded part of each, so its cost does not
 * depend on the number of orders.
 */
export const HELD_SETS = `
  WITH RECURSIVE held AS (
    (SELECT held_reasons, 1 AS place FROM orders WHERE held_reasons IS NOT NULL AND placed ORDER BY held_reasons LIMIT 1)
    UNION ALL
    (SELECT following.held_reasons, held.place + 1
    FROM held CROSS JOIN LATERAL (
      SELECT held_reasons FROM orders WHERE held_reasons > held.held_reasons AND placed ORDER BY held_reasons LIMIT 1
    ) AS following
    WHERE held.place < ${MAX_SETS})
  )
  SELECT held_reasons AS reasons, (
    SELECT count(*)::int FROM (
      SELECT FROM orders WHERE orders.held_reasons = held.held_reasons AND placed LIMIT ${MAX_HELD}
    ) AS counted) AS orders
  FROM held`;

export const STAGE_GAUGES: readonly DatabaseGauge[] = [
  {
    name: 'pipeline_lag_seconds',
    help: 'Age of the oldest due stage',
    // A stage that a worker holds is late only if the worker is gone.
    statement: `/* orders.pipeline_lag */
      SELECT coalesce((SELECT extract(epoch FROM now() - run_at) FROM order_stages
        WHERE state = 'pending' AND run_at <= now() AND (locked_until IS NULL OR locked_until < now())
          AND store_id NOT IN (${MOVED_STORES})
        ORDER BY run_at LIMIT 1), 0)::float8 AS value`,
  },
  {
    name: 'pipeline_dead_letters',
    help: 'Stages that failed permanently within 24 hours, except because of their recipient; 10000 means 10000 or more',
    statement: `/* orders.dead_letters */
      SELECT count(*)::int AS value FROM (
        SELECT FROM order_stages
        WHERE outcome = 'failed' AND NOT dismissed AND updated_at > now() - interval '24 hours' LIMIT ${MAX_DEAD_LETTERS}
      ) AS dead`,
  },
  {
    name: 'orders_held',
    help: 'Orders under review, by fraud rule; an order with two rules counts for both. 1,000 means that or more',
    labelNames: ['reason'],
    statement: `/* orders.held_by_reason */
      SELECT reason, sum(orders)::int AS value FROM (
        SELECT unnest(CASE WHEN reasons = '{}' THEN '{unknown}' ELSE reasons END) AS reason, orders
        FROM (${HELD_SETS}) AS held_sets
        UNION ALL SELECT '${UNAVAILABLE}', 0
      ) AS by_reason GROUP BY reason`,
  },
];
