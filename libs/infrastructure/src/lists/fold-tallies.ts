import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { storeByStore } from './store-by-store.js';

/** The mark does not move for fewer changes: a read skips them in a fraction of a millisecond. */
const FEW_CHANGES = 1_000;
/** The batch of `fold_list_tally_changes_of` in the first migration. */
const BATCH = 1_000;
const POLL_MS = 50;
const TIMEOUT_MS = 5_000;

const LAST = `/* tallies.last */
  SELECT last::text, last - list_tally_mark() AS since
  FROM pg_sequence_last_value('list_tally_changes_id_seq') AS last`;

// A writer locks the table before it takes an id, and keeps the lock until its transaction ends.
const WRITERS = `/* tallies.writers */
  SELECT virtualtransaction AS writer FROM pg_locks
  WHERE relation = $1::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const WAITING = `/* tallies.waiting_stores */
  SELECT id FROM stores WHERE EXISTS (
    SELECT FROM list_tally_changes WHERE store_id = stores.id AND id > list_tally_mark())
  ORDER BY id`;

// A writer that folds the store holds the lock until its transaction ends. The next run folds what it leaves.
const FOLD = `/* tallies.fold */
  SELECT CASE WHEN pg_try_advisory_xact_lock(hashtext('list_tally_changes'), $1) THEN fold_list_tally_changes_of($1) END AS folded`;

/**
 * Folds the changes of all lists into their tallies, one batch of each store at a time, and advances the mark after
 * which reads start. Without the mark, every read of a list would skip all folded changes while a long snapshot is
 * open. It skips a store that another transaction folds. It does nothing when there are few changes, and leaves the
 * mark when an earlier writer takes long: the worker calls it again.
 * @param signal stops the work between two batches. @throws the first failure, after one batch of each other store.
 */
export async function foldTallies(
  pool: Pick<pg.Pool, 'query'>,
  few = FEW_CHANGES,
  signal?: AbortSignal,
): Promise<void> {
  const [state] = (await pool.query<{ last: string | null; since: string | null }>(LAST)).rows;
  if (!state?.last || Number(state.since) < few) return;
  const fold = async (storeId: number) =>
    ((await pool.query<{ folded: number | null }>(FOLD, [storeId])).rows[0]?.folded ?? 0) >= BATCH;
  await storeByStore(pool, WAITING, fold, signal);
  // This check must follow the read of the newest id: a writer that starts later takes a higher id.
  if (!(await earlierWritersAreDone(pool, 'list_tally_changes'))) return;
  await pool.query('/* tallies.pass */ SELECT pass_list_tally_changes($1)', [state.last]);
}

/** Waits, for 5 s at most, for the transactions that have written to a table. @returns whether all have ended. */
export async function earlierWritersAreDone(pool: Pick<pg.Pool, 'query'>, table: string): Promise<boolean> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (let earlier = await writersOf(pool, table); earlier.length > 0;) {
    if (performance.now() > giveUpAt) return false;
    await sleep(POLL_MS);
    const present = await writersOf(pool, table);
    earlier = earlier.filter((writer) => present.includes(writer));
  }
  return true;
}

async function writersOf(pool: Pick<pg.Pool, 'query'>, table: string): Promise<string[]> {
  return (await pool.query<{ writer: string }>(WRITERS, [table])).rows.map(({ writer }) => writer);
}
