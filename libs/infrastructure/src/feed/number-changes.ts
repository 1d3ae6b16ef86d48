import type { Deadline } from '@app/application';
import type pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { earlierWritersAreDone } from '../lists/fold-tallies.js';
import { storeByStore } from '../lists/store-by-store.js';
import { hasUnnumberedChanges } from './waiting-changes.js';

type Query = Pick<pg.Pool, 'query'>;

/**
 * The batch of `number_changes` in the first migration. After this many, or a few more, further changes may be waiting.
 */
const BATCH = 5_000;
/** The mark does not move for fewer rows: a statement skips them in a fraction of a millisecond. */
const FEW_CHANGES = 1_000;

const WAITING = `/* changes.waiting_stores */
  SELECT id FROM stores WHERE ${hasUnnumberedChanges('stores.id')} ORDER BY id`;

const NUMBER = '/* changes.number */ SELECT number_changes($1) AS moved';

const LAST = `/* changes.last */
  SELECT last::text, last - coalesce((SELECT passed FROM change_log_mark WHERE single), 0) AS since
  FROM pg_sequence_last_value('change_log_id_seq') AS last`;

/**
 * Assigns positions to the committed changes of all stores, one batch of each at a time.
 * @param signal stops the work between two batches.
 * @throws the first failure, after one batch of each other store.
 */
export function numberChanges(pool: Query, signal?: AbortSignal): Promise<void> {
  return storeByStore(pool, WAITING, async (storeId) => ((await numberOf(pool, storeId)) ?? 0) >= BATCH, signal);
}

/**
 * Moves the mark after which statements read the log. Otherwise, each of them would skip again the rows that an open
 * snapshot keeps. It does nothing when there are few rows or a writer takes long: the worker calls it again.
 */
export async function passChangeLog(pool: Query, few = FEW_CHANGES): Promise<void> {
  const [state] = (await pool.query<{ last: string | null; since: string | null }>(LAST)).rows;
  if (!state?.last || Number(state.since) < few) return;
  // This check must follow the read of the newest id: a writer that starts later takes a higher id.
  if (!(await earlierWritersAreDone(pool, 'change_log'))) return;
  await pool.query('/* changes.pass */ SELECT pass_change_log($1)', [state.last]);
}

const TRIES = 4;
const PAUSE_MS = 5;
/** The pause before checking again whether another transaction has numbered its up to {@link BATCH} changes. */
export const OTHER_WRITER_POLL_MS = 20;
/**
 * How long a request that starts at the end of the feed may number the changes before it. The last batch may exceed
 * this.
 */
export const NUMBER_ALL_TIMEOUT_MS = 1_500;

type QueryMoved = (text: string, values: unknown[]) => Promise<readonly { moved: number | null }[]>;

/**
 * Assigns positions to the committed changes of one store. While another transaction does so, it retries for a few
 * milliseconds.
 * @returns whether changes of the store may still wait; null when that is unknown, because another transaction takes
 * longer.
 */
export async function numberChangesOf(query: QueryMoved, storeId: number): Promise<boolean | null> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const [row] = await query(NUMBER, [storeId]);
    if (row && row.moved !== null) return row.moved >= BATCH;
    if (attempt < TRIES) await sleep(PAUSE_MS);
  }
  return null;
}

/**
 * Assigns positions to everything that a store committed before the call, batch by batch, so that the end of its feed
 * is current. It starts no batch after the deadline.
 * @returns the same as {@link numberChangesOf}.
 */
export async function numberAllChangesOf(
  query: QueryMoved,
  storeId: number,
  deadline: Deadline,
): Promise<boolean | null> {
  for (;;) {
    const isMore = await numberChangesOf(query, storeId);
    if (isMore === false || deadline.remainingMs <= 0) return isMore;
    if (isMore === null) await sleep(OTHER_WRITER_POLL_MS);
  }
}

async function numberOf(pool: Query, storeId: number): Promise<number | null> {
  return (await pool.query<{ moved: number | null }>(NUMBER, [storeId])).rows[0]?.moved ?? null;
}
