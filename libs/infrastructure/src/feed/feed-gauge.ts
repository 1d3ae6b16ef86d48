import type { DatabaseGauge } from '../postgres/database-gauge.js';
import { unnumbered } from './waiting-changes.js';

// The gauge reads one index entry for each store. Shared changes are numbered together with the changes of their store.
export const FEED_GAUGE: DatabaseGauge = {
  name: 'feed_lag_seconds',
  help: 'Age of the oldest change without a position in the feed',
  statement: `/* changes.lag */
    SELECT coalesce(extract(epoch FROM clock_timestamp() - min(waiting.logged_at)), 0)::float8 AS value
    FROM stores CROSS JOIN LATERAL (
      SELECT logged_at FROM ${unnumbered('stores.id')} ORDER BY id LIMIT 1
    ) AS waiting`,
};
