import { DUE_OF_LOCKED, ROOM_OF_STORE } from '../platform/store-claim-loop.js';
import { MAX_ATTEMPTS, waitAfter } from './mail-attempts.js';

/** Describes a queue of mails. Each part is SQL. */
export interface MailTable {
  readonly table: string;
  /** The condition of the index of due mails, which is sorted by `store_id` and `dueAt`. */
  readonly isWaiting: string;
  readonly attempts: string;
  readonly dueAt: string;
  /** The columns that a claim returns. */
  readonly columns: string;
}

/**
 * Returns SQL that claims due mails within the limits of `valuesOf`: the longest due of each store before the second of
 * any, and a store that has more room before one that has less, so that no store waits for the backlog of another. The
 * claim moves the due time, so an attempt that fails, or whose worker is killed, is repeated without another statement.
 *
 * @param name the comment that names the statement.
 */
// The statement steps through the index from one store to the next, and reads a few mails of each, so its cost does not
// grow with a backlog. Pairs of columns keep the planner on this index, and row locations (ctid) on what was found.
// Concurrent workers skip the rows that others have locked, so the front of a store is longer than a claim.
export const claimMails = (name: string, { table, isWaiting, attempts, dueAt, columns }: MailTable) => `${name}
  WITH RECURSIVE waiting (store_id) AS (
    (SELECT store_id FROM ${table} WHERE ${isWaiting} ORDER BY store_id, ${dueAt} LIMIT 1)
    UNION ALL
    SELECT following.store_id FROM waiting CROSS JOIN LATERAL (
      SELECT store_id FROM ${table} WHERE ${isWaiting} AND store_id > waiting.store_id ORDER BY store_id, ${dueAt} LIMIT 1
    ) AS following
  ), front AS (
    SELECT due.*, room, row_number() OVER (PARTITION BY waiting.store_id ORDER BY due.due_at) - room AS turn
    FROM (SELECT store_id, ${ROOM_OF_STORE} AS room FROM waiting) AS waiting CROSS JOIN LATERAL (
      SELECT ctid AS place, ${dueAt} AS due_at FROM ${table}
      WHERE ${isWaiting} AND store_id = waiting.store_id AND (store_id, ${dueAt}) <= (waiting.store_id, now())
        AND ${attempts} < ${MAX_ATTEMPTS}
      ORDER BY ${dueAt} LIMIT 3 * $1::int
    ) AS due
  ), locked AS (
    SELECT free.*, next.room, next.turn FROM (SELECT * FROM front WHERE room > 0 ORDER BY turn, due_at) AS next CROSS JOIN LATERAL (
      SELECT ctid AS place, store_id FROM ${table}
      WHERE ctid = next.place AND (${isWaiting}) IS TRUE AND ${dueAt} <= now() AND ${attempts} < ${MAX_ATTEMPTS} AND is_processed(store_id)
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS free LIMIT $1::int
  ), ${DUE_OF_LOCKED}
  UPDATE ${table} SET ${attempts} = ${attempts} + 1, ${dueAt} = now() + ${waitAfter(`(${attempts} + 1)`)}
  WHERE ctid = ANY (ARRAY(SELECT place FROM due))
  RETURNING ${columns}`;
