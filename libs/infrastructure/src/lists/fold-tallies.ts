import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** Fewer changes are not worth a move of the mark: a read passes them in a fraction of a millisecond. */
const FEW_CHANGES = 1_000;
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

/**
 * Folds the changes of all lists into their tallies, and advances the mark after which reads start: without it, every read
 * of a list would pass all folded changes while a long snapshot is open. Does nothing when there are few changes or an
 * earlier writer takes long: the worker calls it again.
 */
export async function foldTallies(pool: Pick<pg.Pool, 'query'>, few = FEW_CHANGES): Promise<void> {
  const [state] = (await pool.query<{ last: string | null; since: string | null }>(LAST)).rows;
  if (!state?.last || Number(state.since) < few) return;
  // Runs after the newest id is read: a writer that begins later takes a newer id.
  if (!(await earlierWritersAreDone(pool, 'list_tally_changes'))) return;
  await pool.query('/* tallies.fold */ SELECT fold_list_tally_changes_through($1)', [state.last]);
}

/** Waits, for 5 s at most, for the transactions that have written to a table. @returns whether all have ended. */
export async function earlierWritersAreDone(pool: Pick<pg.Pool, 'query'>, table: string): Promise<boolean> {
  const giveUp = performance.now() + TIMEOUT_MS;
  for (let earlier = await writersOf(pool, table); earlier.length > 0;) {
    if (performance.now() > giveUp) return false;
    await sleep(POLL_MS);
    const present = await writersOf(pool, table);
    earlier = earlier.filter((writer) => present.includes(writer));
  }
  return true;
}

async function writersOf(pool: Pick<pg.Pool, 'query'>, table: string): Promise<string[]> {
  return (await pool.query<{ writer: string }>(WRITERS, [table])).rows.map(({ writer }) => writer);
}
