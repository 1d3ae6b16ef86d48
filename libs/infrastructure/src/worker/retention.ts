import { AUDIT_RETENTION_DAYS } from '@app/application';
import { COUNT_SNAPSHOT_RETENTION_DAYS, IDEMPOTENCY_KEY_RETENTION_HOURS } from '@app/domain';
import type pg from 'pg';
import { MAX_ATTEMPTS } from '../mail/mail-attempts.js';
import type { Retention } from '../platform/config.js';

const BATCH = 1_000;
const FOUND = 50 * BATCH;
// The search excludes rows of other clusters' stores in one step: otherwise all that it finds might be theirs, and
// is_writable keeps them.
const IS_WRITABLE_STORE = ` AND store_id NOT IN (SELECT id FROM stores WHERE status IN ('MOVING', 'MOVED'))`;
/** How many days sessions are kept after their end. */
const SESSION_RETENTION_DAYS = 30;

const EXPIRED = [
  {
    table: 'idempotency_keys',
    when: `created_at < now() - interval '${IDEMPOTENCY_KEY_RETENTION_HOURS} hours'`,
  },
  {
    table: 'fraud_assessments',
    // A placed order can be rejected too, because an import takes over its assessment.
    when: `verdict = 'REJECT' AND created_at < now() - make_interval(days => $1) AND NOT EXISTS (
      SELECT FROM orders WHERE orders.store_id = fraud_assessments.store_id AND orders.id = fraud_assessments.order_id)`,
    days: ({ rejectedOrders }: Retention) => [rejectedOrders],
  },
  {
    table: 'feed_snapshots',
    // The newest of the old rows stays, because cursors up to the next row refer to it.
    when: `taken_at < now() - interval '${COUNT_SNAPSHOT_RETENTION_DAYS} days' AND EXISTS (
      SELECT FROM feed_snapshots AS later
      WHERE later.store_id = feed_snapshots.store_id AND (later.branch, later.position) > (feed_snapshots.branch, feed_snapshots.position)
        AND later.taken_at < now() - interval '${COUNT_SNAPSHOT_RETENTION_DAYS} days')`,
  },
  {
    table: 'api_key_usage',
    when: `day < (now() AT TIME ZONE 'UTC')::date - $1::int`,
    days: ({ keyUsage }: Retention) => [keyUsage],
  },
  { table: 'audit_events', when: `at < now() - interval '${AUDIT_RETENTION_DAYS} days'` },
  { table: 'sign_ins', when: `created_at < now() - interval '1 day'` },
  // The mail of the last attempt has failed.
  { table: 'merchant_notices', when: `attempts >= ${MAX_ATTEMPTS} AND run_at < now() - interval '1 day'` },
  {
    table: 'api_keys',
    when: `person_id IS NOT NULL AND expires_at < now() - interval '${SESSION_RETENTION_DAYS} days'`,
  },
  {
    table: 'api_key_refusals',
    when: `day < (now() AT TIME ZONE 'UTC')::date - $1::int`,
    days: ({ keyUsage }: Retention) => [keyUsage],
  },
];

/**
 * Deletes expired rows in small batches, so that no transaction is long. Several workers share the work. One search
 * finds the rows of many batches, because each search passes the rows that stay, such as the assessments of imported
 * orders. It skips rows of stores that this cluster does not own.
 * @param most how many rows a search finds.
 */
export async function purgeExpired(pool: Pick<pg.Pool, 'query'>, retention: Retention, most = FOUND): Promise<void> {
  for (const { table, when, days } of EXPIRED) {
    const [mayBeFound, isOfStore] = table === 'sign_ins' ? ['', ''] : [IS_WRITABLE_STORE, ' AND is_writable(store_id)'];
    const values = days?.(retention) ?? [];
    const find = `/* retention.find.${table} */ SELECT ctid::text AS id FROM ${table} WHERE ${when}${mayBeFound} LIMIT ${most}`;
    // Another row may be stored at that location in between. It stays, unless it is expired, too. The planner expects
    // few rows from an ARRAY of a subquery, and reads no others.
    const remove = `/* retention.${table} */
      DELETE FROM ${table}
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM (
          SELECT ctid, * FROM ${table} WHERE ctid = ANY (ARRAY(SELECT unnest($${values.length + 1}::tid[]))) OFFSET 0 FOR UPDATE SKIP LOCKED
        ) AS ${table} WHERE ${when}${isOfStore}))`;
    for (let isMore = true; isMore;) {
      const found = (await pool.query<{ id: string }>(find, values)).rows.map(({ id }) => id);
      let removed = 0;
      for (let from = 0; from < found.length; from += BATCH) {
        removed += (await pool.query(remove, [...values, found.slice(from, from + BATCH)])).rowCount ?? 0;
      }
      isMore = found.length === most && removed > 0;
    }
  }
}
