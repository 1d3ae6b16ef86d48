import { MOVED_STORES, type DatabaseGauge } from '../postgres/database-gauge.js';

export const WEBHOOK_GAUGES: readonly DatabaseGauge[] = [
  {
    name: 'webhooks_paused',
    help: 'Webhooks that the service has paused',
    statement: `/* webhooks.paused */
      SELECT count(*)::int AS value FROM webhooks WHERE state = 'paused' AND reason <> 'requested'`,
  },
  {
    name: 'webhooks_lag_seconds',
    help: 'Age of the oldest change that an active webhook has not delivered',
    statement: `/* webhooks.lag */
      SELECT coalesce(extract(epoch FROM now() - min(next.changed_at)), 0)::float8 AS value FROM webhooks
      CROSS JOIN LATERAL unnest(kinds) AS wanted (kind)
      CROSS JOIN LATERAL (
        SELECT changed_at FROM changes
        WHERE changes.store_id = webhooks.store_id AND changes.kind = wanted.kind
          AND changes.position > webhooks.position
        ORDER BY changes.position LIMIT 1
      ) AS next
      WHERE webhooks.state = 'active' AND webhooks.store_id NOT IN (${MOVED_STORES})`,
  },
];
