import type { TestDatabase } from '../../support/test-database.js';

/** The store whose rows must not change, and one of its orders, which no worker changes any more. */
interface Watched {
  readonly storeId: number;
  readonly settledOrder: string;
}

/**
 * Columns that the service may write after a request of the store. The columns of the settled order are not among them.
 */
const WRITTEN_LATER: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['last_used_at'],
  // A worker writes these for an order whose analysis was unavailable.
  fraud_assessments: ['verdict', 'score', 'reasons'],
  order_stages: ['state', 'run_at', 'locked_until', 'outcome', 'attempts', 'last_error', 'updated_at'],
};

// Usage grows after the requests, tallies are compared by their sums, and the feed is numbered at any time.
const TABLES = `
  SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND attname = 'store_id' AND NOT attisdropped
    AND relname NOT IN ('api_key_usage', 'api_key_refusals', 'list_tallies', 'list_tally_changes', 'order_sums', 'change_log', 'changes', 'change_forks',
      'shared_changes')
  ORDER BY 1`;

const COUNTS = `
  SELECT list, grain, period, labels, sum(rows) AS rows
  FROM list_counts
  WHERE store_id = $1
  GROUP BY list, grain, period, labels HAVING sum(rows) <> 0 ORDER BY list, grain, period, labels`;

export async function fingerprintOf(database: TestDatabase, { storeId, settledOrder }: Watched): Promise<string> {
  const tables = await database.query<{ name: string }>(TABLES);
  const prints = [JSON.stringify(await database.query(COUNTS, [storeId]))];
  for (const { name, key } of [
    ...tables.map(({ name }) => ({ name, key: 'store_id' })),
    { name: 'stores', key: 'id' },
  ]) {
    const [row] = await database.query<{ print: string | null }>(
      `SELECT md5(string_agg(print, ' ' ORDER BY print)) AS print
       FROM ${name} AS row CROSS JOIN LATERAL (
         SELECT (CASE WHEN to_jsonb(row) ->> 'order_id' = $2 THEN to_jsonb(row) ELSE to_jsonb(row) - $3::text[] END)::text
       ) AS text (print)
       WHERE ${key} = $1`,
      [storeId, settledOrder, WRITTEN_LATER[name] ?? []],
    );
    prints.push(`${name} ${row?.print ?? ''}`);
  }
  return prints.join('\n');
}
